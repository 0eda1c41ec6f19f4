/** Turns events into reads that have to be made again. */
import type { Query, QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Event, WRITES } from "@/bindings";
import type { Backend, CommandName } from "@/host";
import { useBackend } from "./backend";
import { readInboxAnew } from "./inbox";
import { setProgress } from "./progress";

/** Events come in bursts while files are written; reads are made again at most once in so many milliseconds. */
const BURST_MS = 150;

const FOLLOWS_LOG = new Set([
  "status",
  "stores",
  "inbox",
  "inbox_kinds",
  "origin",
  "timeline",
  "log",
  "memories",
  "activity",
  "search",
  "restore",
  "rollback",
  "undo",
  "health",
  "expiry",
  "finding_rules",
  "move_entry",
  "expire",
  "allow_finding",
  "strip_characters",
  "remotes",
  "remote_queue",
  "queued_conflict",
  "compare_stores",
  "accept_memories",
  "check_mounts",
]);

const FOLLOWS_STORES = new Set([
  "stores",
  "status",
  "health",
  "expiry",
  "inbox",
  "inbox_kinds",
  "discover",
  "memories",
  "timeline",
  "remotes",
  "remote_queue",
  "queued_conflict",
  "check_mounts",
  // A redaction at a host is done when it is sent.
  "receipts",
]);

/** Reads that say who wrote a version. */
const SHOWS_WRITERS = new Set(["inbox", "log", "timeline", "show", "origin", "session_writes", "blame"]);

/** True if a read shows a live file or directory rather than a recorded version, which never changes. */
function readsLive(request: unknown): boolean {
  if (typeof request !== "object" || request === null) return false;
  const targets = ["target", "a", "b"].map((field) => (request as Record<string, unknown>)[field]);
  return targets.some((target) => typeof target === "string" && !target.startsWith("memver_"));
}

/** True if an event of this type makes the answer to a read stale. */
export function concerns(type: Event["type"], [name, request]: readonly unknown[]): boolean {
  switch (type) {
    case "advanced":
      return FOLLOWS_LOG.has(String(name)) || readsLive(request);
    case "stores":
      return FOLLOWS_STORES.has(String(name));
    case "receipts":
      // A redaction takes content out of versions that otherwise never change.
      return name !== "discover";
    case "transcripts":
      return ["transcripts", "context_memory"].includes(String(name));
    case "origins":
      return SHOWS_WRITERS.has(String(name));
    case "progress":
      return false;
  }
}

const CONTENTS = new Set(["document", "diff", "show", "search"]);

/**
 * Reads that go through every file of every store, or through everything left to review. They follow at most once in so many
 * milliseconds, and never two at once.
 */
const SLOW = new Set(["health", "expiry", "inbox_kinds"]);
const SLOW_MS = 2000;

const isSlow = ({ queryKey }: Query) => SLOW.has(String(queryKey[0]));

/** Those that wait also after a review by this window: it changes no file, but how much is left of each kind. */
const isSlowFile = (query: Query) => isSlow(query) && query.queryKey[0] !== "inbox_kinds";

/** Events that slow reads wait for, by cache. */
const waiting = new WeakMap<QueryClient, Set<Event["type"]>>();

/** Makes slow reads again in a while, together with all that happens until then. */
function refreshSlowLater(queries: QueryClient, types: readonly Event["type"][]): void {
  const known = waiting.get(queries);
  types.forEach((type) => known?.add(type));
  if (known) return;
  waiting.set(queries, new Set(types));
  const read = () => {
    if (queries.isFetching({ predicate: isSlow }) > 0) return void setTimeout(read, SLOW_MS);
    const happened = [...(waiting.get(queries) ?? [])];
    waiting.delete(queries);
    const predicate = (query: Query) => isSlow(query) && happened.some((type) => concerns(type, query.queryKey));
    void queries.invalidateQueries({ predicate });
  };
  setTimeout(read, SLOW_MS);
}

/** Lets the components see the answers of one round before the next one starts. */
const rendered = () => new Promise<void>((done) => setTimeout(done));

/**
 * Reads again what the collected events concern. After a redaction nothing that was read before may show again, not even
 * for a moment: it leaves the cache. Live files come after the list of what there is, so that a file that has just gone
 * is not asked for.
 */
async function refresh(
  queries: QueryClient,
  types: readonly Event["type"][],
  waits: ((query: Query) => boolean) | null,
): Promise<void> {
  const concerned = (query: Query) => !waits?.(query) && types.some((type) => concerns(type, query.queryKey));
  if (waits) refreshSlowLater(queries, types);
  if (types.includes("origins") || types.includes("receipts")) readInboxAnew(queries);
  const isLive = ({ queryKey }: Query) => readsLive(queryKey[1]);
  const redacted = types.includes("receipts");
  const isReset = (query: Query) => redacted && CONTENTS.has(String(query.queryKey[0])) && !isLive(query);
  if (redacted) {
    queries.removeQueries({ type: "inactive", predicate: concerned });
    void queries.resetQueries({ predicate: isReset });
  }
  await queries.invalidateQueries({ predicate: (query) => concerned(query) && !isLive(query) && !isReset(query) });
  await rendered();
  await queries.invalidateQueries({ predicate: (query) => concerned(query) && isLive(query) });
}

/** Commands that change which stores there are, or what is said of them: here, at a host, in the queue. */
const OF_STORES = /_(store|remote|queued|host_key)$/;

/** Commands after which the rules find what they found before. A rejection changes files; the recorder tells of those. */
const REVIEWS = new Set<CommandName>(["review", "review_up_to", "undo_review"]);

/** The events that a command brings about. */
function eventsOf(name: CommandName): Event["type"][] {
  if (name === "redact" || name === "recheck_receipt") return ["advanced", "receipts"];
  return OF_STORES.test(name) ? ["advanced", "stores"] : ["advanced"];
}

/** A backend whose writes make the cache stale at once, also where events are late or do not arrive. */
export function withRefresh(backend: Backend, queries: QueryClient): Backend {
  return {
    ...backend,
    async call(name, request) {
      const response = await backend.call(name, request);
      const dryRun = "dry_run" in request && request.dry_run === true;
      if (!WRITES.has(name) || dryRun) return response;
      // A review changes no file; whoever does something else may look at what the rules say of it.
      const reading = refresh(queries, eventsOf(name), REVIEWS.has(name) ? isSlowFile : null);
      // The receipt must be among the receipts when somebody goes to it.
      if (name === "redact") await reading;
      else void reading;
      return response;
    },
  };
}

/** Keeps the cache in step with the program. Used once, at the top. */
export function useLiveUpdates(queries: QueryClient): void {
  const backend = useBackend();
  useEffect(() => {
    const collected = new Set<Event["type"]>();
    let timer: number | undefined;
    const flush = () => {
      timer = undefined;
      void refresh(queries, [...collected], collected.has("receipts") ? null : isSlow);
      collected.clear();
    };
    const stop = backend.subscribe((event) => {
      if (event.type === "progress") {
        setProgress(event);
        return;
      }
      collected.add(event.type);
      timer ??= window.setTimeout(flush, BURST_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [backend, queries]);
}
