/**
 * Where the window is. The place lives in the address's fragment: back and forward work, a reload comes back, and the
 * same code serves the desktop and the browser. Secrets never become part of it.
 */
import { useSyncExternalStore } from "react";
import { readKind } from "./kinds";

/** The tabs of a memory. */
export const TABS = ["content", "history", "diff", "reach"] as const;
/** One of [`TABS`]. */
export type Tab = (typeof TABS)[number];

/** The views of the screen of health. */
export const HEALTH_VIEWS = ["findings", "worth", "expiry", "rules"] as const;
/** One of [`HEALTH_VIEWS`]. */
export type HealthView = (typeof HEALTH_VIEWS)[number];

/** The views of the screen of stores, beside the stores of this machine. */
export const STORES_VIEWS = ["hosted", "dreams", "compare"] as const;
/** One of [`STORES_VIEWS`]. */
export type StoresView = (typeof STORES_VIEWS)[number];

/** The views of the screen of the hub. */
export const HUB_VIEWS = ["inbox", "proposals", "redactions", "sessions", "machines", "audit"] as const;
/** One of [`HUB_VIEWS`]. */
export type HubView = (typeof HUB_VIEWS)[number];

/** The place of the screen of the hub. */
export interface HubRoute {
  screen: "hub";
  /** View; the inbox of all machines when absent. */
  view?: HubView | undefined;
  /** Chosen version of the inbox, `memver_…@machine_…`. */
  version?: string | undefined;
}

/** The place of the screen of stores. */
export interface StoresRoute {
  screen: "stores";
  /** Store, `memstore_…`. */
  store?: string | undefined;
  /** View; the stores of this machine when absent. */
  view?: StoresView | undefined;
  /** Host whose dreams are shown, by its base URL. */
  host?: string | undefined;
  /** With `compare`, the store as it is: `STORE` or `STORE@TIME`. */
  from?: string | undefined;
  /** With `compare`, the store as it might be. */
  to?: string | undefined;
}

/** The place of the screen of memories. */
export interface MemoriesRoute {
  screen: "memories";
  /** Store, `memstore_…`. */
  store?: string | undefined;
  /** Memory, `mem_…`. */
  memory?: string | undefined;
  /** Selected version; the newest when absent. */
  version?: string | undefined;
  /** Version the selected one is compared with; the one before it when absent. */
  base?: string | undefined;
  /** Tab; content when absent. */
  tab?: Tab | undefined;
  /** Line to bring into view. */
  line?: number | undefined;
  /** The directory as of this operation. */
  at?: number | undefined;
  /** Instruction file to show instead, by its path; `all` for the page of all. */
  instruction?: string | undefined;
  /** View of the store instead of a memory. */
  view?: "snapshot" | undefined;
  /** Only memories of this kind, as `state/kinds.ts` has them. */
  kind?: string | undefined;
}

/** The place of the inbox. */
export interface InboxRoute {
  screen: "inbox";
  /** Store, `memstore_…`; all when absent. */
  store?: string | undefined;
  /** Memory, `mem_…`. */
  memory?: string | undefined;
  /** Only memories of this kind, as `state/kinds.ts` has them. */
  kind?: string | undefined;
}

/** The page of a session. */
export interface SessionRoute {
  screen: "session";
  /** Its id as the agent writes it. */
  session: string;
}

/** Where a finding stands; the text it is about is never part of an address. */
export interface FindingRoute {
  store: string;
  path: string;
  rule: string;
  /** First byte in the file. */
  start: number;
}

/** A place in the window. */
export type Route =
  | InboxRoute
  | MemoriesRoute
  | { screen: "timeline"; store?: string | undefined; operation?: number | undefined; version?: string | undefined }
  | {
      screen: "redactions";
      receipt?: string | undefined;
      versions?: string[] | undefined;
      finding?: FindingRoute | undefined;
    }
  | { screen: "rules"; rule?: string | undefined }
  | { screen: "health"; store?: string | undefined; view?: HealthView | undefined }
  | StoresRoute
  | HubRoute
  | SessionRoute
  | ContextRoute
  | { screen: "settings" };

/** The context lab. */
export interface ContextRoute {
  screen: "context";
  /** The run. */
  transcript?: string | undefined;
  /** The request whose messages are opened; people count from 1. */
  turn?: number | undefined;
  /** The request under the cursor, in place of the peak; people count from 1. */
  at?: number | undefined;
  /** Settings to try, in place of the answer. */
  view?: "settings" | undefined;
  /** Version of a memory, `memver_…`, whose lines are marked in the request. */
  mark?: string | undefined;
  /** Line of it to bring into view. */
  line?: number | undefined;
}

/** Names of the screens. */
export type Screen = Route["screen"];

/** Where the window starts. */
export const START: Route = { screen: "inbox" };

function positive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

function findingOf(query: URLSearchParams): FindingRoute | undefined {
  const [store, path, rule] = [query.get("store"), query.get("path"), query.get("rule")];
  const start = query.get("start") ?? "";
  return store && path && rule && /^\d{1,15}$/.test(start) ? { store, path, rule, start: Number(start) } : undefined;
}

/** Reads the fragment of an address; anything it does not know becomes [`START`]. */
export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name) || undefined;
  switch (path) {
    case "inbox":
      return { screen: "inbox", store: text("store"), memory: text("memory"), kind: readKind(query.get("kind")) };
    case "memories":
      return {
        screen: "memories",
        store: text("store"),
        memory: text("memory"),
        version: text("version"),
        base: text("base"),
        tab: TABS.find((tab) => tab === query.get("tab")),
        line: positive(query.get("line")),
        at: positive(query.get("at")),
        instruction: text("instruction"),
        view: query.get("view") === "snapshot" ? "snapshot" : undefined,
        kind: readKind(query.get("kind")),
      };
    case "timeline":
      return {
        screen: "timeline",
        store: text("store"),
        operation: positive(query.get("operation")),
        version: text("version"),
      };
    case "redactions": {
      const versions = query.getAll("versions");
      return {
        screen: "redactions",
        receipt: text("receipt"),
        versions: versions.length > 0 ? versions : undefined,
        finding: findingOf(query),
      };
    }
    case "rules":
      return { screen: "rules", rule: text("rule") };
    case "health":
      return {
        screen: "health",
        store: text("store"),
        view: HEALTH_VIEWS.find((view) => view === query.get("view")),
      };
    case "stores":
      return {
        screen: "stores",
        store: text("store"),
        view: STORES_VIEWS.find((view) => view === query.get("view")),
        host: text("host"),
        from: text("from"),
        to: text("to"),
      };
    case "hub":
      return {
        screen: "hub",
        view: HUB_VIEWS.find((view) => view === query.get("view")),
        version: text("version"),
      };
    case "context":
      return {
        screen: "context",
        transcript: text("transcript"),
        turn: positive(query.get("turn")),
        at: positive(query.get("at")),
        view: query.get("view") === "settings" ? "settings" : undefined,
        mark: text("mark"),
        line: positive(query.get("line")),
      };
    case "session": {
      const session = text("session");
      return session === undefined ? { screen: "timeline" } : { screen: "session", session };
    }
    case "settings":
      return { screen: "settings" };
    default:
      return START;
  }
}

/** Writes a place as the fragment of an address. */
export function formatRoute({ screen, ...rest }: Route): string {
  const query = new URLSearchParams();
  type Value = string | number | string[] | undefined;
  const flat = { ...rest, ...("finding" in rest ? { finding: undefined, ...rest.finding } : {}) };
  for (const [name, value] of Object.entries(flat) as [string, Value][]) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one));
  }
  const search = query.toString();
  return `#/${screen}${search ? `?${search}` : ""}`;
}

let last: { hash: string; route: Route } = { hash: "", route: START };

function current(): Route {
  const { hash } = window.location;
  if (hash !== last.hash) last = { hash, route: parseRoute(hash) };
  return last.route;
}

function watch(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The place the window is at. */
export function useRoute(): Route {
  return useSyncExternalStore(watch, current);
}

/** Goes to a place. With `replace` the way back skips the present one. */
export function navigate(route: Route, { replace = false } = {}): void {
  const hash = formatRoute(route);
  if (hash === window.location.hash) return;
  if (!replace) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}
