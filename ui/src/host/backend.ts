/**
 * The seam between the window and the program behind it. Everything the window knows comes through [`Backend`]; what is
 * behind it (the desktop shell, HTTP, or a test's memory) is chosen once, in `host/index.ts`.
 */
import type { ApiError, Commands, DesktopSettings, DesktopState, ErrorMessages, Event, Message } from "@/bindings";

/** A name of a command. */
export type CommandName = keyof Commands;

/** Request of a command. Fields may be left out where the program has a default. */
export type Request<K extends CommandName> = Partial<Commands[K]["request"]>;

/** Response of a command. */
export type Response<K extends CommandName> = Commands[K]["response"];

/** Abilities of some hosts only. */
export interface Platform {
  /** `desktop` is the native window, `browser` a page of `retrace serve`, `memory` a test. */
  kind: "desktop" | "browser" | "memory";
  /** True where a hub serves this page: there is no machine behind it, and it answers commands of the hub alone. */
  ofHub?: boolean;
  /** Opens the system's directory dialog; absent where there is none. Gives the chosen directory, or null. */
  pickDirectory?: () => Promise<string | null>;
  /** The tray and messages; absent where there are none. */
  desktop?: {
    /** Chosen settings, and what this desktop can do. */
    state: () => Promise<DesktopState>;
    /** Keeps what was chosen. */
    set: (settings: DesktopSettings) => Promise<DesktopState>;
  };
}

/** The program behind the window. */
export interface Backend {
  /**
   * Runs a command.
   *
   * Rejects with [`ApiFailure`] when the program refused, [`Unauthorized`] when it does not know this page, and
   * [`Unreachable`] when there was no answer.
   */
  call<K extends CommandName>(name: K, request: Request<K>): Promise<Response<K>>;
  /**
   * Listens to events until the returned function is called. `broken` is called whenever events stop to come, which may be
   * the first that is known of a program that is gone.
   */
  subscribe(listener: (event: Event) => void, broken?: () => void): () => void;
  /** Abilities of this host. */
  platform: Platform;
}

/** The program refused a command or failed at it. */
export class ApiFailure extends Error {
  /** Error of the program. */
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.name = "ApiFailure";
    this.error = error;
  }
}

/** The program does not accept this page's token. */
export class Unauthorized extends Error {
  constructor() {
    super("the token is missing or was refused");
    this.name = "Unauthorized";
  }
}

/** There was no answer. */
export class Unreachable extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Unreachable";
  }
}

/** Reads an `ApiError` out of anything, bare or as `{ error }`; null when there is none. */
export function readApiError(value: unknown): ApiError | null {
  if (typeof value !== "object" || value === null) return null;
  if ("error" in value) return readApiError(value.error);
  if (!("code" in value) || typeof value.code !== "string" || !("message" in value)) return null;
  const text = (field: unknown) => (typeof field === "string" ? field : "");
  const messages = "messages" in value ? readMessages(value.messages) : null;
  return {
    code: value.code as ApiError["code"],
    message: text(value.message),
    hint: "hint" in value ? text(value.hint) : "",
    subject: "subject" in value ? text(value.subject) : "",
    // Without their ids, sentence and advice are English for a terminal in every language of the window.
    ...(messages && { messages }),
  };
}

/** Sentence and advice with their ids; null where an older program, or another server, sent none. */
function readMessages(value: unknown): ErrorMessages | null {
  if (typeof value !== "object" || value === null || !("message" in value) || !("hint" in value)) return null;
  const { message, hint } = value;
  return isMessage(message) && isMessage(hint) ? { message, hint } : null;
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("id" in value && "text" in value && "args" in value))
    return false;
  const { id, text, args } = value;
  return typeof id === "string" && typeof text === "string" && typeof args === "object" && args !== null;
}
