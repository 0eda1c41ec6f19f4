/** Turns events into reads that have to be made again. */
import type { Query, QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { EVENT_TAGS, INVALIDATES, PROVIDES, type Tag } from "@/bindings";
import type { Backend, CommandName } from "@/host";
import { useBackend } from "./backend";
import { setProgress } from "./progress";

/** Events come in bursts while files are written; reads are made again at most once in so many milliseconds. */
const BURST_MS = 150;

/** Tags of a read's answer, as the program's table of commands says it. */
function shows(query: Pick<Query, "queryKey" | "state">): readonly Tag[] {
  const name = String(query.queryKey[0]);
  const tags: readonly Tag[] = name in PROVIDES ? PROVIDES[name as CommandName] : [];
  return isFixed(query.state.data) ? tags.filter((tag) => tag !== "files") : tags;
}

/** True if an answer says that it shows recorded versions only, which stay as they are. */
function isFixed(data: unknown): boolean {
  return typeof data === "object" && data !== null && "live" in data && data.live === false;
}

/** True if a change of these tags makes the answer to a read stale. */
export function concerns(changed: ReadonlySet<Tag>, query: Pick<Query, "queryKey" | "state">): boolean {
  return shows(query).some((tag) => changed.has(tag));
}

/**
 * Reads that go through every file of every store, or through everything left to review. They follow at most once in so many
 * milliseconds, and never two at once.
 */
const SLOW = new Set(["health", "expiry", "inbox_kinds"]);
const SLOW_MS = 2000;

const isSlow = ({ queryKey }: Query) => SLOW.has(String(queryKey[0]));

/** Those that wait also after a review by this window: it changes no file, but how much is left of each kind. */
const isSlowFile = (query: Query) => isSlow(query) && query.queryKey[0] !== "inbox_kinds";

/** Changes that slow reads wait for, by cache. */
const waiting = new WeakMap<QueryClient, Set<Tag>>();

/** Makes slow reads again in a while, together with all that happens until then. */
function refreshSlowLater(queries: QueryClient, changed: ReadonlySet<Tag>): void {
  const known = waiting.get(queries);
  changed.forEach((tag) => known?.add(tag));
  if (known) return;
  waiting.set(queries, new Set(changed));
  const read = () => {
    if (queries.isFetching({ predicate: isSlow }) > 0) return void setTimeout(read, SLOW_MS);
    const happened = waiting.get(queries) ?? new Set<Tag>();
    waiting.delete(queries);
    const predicate = (query: Query) => isSlow(query) && concerns(happened, query);
    void queries.invalidateQueries({ predicate });
  };
  setTimeout(read, SLOW_MS);
}

/** Lets the components see the answers of one round before the next one starts. */
const rendered = () => new Promise<void>((done) => setTimeout(done));

/**
 * Reads again what shows the tags that changed. After a redaction no text that was read before may show again, not even
 * for a moment: it leaves the cache. Live files come after the list of what there is, so that a file that has just gone
 * is not asked for.
 */
async function refresh(
  queries: QueryClient,
  changed: ReadonlySet<Tag>,
  waits: ((query: Query) => boolean) | null,
): Promise<void> {
  const concerned = (query: Query) => !waits?.(query) && concerns(changed, query);
  if (waits) refreshSlowLater(queries, changed);
  const redacted = changed.has("contents");
  const isLive = (query: Query) => shows(query).includes("files");
  const isReset = (query: Query) => redacted && shows(query).includes("contents") && !isLive(query);
  if (redacted) {
    queries.removeQueries({ type: "inactive", predicate: concerned });
    void queries.resetQueries({ predicate: isReset });
  }
  await queries.invalidateQueries({ predicate: (query) => concerned(query) && !isLive(query) && !isReset(query) });
  await rendered();
  await queries.invalidateQueries({ predicate: (query) => concerned(query) && isLive(query) });
}

/** A backend whose writes make the cache stale at once, also where events are late or do not arrive. */
export function withRefresh(backend: Backend, queries: QueryClient): Backend {
  return {
    ...backend,
    async call(name, request) {
      const response = await backend.call(name, request);
      const dryRun = "dry_run" in request && request.dry_run === true;
      const changed = new Set(INVALIDATES[name]);
      if (changed.size === 0 || dryRun) return response;
      // After a review the rules find what they found before; files that a rejection changed are told by the recorder.
      const isReview = changed.has("reviews") && !changed.has("stores");
      const reading = refresh(queries, changed, isReview ? isSlowFile : null);
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
    const collected = new Set<Tag>();
    let timer: number | undefined;
    const flush = () => {
      timer = undefined;
      const changed = new Set(collected);
      collected.clear();
      void refresh(queries, changed, changed.has("contents") ? null : isSlow);
    };
    const stop = backend.subscribe((event) => {
      if (event.type === "progress") {
        setProgress(event);
        return;
      }
      EVENT_TAGS[event.type].forEach((tag) => collected.add(tag));
      timer ??= window.setTimeout(flush, BURST_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [backend, queries]);
}
