/** The present time for "12 s ago", told to all who show it by one timer. */
import { useSyncExternalStore } from "react";

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

function watch(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const known of listeners) known();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since the epoch, to the second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}
