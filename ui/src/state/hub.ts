/** The hub that this machine joined, as far as it is known without asking it; or the one that serves this window. */
import { useBackend } from "./backend";
import { useRead } from "./queries";

/** The membership of this machine, and what waited at the hub when it last synced. */
export function useHub() {
  return useRead("hub_status", {});
}

/** True in a window that a hub serves: no machine is behind it. */
export const useOfHub = (): boolean => useBackend().platform.ofHub === true;

/** What waits for this machine or its person at the hub: redactions to carry out or to approve, and proposals. */
export function useHubWaiting(): number {
  const waiting = useHub().data?.waiting;
  return waiting ? waiting.redactions + waiting.to_approve + waiting.proposals : 0;
}
