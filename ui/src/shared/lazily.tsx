/**
 * Parts of the window that are loaded when they are first shown, or before that, when there is time: a program that is gone
 * by then cannot hand them out any more.
 */
import { createElement, lazy, type ReactNode } from "react";

type Part = (props: object) => ReactNode;

const loads = new Set<() => Promise<unknown>>();

/** Error of a part that could not be loaded, so that it is told from one that cannot be drawn. */
export class NotLoaded extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "NotLoaded";
  }
}

/** A component of a module that is loaded when it is first shown. After a failure it is loaded again when drawn again. */
export function lazily<M, K extends keyof M>(load: () => Promise<M>, name: K): M[K] {
  let held: ReturnType<typeof attempt> | null = null;
  const attempt = () =>
    lazy(() =>
      load().then(
        (module) => ({ default: module[name] as Part }),
        (cause: unknown) => {
          held = null;
          throw new NotLoaded(cause);
        },
      ),
    );
  loads.add(load);
  function Lazily(props: object) {
    return createElement((held ??= attempt()), props);
  }
  return Lazily as M[K];
}

/** Loads everything that is loaded later otherwise, one after the other. What fails is loaded when it is shown. */
export async function loadAll(): Promise<void> {
  for (const load of loads) await load().catch(() => undefined);
}

/** Does that once the window has nothing better to do. */
export function loadAllLater(): void {
  const run = () => void loadAll();
  if ("requestIdleCallback" in window) window.requestIdleCallback(run, { timeout: 5000 });
  else setTimeout(run, 1000);
}
