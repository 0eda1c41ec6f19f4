/**
 * Runs work for the newest value only: at most one run at a time, and while one runs only the last value waits. A slider
 * that moves faster than answers come never builds a queue, and its last position is always answered.
 */

/** Takes values; the newest is worked on next. */
export interface Latest<V> {
  /** Hands a value in. */
  push: (value: V) => void;
  /** Forgets what waits, and what runs is not heard any more. */
  stop: () => void;
}

/** Events of a run. */
export interface LatestEvents<V, R> {
  /** An answer came. `waiting` says whether a newer value is already being worked on. */
  done: (result: R, value: V, waiting: boolean) => void;
  /** It failed. */
  failed: (cause: unknown, value: V, waiting: boolean) => void;
}

/** Makes a runner. */
export function latest<V, R>(work: (value: V) => Promise<R>, events: LatestEvents<V, R>): Latest<V> {
  let running = false;
  let next: { value: V } | null = null;
  let stopped = false;
  const start = (value: V) => {
    running = true;
    const settle = (tell: (waiting: boolean) => void) => {
      running = false;
      if (stopped) return;
      const waits = next;
      next = null;
      tell(waits !== null);
      if (waits) start(waits.value);
    };
    work(value).then(
      (result) => settle((waiting) => events.done(result, value, waiting)),
      (cause: unknown) => settle((waiting) => events.failed(cause, value, waiting)),
    );
  };
  return {
    push(value) {
      if (stopped) return;
      if (running) next = { value };
      else start(value);
    },
    stop() {
      stopped = true;
      next = null;
    },
  };
}
