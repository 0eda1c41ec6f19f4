/**
 * Connection to the program. Every call tells by itself; an event stream that ends is examined at once. While nothing
 * answers it is asked again and again, and once it does, everything on screen is read anew.
 */
import type { QueryClient } from "@tanstack/react-query";
import { type Backend, Unauthorized, Unreachable } from "@/host";
import { observable, useObservable } from "./observable";

/** The pauses before the program is asked again, in milliseconds; the last one goes on. */
const PAUSES_MS = [500, 1000, 2000, 3000, 5000];

/** Since when nothing answers; null while the program does. */
const lost = observable<Date | null>(null);

/** Number of times the connection was lost and found again, so that what failed meanwhile is tried once more. */
const found = observable(0);

let askNow: () => void = () => undefined;

/** Since when the program does not answer; null while it does. */
export function useLostSince(): Date | null {
  return useObservable(lost);
}

/** A number that is another one each time the program answers again. */
export function useFoundAgain(): number {
  return useObservable(found);
}

/** Asks the program at once, instead of when the pause is over. */
export function tryNow(): void {
  askNow();
}

/** A backend that follows whether the program answers, and reads all again once it does. */
export function withConnection(backend: Backend, queries: QueryClient): Backend {
  let timer: number | undefined;
  let tries = 0;
  let asking = false;
  // The state of the whole, which is answered whoever asks.
  const whole = backend.platform.ofHub ? "hub_status" : "status";
  lost.set(null);

  const answered = () => {
    window.clearTimeout(timer);
    timer = undefined;
    tries = 0;
    if (lost.get() === null) return;
    lost.set(null);
    found.set(found.get() + 1);
    void queries.invalidateQueries();
  };
  const silent = () => {
    if (lost.get() === null) lost.set(new Date());
    if (timer !== undefined || asking) return;
    const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)];
    tries += 1;
    timer = window.setTimeout(ask, pause);
  };
  const tell = (error: unknown) => {
    // A refusal is an answer. Of a page whose key is none any more the state of the whole is asked, which says so.
    if (error instanceof Unreachable) silent();
    else answered();
    if (error instanceof Unauthorized) void queries.invalidateQueries({ queryKey: [whole] });
  };
  function ask(): void {
    window.clearTimeout(timer);
    timer = undefined;
    if (asking) return;
    asking = true;
    const whenLive = (then: () => void) => () => {
      asking = false;
      then();
    };
    backend.call(whole, {}).then(whenLive(answered), (error: unknown) => whenLive(() => tell(error))());
  }
  askNow = ask;

  return {
    ...backend,
    async call(name, request) {
      try {
        const response = await backend.call(name, request);
        answered();
        return response;
      } catch (error) {
        if (error instanceof Unreachable) silent();
        else if (lost.get() !== null || (error instanceof Unauthorized && name !== whole)) tell(error);
        throw error;
      }
    },
    subscribe: (listener) => backend.subscribe(listener, ask),
  };
}
