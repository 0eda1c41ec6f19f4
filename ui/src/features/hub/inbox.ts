/** The inbox of all machines, and how much each view of the screen has. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { HubStatus } from "@/bindings";
import { useBackend } from "@/state/backend";
import { useOfHub } from "@/state/hub";
import { useRead } from "@/state/queries";
import type { HubView } from "@/state/route";

/** Rows of a page. */
const PAGE = 100;

/** The inbox, page by page. With `ask` false only what was read before. */
export function useHubInbox(ask = true) {
  const backend = useBackend();
  const ofHub = useOfHub();
  return useInfiniteQuery({
    queryKey: ["hub_inbox", {}],
    // No sync of this machine tells that there is something new.
    refetchOnWindowFocus: ofHub,
    queryFn: ({ pageParam }) =>
      backend.call("hub_inbox", pageParam === null ? { limit: PAGE } : { limit: PAGE, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
    enabled: ask,
  });
}

/** Rows of the inbox, those included that no page was read of yet. */
export function totalOf({ data, hasNextPage }: Pick<ReturnType<typeof useHubInbox>, "data" | "hasNextPage">) {
  const listed = data?.pages.reduce((sum, page) => sum + page.items.length, 0);
  return hasNextPage ? (data?.pages[0]?.total ?? listed) : listed;
}

/** True if there are more than `totalOf` says: a hub counts up to ten thousand. */
export function isLeast({ data, hasNextPage }: Pick<ReturnType<typeof useHubInbox>, "data" | "hasNextPage">) {
  return hasNextPage && data?.pages[0]?.total_is_least === true;
}

/** How much waits in each view: as its list says where it was read after the last sync, else as the sync found it. */
export function useCounts({ waiting }: HubStatus): Partial<Record<HubView, number>> {
  const inbox = useHubInbox(false);
  const proposals = useRead("hub_proposals", {}, { enabled: false });
  const redactions = useRead("hub_redactions", {}, { enabled: false });
  if (!waiting) return {};
  const synced = Date.parse(waiting.at);
  const newer = (read: { dataUpdatedAt: number }, listed: number | null | undefined, told: number) =>
    read.dataUpdatedAt > synced ? (listed ?? told) : told;
  return {
    inbox: newer(inbox, totalOf(inbox), waiting.unreviewed),
    proposals: newer(
      proposals,
      proposals.data?.proposals.filter(({ here, state }) => here && state === "waiting").length,
      waiting.proposals,
    ),
    redactions: newer(
      redactions,
      redactions.data?.redactions.filter(({ complete }) => !complete).length,
      Math.max(waiting.outstanding, waiting.to_approve),
    ),
  };
}
