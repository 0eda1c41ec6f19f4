/** The desktop window's host. The only module that imports the Tauri API. */
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { Event } from "@/bindings";
import {
  ApiFailure,
  type Backend,
  type CommandName,
  readApiError,
  type Request,
  type Response,
  Unreachable,
} from "./backend";

/** Whether this page runs inside the desktop window. */
export function insideDesktop(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

async function call<K extends CommandName>(name: K, request: Request<K>): Promise<Response<K>> {
  try {
    return await invoke<Response<K>>("call", { name, payload: request });
  } catch (cause) {
    const error = readApiError(cause);
    throw error ? new ApiFailure(error) : new Unreachable(cause instanceof Error ? cause.message : String(cause));
  }
}

function subscribe(listener: (event: Event) => void): () => void {
  let stop: (() => void) | null = null;
  let stopped = false;
  void listen<Event>("retrace-event", ({ payload }) => listener(payload)).then((unlisten) => {
    if (stopped) unlisten();
    else stop = unlisten;
  });
  return () => {
    stopped = true;
    stop?.();
  };
}

/** The desktop shell as a backend. */
export function tauriBackend(): Backend {
  return {
    call,
    subscribe,
    platform: { kind: "desktop", pickDirectory: () => invoke<string | null>("pick_directory") },
  };
}
