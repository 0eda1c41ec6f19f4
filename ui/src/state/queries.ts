/**
 * Reads, cached by command and request. What is read stays valid until an event says otherwise (`state/live.ts`), so
 * nothing is asked twice and nothing is polled that events already tell.
 */
import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ApiFailure, type CommandName, type Request, type Response, Unauthorized } from "@/host";
import { PROVIDES, type Version } from "@/bindings";
import { useBackend } from "./backend";

/** Rows asked for at once in lists that go on. */
export const PAGE_SIZE = 100;

/** The cache with the rules above. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        refetchOnWindowFocus: false,
        // A refusal stays a refusal; only a missing answer is worth another try.
        retry: (count, error) => !(error instanceof ApiFailure || error instanceof Unauthorized) && count < 2,
        networkMode: "always",
      },
    },
  });
}

/** Options of a read beyond the usual. */
export interface ReadOptions<T = unknown> {
  /** False: do not ask yet. */
  enabled?: boolean;
  /** Ask again after so many milliseconds; for what no event tells. A function decides by the last answer. */
  refetchInterval?: number | false | ((last: T | undefined) => number | false);
  /** Show the last answer to another request while the new one is on its way. */
  keepPrevious?: boolean;
}

/** Runs a command that reads (or a dry run) and keeps the answer. */
export function useRead<K extends CommandName>(name: K, request: Request<K>, options: ReadOptions<Response<K>> = {}) {
  const backend = useBackend();
  const { refetchInterval = false } = options;
  // Nothing tells of changes outside the stores: such an answer is stale whenever somebody looks.
  const outside = PROVIDES[name].includes("outside");
  return useQuery({
    queryKey: [name, request],
    queryFn: () => backend.call(name, request),
    enabled: options.enabled ?? true,
    ...(outside ? { staleTime: 0, refetchOnWindowFocus: true } : {}),
    refetchInterval:
      typeof refetchInterval === "function" ? (query) => refetchInterval(query.state.data) : refetchInterval,
    ...(options.keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** The versions that fit, newest first, page by page. */
export function useLog(request: Request<"log">, enabled = true) {
  const backend = useBackend();
  return useInfiniteQuery({
    queryKey: ["log", request],
    queryFn: ({ pageParam }) => backend.call("log", { limit: PAGE_SIZE, ...request, before: pageParam }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_before,
    enabled,
  });
}

/** The operations of a store or of all, newest first, page by page. */
export function useTimeline(store: string | null) {
  const backend = useBackend();
  return useInfiniteQuery({
    queryKey: ["timeline", { store }],
    queryFn: ({ pageParam }) => backend.call("timeline", { store, limit: PAGE_SIZE, before: pageParam }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_before,
  });
}

/** Lines added and removed by a version against the one before it; null until known or where it cannot be compared. */
export function useLineCounts(version: Version): { added: number; removed: number } | null {
  const comparable = version.redacted_at === null && version.content_kind !== "too_large";
  const { data } = useRead(
    "diff",
    { a: version.id, words: false, context: 0, highlight: false },
    { enabled: comparable },
  );
  // Without the version before, all lines would count as added.
  return comparable && data && "hunks" in data && !data.binary && !data.from.redacted
    ? { added: data.added, removed: data.removed }
    : null;
}

/** A store by its id, from the list of all. */
export function useStore(id: string | null | undefined) {
  const { data } = useRead("stores", {});
  return data?.stores.find((store) => store.id === id) ?? null;
}
