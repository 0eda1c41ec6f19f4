/**
 * The browser's host: the commands over HTTP, events as a stream. The token comes in the address's fragment, which no
 * server and no log ever sees, and is taken out of the address bar at once.
 */
import type { Event } from "@/bindings";
import {
  ApiFailure,
  type Backend,
  type CommandName,
  readApiError,
  type Request,
  type Response as CommandResponse,
  Unauthorized,
  Unreachable,
} from "./backend";
import { EventStreamParser } from "./sse";

const TOKEN_KEY = "retrace.token";
/** First and longest pause before the event stream is opened again, in milliseconds. */
const RETRY_MS = { first: 500, most: 15_000 };

/** True for a page that a hub serves: it says so in its head. */
export function isOfHub(page: Document): boolean {
  return page.querySelector('meta[name="retrace-served-by"]')?.getAttribute("content") === "hub";
}

/** Moves the token from the address to the session's storage, and gives the one to use; null when there is none. */
export function takeToken(place: Location, history: History, storage: Storage): string | null {
  const parameters = new URLSearchParams(place.hash.replace(/^#/, ""));
  const token = parameters.get("token");
  if (token) {
    storage.setItem(TOKEN_KEY, token);
    history.replaceState(null, "", place.pathname + place.search);
  }
  return storage.getItem(TOKEN_KEY);
}

/** Browser functions that the host needs, so that a test can stand in for it. */
export interface HttpOptions {
  /** Sends requests. */
  fetch: typeof fetch;
  /** Token of the requests; null when the address brought none. */
  token: string | null;
  /** True on a page that a hub serves. Its session is in a cookie that no script reads, and it tells no events. */
  ofHub?: boolean;
  /** Runs a function after some milliseconds. */
  later: (run: () => void, milliseconds: number) => void;
}

async function failureOf(response: Response): Promise<Error> {
  if (response.status === 401) return new Unauthorized();
  const body: unknown = await response.json().catch(() => null);
  const error = readApiError(body);
  return error ? new ApiFailure(error) : new Unreachable(`the server answered with status ${response.status}`);
}

/** `retrace serve`, or a hub, as a backend. */
export function httpBackend({ fetch, token, later, ofHub = false }: HttpOptions): Backend {
  const authorization: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};

  async function send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      const credentials = ofHub ? "same-origin" : "omit";
      response = await fetch(`/api/v1/${path}`, { credentials, cache: "no-store", ...init });
    } catch (cause) {
      throw new Unreachable(cause instanceof Error ? cause.message : String(cause));
    }
    if (!response.ok) throw await failureOf(response);
    return response;
  }

  async function call<K extends CommandName>(name: K, request: Request<K>): Promise<CommandResponse<K>> {
    const headers = { "Content-Type": "application/json", ...authorization };
    const response = await send(name, { method: "POST", headers, body: JSON.stringify(request) });
    return (await response.json()) as CommandResponse<K>;
  }

  async function readEvents(listener: (event: Event) => void, signal: AbortSignal, opened: () => void): Promise<void> {
    const response = await send("events", { headers: { Accept: "text/event-stream", ...authorization }, signal });
    const reader = response.body?.getReader();
    if (!reader) throw new Unreachable("the event stream is empty");
    opened();
    const decoder = new TextDecoder();
    const parser = new EventStreamParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const data of parser.push(decoder.decode(value, { stream: true }))) listener(JSON.parse(data) as Event);
    }
  }

  function subscribe(listener: (event: Event) => void, broken?: () => void): () => void {
    const abort = new AbortController();
    let pause = RETRY_MS.first;
    let first = true;
    const open = () => {
      if (abort.signal.aborted) return;
      const opened = () => {
        pause = RETRY_MS.first;
        // Events while nobody listened are not sent again: look everywhere once.
        if (!first) for (const event of EVERYTHING) listener(event);
        first = false;
      };
      readEvents(listener, abort.signal, opened)
        .catch((error: unknown) => error)
        .then((error) => {
          if (!abort.signal.aborted) broken?.();
          // A refused token does not become right by asking again.
          if (error instanceof Unauthorized) return;
          later(open, pause);
          pause = Math.min(pause * 2, RETRY_MS.most);
        })
        .catch(() => undefined);
    };
    open();
    return () => abort.abort();
  }

  if (ofHub) return { call, subscribe: () => () => undefined, platform: { kind: "browser", ofHub } };
  return { call, subscribe, platform: { kind: "browser" } };
}

const EVERYTHING: Event[] = [
  { type: "advanced", cursor: 0 },
  { type: "stores" },
  { type: "receipts" },
  { type: "transcripts" },
  { type: "origins" },
];
