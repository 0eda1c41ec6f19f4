/** The desktop window's host. The only module that imports the Tauri API. */
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type { DesktopState, Event } from "@/bindings";
import {
  ApiFailure,
  type Backend,
  type CommandName,
  readApiError,
  type Request,
  type Response,
  Unreachable,
} from "./backend";

/** True if this page runs inside the desktop window. */
export function insideDesktop(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

/** Invokes a command of the shell; what it refuses becomes what every host throws. */
async function ask<T>(command: string, arguments_: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(command, arguments_);
  } catch (cause) {
    const error = readApiError(cause);
    throw error ? new ApiFailure(error) : new Unreachable(cause instanceof Error ? cause.message : String(cause));
  }
}

function call<K extends CommandName>(name: K, request: Request<K>): Promise<Response<K>> {
  return ask("call", { name, payload: request });
}

/** The tray and messages send the window to a place, given as the fragment of an address. */
function followPlaces(): void {
  void listen<string>("retrace-go", ({ payload }) => {
    if (payload.startsWith("#/")) window.location.hash = payload;
  });
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
  followPlaces();
  return {
    call,
    subscribe,
    platform: {
      kind: "desktop",
      pickDirectory: () => invoke<string | null>("pick_directory"),
      desktop: {
        state: () => ask<DesktopState>("desktop", {}),
        set: (settings) => ask<DesktopState>("set_desktop", { settings }),
      },
    },
  };
}
