/** Chooses the host this page runs in. */
import type { Backend } from "./backend";
import { httpBackend, isOfHub, takeToken } from "./http";
import { insideDesktop, tauriBackend } from "./tauri";

export * from "./backend";

/** The program behind this window. Call it once. */
export async function connect(): Promise<Backend> {
  // The mode is a constant of the build: in a shipped bundle this branch and the fake are not there.
  if (import.meta.env.MODE === "fake") {
    const { fakeBackend } = await import("./fake");
    // Its strings to pull, for who looks at the window by hand.
    return Object.assign(window, { fake: fakeBackend() }).fake;
  }
  if (insideDesktop()) return tauriBackend();
  const ofHub = isOfHub(document);
  return httpBackend({
    fetch: window.fetch.bind(window),
    token: ofHub ? null : takeToken(window.location, window.history, window.sessionStorage),
    ofHub,
    later: (run, milliseconds) => void window.setTimeout(run, milliseconds),
  });
}
