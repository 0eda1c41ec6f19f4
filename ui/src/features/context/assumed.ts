/** Assumptions of all variants in place of what was recorded: the model, and how long its cache lives. */
import { observable, useObservable } from "@/state/observable";

/** Lives of the cache that the API knows. */
export const CACHE_LIVES = ["5m", "1h"] as const;

/** Assumptions, as the program takes it. */
export interface Assumed {
  /** Model to price and default by; null as recorded. */
  model: string | null;
  /** Life of the cache; null as recorded. */
  cache_ttl: (typeof CACHE_LIVES)[number] | null;
}

/** Nothing is assumed. */
export const AS_RECORDED: Assumed = { model: null, cache_ttl: null };

/** Assumptions, for what follows it outside of components. */
export const assumed = observable<Assumed>(AS_RECORDED);

/** Assumptions, followed. */
export function useAssumed(): Assumed {
  return useObservable(assumed);
}

/** Assumes something else. */
export function assume(patch: Partial<Assumed>): void {
  assumed.set({ ...assumed.get(), ...patch });
}

/** True if two assume the same. */
export function sameAssumed(a: Assumed, b: Assumed): boolean {
  return a.model === b.model && a.cache_ttl === b.cache_ttl;
}
