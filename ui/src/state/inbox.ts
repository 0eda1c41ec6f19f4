/** The inbox as it is read: page by page, and shortened at once when something was reviewed. */
import { type InfiniteData, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import type { Inbox, Status } from "@/bindings";
import { useBackend } from "./backend";

/** Items of the first page, which is read again with every change, and of those that follow. */
const PAGES = { first: 100, next: 500 };

/** What is left to review in a store or in all, newest first, page by page. */
export function useInbox(store: string | null) {
  const backend = useBackend();
  return useInfiniteQuery({
    queryKey: ["inbox", { store }],
    queryFn: ({ pageParam: before }) =>
      backend.call("inbox", { store, before, limit: before === null ? PAGES.first : PAGES.next }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
  });
}

function without(pages: readonly Inbox[], gone: ReadonlySet<string>): Inbox[] {
  const lost = new Map<string, number>();
  let items = 0;
  for (const group of pages.flatMap((page) => page.groups)) {
    const count = group.items.filter(({ version_id }) => gone.has(version_id)).length;
    lost.set(group.id, (lost.get(group.id) ?? 0) + count);
    items += count;
  }
  const emptied = new Set(
    pages.flatMap((page) => page.groups.filter(({ id, total }) => total <= (lost.get(id) ?? 0)).map(({ id }) => id)),
  );
  return pages.map((page) => ({
    ...page,
    total: page.total - items,
    groups_total: page.groups_total - emptied.size,
    groups: page.groups
      .filter(({ id }) => !emptied.has(id))
      .map((group) =>
        (lost.get(group.id) ?? 0) === 0
          ? group
          : {
              ...group,
              total: group.total - (lost.get(group.id) ?? 0),
              items: group.items.filter(({ version_id }) => !gone.has(version_id)),
            },
      ),
  }));
}

/** Takes reviewed versions out of what is on screen at once; what the program says comes after. */
export function dropReviewed(queries: QueryClient, versions: readonly string[]): void {
  const gone = new Set(versions);
  queries.setQueriesData<InfiniteData<Inbox, string | null>>({ queryKey: ["inbox"] }, (known) =>
    known ? { ...known, pages: without(known.pages, gone) } : known,
  );
  queries.setQueriesData<Status>({ queryKey: ["status"] }, (known) =>
    known ? { ...known, unreviewed: Math.max(0, known.unreviewed - gone.size) } : known,
  );
}
