/** The inbox as it is read: page by page, and shortened at once when something was reviewed. */
import { type InfiniteData, type QueryClient, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Inbox, InboxGroup, Status } from "@/bindings";
import type { Backend } from "@/host";
import { useBackend } from "./backend";
import { useRead } from "./queries";

/**
 * Items of a page: of the first one, which is read again with every change; of one that is read while somebody goes through the
 * list key by key, where larger ones kept a key waiting (docs/BENCHMARKS.md); and of one that is wanted soon after the last.
 */
const PAGES = { first: 100, next: 40, soon: 200 };

/** A page asked for so many milliseconds after the last one, or less, is asked for by somebody who scrolls or wants all. */
const SOON_MS = 1000;

/** Filters of the inbox. */
export interface Narrowed {
  /** Only this store; all when null. */
  store: string | null;
  /** Only this kind of memory; all when null. */
  kind: string | null;
}

/** Number of times all pages had to be read anew, whatever the first one says. */
const anew = new WeakMap<QueryClient, number>();

/**
 * Lets all pages be read the next time: something became known of items (their writers, a redaction) that does not show in
 * the first page.
 */
export function readInboxAnew(queries: QueryClient): void {
  anew.set(queries, (anew.get(queries) ?? 0) + 1);
}

/**
 * The pages behind a first page that was read anew, made of those that are known; null where they have to be read. What is
 * new stands on the first page, because the newest comes first, and what is gone shows in the total: where that is what the
 * known items come to, they are what is left to review.
 */
export function keptBehind(first: Inbox, known: readonly Inbox[]): Inbox[] | null {
  if (known.length < 2 || first.next_before === null) return null;
  const groupOf = new Map(first.groups.flatMap((group) => group.items.map((item) => [item.memory_id, group] as const)));
  // A group in which something was reviewed or came has another name now.
  const renamed = new Map<string, InboxGroup>();
  const distinct = new Set<string>();
  for (const group of known.flatMap((page) => page.groups))
    for (const { memory_id } of group.items) {
      distinct.add(memory_id);
      const now = groupOf.get(memory_id);
      if (now) renamed.set(group.id, now);
    }
  const rest = known.map((page) =>
    page.groups
      .map((group) => ({
        ...(renamed.get(group.id) ?? group),
        items: group.items.filter(({ memory_id }) => !groupOf.has(memory_id)),
      }))
      .filter(({ items }) => items.length > 0),
  );
  const kept = rest.flat().reduce((sum, { items }) => sum + items.length, 0);
  if (first.total - groupOf.size - kept !== known[0]!.total - distinct.size) return null;
  return rest.slice(1).map((groups, at) => ({
    groups: at === 0 ? [...rest[0]!, ...groups] : groups,
    total: first.total,
    groups_total: first.groups_total,
    // Where it goes on is still found there, whatever came to its group.
    next_before: known[at + 1]!.next_before,
  }));
}

/** Reads pages; when the first one is read again, finds out which of those behind it need not be. `clock` tells milliseconds. */
export function pageReader(backend: Backend, { store, kind }: Narrowed, clock = () => performance.now()) {
  /** Pages that need not be read, by where they begin. */
  const kept = new Map<string, Inbox>();
  /** Number of such times when these pages were read. */
  let whole: number | null = null;
  /** When a page behind the first was asked for last. */
  let asked = -Infinity;
  /** Number of pages behind the first that were there before and are still to come. */
  let again = 0;
  return async (before: string | null, queries: QueryClient, queryKey: QueryKey): Promise<Inbox> => {
    const isAgain = before !== null && again > 0;
    if (isAgain) again -= 1;
    const known = before === null ? undefined : kept.get(before);
    if (known) return known;
    if (before !== null) {
      const now = clock();
      // Pages that were there come back no shorter: the list must not end before the chosen item.
      const limit = isAgain || now - asked < SOON_MS ? PAGES.soon : PAGES.next;
      asked = now;
      return backend.call("inbox", { store, kind, before, limit });
    }
    const page = await backend.call("inbox", { store, kind, before, limit: PAGES.first });
    kept.clear();
    const times = anew.get(queries) ?? 0;
    const pages = queries.getQueryData<InfiniteData<Inbox, string | null>>(queryKey)?.pages ?? [];
    again = Math.max(0, pages.length - 1);
    const behind = (whole === times && keptBehind(page, pages)) || [];
    whole = times;
    let begins = page.next_before;
    for (const one of behind) {
      if (begins !== null) kept.set(begins, one);
      begins = one.next_before;
    }
    return page;
  };
}

/** Number of items of each kind in a store or in all. */
export function useInboxKinds(store: string | null) {
  return useRead("inbox_kinds", { store }, { keepPrevious: true });
}

/**
 * Unreviewed changes in a store or in all, of one kind or of all, newest first, page by page. With each change the
 * first page is read again; those behind it only where they are not what is known.
 */
export function useInbox({ store, kind }: Narrowed) {
  const backend = useBackend();
  const read = useMemo(() => pageReader(backend, { store, kind }), [backend, store, kind]);
  return useInfiniteQuery({
    queryKey: ["inbox", { store, kind }],
    queryFn: ({ pageParam, client, queryKey }) => read(pageParam, client, queryKey),
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
