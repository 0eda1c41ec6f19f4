/** A value that components can watch: the few things that are neither read from the program nor part of the address. */
import { startTransition, useEffect, useState, useSyncExternalStore } from "react";

/** A value with listeners. */
export interface Observable<T> {
  /** The value now. */
  get: () => T;
  /** Replaces the value and tells who watches. */
  set: (value: T) => void;
  /** Calls back on every change until the returned function is called. */
  watch: (listener: () => void) => () => void;
}

/** Makes an observable. */
export function observable<T>(initial: T): Observable<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The value of an observable, followed. */
export function useObservable<T>(source: Observable<T>): T {
  return useSyncExternalStore(source.watch, source.get);
}

/** Runs something once the next frame has been drawn; soon where nothing is drawn. */
function afterFrame(run: () => void): void {
  const soon = () => window.setTimeout(run);
  if (document.visibilityState === "hidden") soon();
  else requestAnimationFrame(soon);
}

/**
 * The value of an observable, followed without hurry: drawing it gives way to keys and to what follows the value at once.
 * All that follow values in this way change together.
 */
export function useObservableLater<T>(source: Observable<T>): T {
  const [followed, setFollowed] = useState(() => ({ source, value: source.get() }));
  useEffect(() => {
    let gone = false;
    let waits = false;
    const take = () => {
      waits = false;
      if (!gone) startTransition(() => setFollowed({ source, value: source.get() }));
    };
    // It may have changed between drawing and now.
    take();
    const stop = source.watch(() => {
      if (!waits) afterFrame(take);
      waits = true;
    });
    return () => {
      gone = true;
      stop();
    };
  }, [source]);
  return followed.source === source ? followed.value : source.get();
}
