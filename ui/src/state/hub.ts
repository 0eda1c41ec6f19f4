/** The hub that this machine joined, as far as it is known without asking it. */
import { useRead } from "./queries";

/** The membership of this machine, and what waited at the hub when it last synced. */
export function useHub() {
  return useRead("hub_status", {});
}

/** What waits for this machine or its person at the hub: redactions to carry out or to approve, and proposals. */
export function useHubWaiting(): number {
  const waiting = useHub().data?.waiting;
  return waiting ? waiting.redactions + waiting.to_approve + waiting.proposals : 0;
}
