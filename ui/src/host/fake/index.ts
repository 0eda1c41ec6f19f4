/**
 * The program in memory, for tests and for looking at the window without a program. It is in no shipped bundle: only a
 * build with the mode `fake` and the tests load it.
 */
import { verbatim } from "./verbatim";
import type {
  DiffSide,
  Document,
  Event,
  Hit,
  Receipt,
  RedactionMatch,
  StoreKind,
  StoreState,
  Version,
} from "@/bindings";
import {
  type ApiFailure,
  type Backend,
  type CommandName,
  type Platform,
  type Request,
  type Response,
  Unreachable,
} from "@/host/backend";
import { kindOf } from "./kinds";
import { fakeCut } from "./cut";
import { FakeHub } from "./hub";
import { healthHandlers } from "./health";
import { anyRecorded, everyRecorded, recorded } from "./fixtures";
import { FakeInbox } from "./inbox";
import { clusterDifference } from "./triage";
import { type FakeLab, labHandlers, newLab } from "./lab";
import type { FakeLog } from "./log";
import { EMPTY_ACT, type FakeStore, type FakeVersion, refuse } from "./log";
import { checkMounts } from "./mounts";
import { FakeProjects } from "./projects";
import { FakeRemote } from "./remote";
import { FakeRules } from "./rules";
import { seededLog } from "./seed";
import { origin, sessionStory, sessionWrites } from "./origins";
import { diffTexts, documentLines, fakeHash } from "./text";

export { FakeLog } from "./log";

/** The fake with its strings to pull. */
export interface FakeBackend extends Backend {
  /** The log behind it. */
  log: FakeLog;
  /** Unreviewed changes in it. */
  inbox: FakeInbox;
  /** The transcripts and what belongs to the context lab. */
  lab: FakeLab;
  /** The hosts of hosted stores, their mirrors and the queue. */
  remote: FakeRemote;
  /** Projects that appear. */
  projects: FakeProjects;
  /** The hub of many machines; not joined at first. */
  hub: FakeHub;
  /** Confirmed rules, and the settings that hooks were put into. */
  rules: FakeRules;
  /** Every call so far. */
  calls: { name: CommandName; request: unknown }[];
  /** Answers a command otherwise from now on; `usual` gives what the fake would have said. */
  answer<K extends CommandName>(name: K, reply: Answer<K>): void;
  /** Makes the next call of a command fail. */
  failNext(name: CommandName, failure: Error): void;
  /** Keeps back the answer to the next call of a command until the returned function is called. */
  holdNext(name: CommandName): () => void;
  /** Records what changed on disk in every store, and says so. */
  record(): void;
  /** Sends an event. */
  emit(event: Event): void;
  /** Goes away: events end, and nothing is answered until it comes back. */
  goAway(): void;
  /** Comes back. */
  comeBack(): void;
}

/** A test's own answer to a command. */
export type Answer<K extends CommandName> = (request: Request<K>, usual: () => Response<K>) => Response<K>;

/** Commands that the window calls; a command that it does not call yet needs no stand-in. */
type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const SECRET_TEXT = (base64: string) => new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));

function publicVersion({ text: _text, fullPath: _path, ...version }: FakeVersion): Version {
  return version;
}

/** Version that a target names: `memver_…`, `STORE:PATH`, `STORE:PATH@TIME`. */
function resolve(
  log: FakeLog,
  target: string,
): { store: FakeStore; version: FakeVersion | null; text: string | null; path: string } {
  if (target.startsWith("memver_")) {
    const version = log.version(target);
    return { store: log.store(version.store_id), version, text: version.text, path: version.fullPath };
  }
  const colon = target.indexOf(":");
  const store = log.store(target.slice(0, colon));
  const [path = "", at] = target.slice(colon + 1).split("@");
  const head = log.heads(store, at ? Number(at) : undefined).get(path) ?? null;
  const text = at ? (head?.text ?? null) : (store.disk.get(path) ?? null);
  if (text === null) refuse("not_found", `There is no ${path} in ${store.name}.`, path);
  return { store, version: head?.text === text ? head : null, text, path };
}

function documentOf(log: FakeLog, target: string, highlight: boolean): Document {
  const { version, text, path } = resolve(log, target);
  const redacted = version?.redacted_at != null;
  return {
    live: !target.startsWith("memver_"),
    version: version && publicVersion(version),
    path: redacted ? null : path,
    content_sha256: text === null ? null : fakeHash(text),
    content_size_bytes: text === null ? null : new TextEncoder().encode(text).length,
    kind: redacted ? "redacted" : "text",
    lines: text === null ? [] : documentLines(text, highlight),
    truncated: false,
    cut: text !== null && path === "MEMORY.md" ? fakeCut(text) : null,
  };
}

function sideOf(log: FakeLog, target: string, empty = false): DiffSide & { text: string } {
  const { store, version, text, path } = resolve(log, target);
  const redacted = version?.redacted_at != null;
  const content_sha256 = text === null || empty ? null : fakeHash(text);
  const size = text === null || empty ? null : text.length;
  const side = { target, store_id: store.id, version_id: version?.id ?? null, path, content_sha256, redacted };
  return { ...side, content_size_bytes: size, text: empty ? "" : (text ?? "") };
}

function previousOf(log: FakeLog, version: FakeVersion): FakeVersion | null {
  const earlier = log.versions.filter(({ memory_id, seq }) => memory_id === version.memory_id && seq < version.seq);
  return earlier.at(-1) ?? null;
}

function diff(log: FakeLog, { a = "", b = null, words = false, context = null }: Request<"diff">) {
  const sides = () => {
    if (b) return [sideOf(log, a), sideOf(log, b)] as const;
    const { version, store, path } = resolve(log, a);
    if (!a.startsWith("memver_")) return [sideOf(log, log.heads(store).get(path)!.id), sideOf(log, a)] as const;
    const previous = version && previousOf(log, version);
    return [previous ? sideOf(log, previous.id) : sideOf(log, a, true), sideOf(log, a)] as const;
  };
  const [{ text: before, ...from }, { text: after, ...to }] = sides();
  const changes =
    from.redacted || to.redacted ? { added: 0, removed: 0, hunks: [] } : diffTexts(before, after, context ?? 3, words);
  const live = [a, b].some((target) => target !== null && !target.startsWith("memver_"));
  return { live, from, to, truncated: false, binary: false, ...changes };
}

function search(log: FakeLog, { query = "", history = false, store = null, limit = null }: Request<"search">) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: Hit[] = [];
  const live = new Set(log.stores.flatMap((known) => [...log.heads(known).values()]).map(({ id }) => id));
  for (const version of [...log.versions].reverse()) {
    if (!version.text || (!history && !live.has(version.id)) || (store && version.store_id !== store)) continue;
    const lower = version.text.toLowerCase();
    if (words.length === 0 || !words.every((word) => lower.includes(word))) continue;
    const lines = version.text.split("\n");
    const line = lines.findIndex((text) => text.toLowerCase().includes(words[0]!));
    const at = lines[line]!.toLowerCase().indexOf(words[0]!);
    hits.push({
      store_id: version.store_id,
      memory_id: version.memory_id,
      version_id: version.id,
      path: version.path,
      line: line + 1,
      snippet: lines[line]!,
      matches: [[at, at + words[0]!.length]],
      created_at: version.created_at,
      put_back: version.put_back,
    });
  }
  const most = limit ?? 100;
  return { hits: hits.slice(0, most), more: hits.length > most };
}

function redact(log: FakeLog, request: Request<"redact">) {
  const { versions = [], find = null, secret_base64 = null, live = false, reason = null, dry_run = false } = request;
  const { finding = null } = request;
  const found = finding ? log.store(finding.store).disk.get(finding.path)?.slice(finding.start) : undefined;
  const needle = secret_base64 ? SECRET_TEXT(secret_base64) : (found?.match(/^\S+/)?.[0] ?? null);
  if (needle === "" || (!needle && !find && versions.length === 0))
    refuse("invalid", "Nothing to look for.", "secret_base64");
  const pattern = () => new RegExp(needle ? needle.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : find!, "g");
  const stores = log.stores.filter(({ id }) => !request.store || id === request.store);
  const [live_match] = anyRecorded("redact").matches;
  const matches: RedactionMatch[] = [];
  const add = (of: Partial<RedactionMatch>) => matches.push({ ...live_match!, ...of });
  const addMatch = (text: string, of: Partial<RedactionMatch>) => {
    const hits = [...text.matchAll(pattern())].length;
    if (hits === 0) return;
    const lines = text.split("\n");
    const line = lines.findIndex((known) => pattern().test(known));
    const masked = lines[line]?.replace(pattern(), (hit) => "█".repeat(hit.length)) ?? null;
    add({ ...of, line: line + 1, masked, hits });
  };
  for (const store of stores)
    for (const [path, text] of needle || find ? store.disk : [])
      addMatch(text, { place: "live", store_id: store.id, path, action: live ? "replace_in_place" : "left" });
  const chosen = log.versions.filter(({ id, store_id, text }) => {
    if (versions.includes(id)) return true;
    return (
      versions.length === 0 && text !== null && stores.some((store) => store.id === store_id) && pattern().test(text)
    );
  });
  for (const { store_id, id, path, text } of chosen) {
    const of = { place: "version", store_id, version_id: id, path, action: "redact_version" } as const;
    if (versions.length === 0) addMatch(text!, of);
    else add({ ...of, line: null, masked: null, hits: 0 });
  }
  const warnings =
    needle && needle.length < 8 ? recorded("redact", { secret_base64: btoa("live"), dry_run: true }).warnings : [];
  const base = { ...EMPTY_ACT, dry_run, matches, warnings };
  if (matches.length === 0) refuse("not_found", "Nothing recorded and no live file matches.");
  if (dry_run) return base;
  let live_files = 0;
  if (live)
    for (const store of stores)
      for (const [path, text] of store.disk) {
        const replaced = text.replace(pattern(), "[redacted]");
        if (replaced !== text) {
          store.disk.set(path, replaced);
          live_files += 1;
        }
      }
  for (const version of chosen)
    Object.assign(version, {
      text: null,
      path: null,
      content_sha256: null,
      content_size_bytes: null,
      content_kind: null,
      redacted_at: log.now.toISOString(),
    });
  for (const store of stores) if (live) log.scan(store, { source: "redact" });
  const done = everyRecorded("desk", "redact").find((one) => one.receipt !== null)!.receipt!;
  const receipt: Receipt = {
    ...structuredClone(done),
    id: `receipt_${fakeHash(String(log.receipts.length)).slice(0, 26)}`,
    created_at: log.now.toISOString(),
    reason,
    method: needle ? "secret" : find ? "find" : "versions",
    operation_seq: log.operations.length,
    versions: chosen.length,
    live_files,
    purge: "pending",
  };
  log.receipts.unshift(receipt);
  return { ...base, receipt };
}

/** Takes back what a session wrote; what it is only likely to have written where it is included. */
function rollbackSession(log: FakeLog, request: Request<"rollback">, session: string) {
  const { include = [], except = [], dry_run = false } = request;
  const wrote = log.versions.filter(
    ({ created_by }) => created_by?.type === "session_actor" && created_by.session_id === session,
  );
  const evidence = (version: FakeVersion) =>
    version.created_by?.type === "session_actor" ? version.created_by.evidence : "unknown";
  const unsure = (version: FakeVersion) => ["time_only", "front_matter"].includes(evidence(version));
  const isChosen = (version: FakeVersion) =>
    (!unsure(version) || include.includes(version.id)) && !except.includes(version.id);
  const offered = (version: FakeVersion) => ({
    version_id: version.id,
    store_id: version.store_id,
    path: version.path,
    operation: version.operation,
    created_at: version.created_at,
    confidence: evidence(version),
    first_sight: false,
    included: isChosen(version),
  });
  const likely = wrote.filter((version) => unsure(version) || !isChosen(version)).map(offered);
  const sure = wrote.filter((version) => !unsure(version)).map(offered);
  const chosen = wrote.filter(isChosen);
  const store = log.store(
    (wrote[0] ?? refuse("not_found", "No version is known to be written by this session.")).store_id,
  );
  const wanted = chosen.map(({ fullPath: path, operation_seq }) => ({
    path,
    text: log.heads(store, operation_seq - 1).get(path)?.text ?? null,
  }));
  return { ...log.act(store, wanted, { source: "rollback" }, dry_run), likely, sure };
}

function rollback(log: FakeLog, request: Request<"rollback">) {
  const { to = null, operation_seq = null, dry_run = false, expect = null } = request;
  if (request.session) return rollbackSession(log, request, request.session);
  if (to) {
    const version = log.version(to);
    const store = log.store(version.store_id);
    if (version.redacted_at) refuse("content_redacted", "That version is redacted.", to);
    const path = version.fullPath;
    const live = store.disk.get(path) ?? null;
    const head = log.heads(store).get(path)!;
    const found = live === null ? null : fakeHash(live);
    const expected = expect ?? head.content_sha256;
    if (found !== expected) log.scan(store);
    const conflict = {
      store_id: store.id,
      path,
      expected_sha256: expected,
      found_sha256: found,
      expected_version_id: log.versions.find(({ content_sha256 }) => content_sha256 === expected)?.id ?? null,
      found_version_id: log.heads(store).get(path)?.id ?? null,
      wanted_version_id: to,
      reason: "changed" as const,
      message: verbatim(`${path} changed since the preview.`),
    };
    return log.act(
      store,
      [{ path, text: version.text }],
      { source: "rollback" },
      dry_run,
      found === expected ? [] : [conflict],
    );
  }
  if (operation_seq === null) refuse("invalid", "Say what to roll back.", "to");
  const { store, wanted, conflicts } = log.reversal(operation_seq);
  return log.act(store, wanted, { source: "rollback" }, dry_run, conflicts);
}

function restore(log: FakeLog, { store: name = "", at = "", dry_run = false }: Request<"restore">) {
  const store = log.store(name);
  const then = log.heads(store, Number(at));
  const paths = new Set([...then.keys(), ...store.disk.keys()]);
  const wanted = [...paths].map((path) => ({ path, text: then.get(path)?.text ?? null }));
  return log.act(store, wanted, { source: "restore", note: `as of operation ${at}` }, dry_run);
}

function undo(log: FakeLog, remote: FakeRemote, { operation_seq = null, dry_run = false }: Request<"undo">) {
  const seq = operation_seq ?? log.operations.findLast(({ seq }) => log.operation(seq).undoable)?.seq;
  if (!seq) refuse("invalid", "There is nothing to undo.", "operation_seq");
  const queued = remote.queue.filter((change) => change.operation_seq === seq);
  if (queued.length > 0) {
    const writes = queued.map(({ store_id, path, expected_sha256, content_sha256 }) => {
      return { store_id, path: path ?? "", from_sha256: content_sha256, to_sha256: expected_sha256, diff: null };
    });
    if (dry_run) return { ...EMPTY_ACT, writes };
    remote.withdraw(seq);
    const operation = log.append(log.store(queued[0]!.store_id), [], { source: "rollback", note: `undo of ${seq}` });
    return { ...EMPTY_ACT, dry_run, writes, operation_seq: operation };
  }
  const { store, wanted, conflicts } = log.reversal(seq);
  const result = log.act(store, wanted, { source: "rollback", note: `undo of ${seq}` }, dry_run, conflicts);
  if (result.operation_seq) log.operations.find((known) => known.seq === seq)!.undone_by = result.operation_seq;
  return result;
}

function handlers(
  log: FakeLog,
  inbox: FakeInbox,
  lab: FakeLab,
  remote: FakeRemote,
  projects: FakeProjects,
  hub: FakeHub,
  rules: FakeRules,
): Handlers {
  const refreshed = (store: FakeStore) => {
    const own = log.versions.filter(({ store_id }) => store_id === store.id);
    const live = [...log.heads(store).values()].filter(({ operation }) => operation !== "deleted");
    const { disk: _disk, ...rest } = store;
    return {
      ...rest,
      memories: live.length,
      versions: own.length,
      unreviewed: inbox.count(store.id),
      last_change: own.at(-1)?.created_at ?? null,
    };
  };
  const setState = (name: string, state: StoreState) => {
    const store = log.store(name);
    store.state = state;
    return refreshed(store);
  };
  const pageOf = <T extends { seq: number }>(all: T[], before: number | null, limit: number | null) => {
    const left = all.filter(({ seq }) => before === null || seq < before).reverse();
    const page = left.slice(0, limit ?? 100);
    return { page, next_before: left.length > page.length ? page.at(-1)!.seq : null };
  };
  const checks = healthHandlers(log);
  return {
    ...rules.handlers(),
    ...labHandlers(lab),
    ...checks,
    ...projects.handlers(
      () => checks.health!({ store: null, loads: false }),
      () => lab.transcripts.transcripts.length,
    ),
    ...hub.handlers(),
    ...remote.handlers(refreshed),
    change_reach: () => anyRecorded("change_reach"),
    check_mounts: (request) => checkMounts(log, remote, (store) => inbox.count(store), request),
    share_store: ({ store = "", shared = false }) => refreshed(Object.assign(log.store(store), { shared })),
    mount_store: ({ store = "", directory = null }) => {
      const found = log.store(store);
      if (directory?.includes("full")) refuse("invalid", "The directory is not empty.", directory);
      const root = directory ?? `log:${found.id}`;
      return refreshed(Object.assign(found, { root, mounted: directory !== null }));
    },
    status: () => ({
      ...recorded("status"),
      stores: log.stores.length,
      memories: log.stores.reduce((sum, store) => sum + refreshed(store).memories, 0),
      versions: log.versions.length,
      cursor: log.operations.length,
      last_write: log.versions.at(-1)?.created_at ?? null,
      recordable: log.stores.filter(({ kind }) => kind !== "remote").length,
      recorded: log.stores.filter(({ kind, state }) => kind !== "remote" && state === "recording").length,
      unreviewed: inbox.count(),
      broken_rules: rules.open().length,
      purge_pending: log.receipts.filter(({ purge }) => purge === "pending").length,
      network_calls: lab.counter.calls.length + remote.calls.length,
      first_run: log.stores.length === 0,
    }),
    stores: () => ({ stores: log.stores.map(refreshed) }),
    origin: ({ version = "" }) => origin(log.version(version)),
    session: ({ session = "" }) => sessionStory(log, session),
    session_writes: ({ session = "" }) => sessionWrites(log, session),
    inbox: (request) => inbox.page(request),
    inbox_kinds: (request) => inbox.kinds(request),
    triage: (request) => {
      // Breaks of rules are of no store and of no kind.
      const broken = request.store || request.kind ? [] : rules.open();
      return { ...inbox.triage(request), broken, broken_total: broken.length };
    },
    inbox_items: (request) => inbox.items(request),
    cluster_difference: ({ versions = [] }) => clusterDifference(log, versions),
    review: (request) => inbox.review(request),
    review_up_to: (request) => inbox.reviewUpTo(request),
    undo_review: (request) => inbox.undo(request),
    memories: ({ store = "", at = null }) => {
      const heads = [...log.heads(log.store(store), at ? Number(at) : undefined).values()];
      const live = heads.filter(({ operation }) => operation !== "deleted");
      const count = (id: string) => log.versions.filter(({ memory_id }) => memory_id === id).length;
      return {
        memories: live.map((head) => ({
          id: head.memory_id,
          path: head.fullPath,
          version_id: head.id,
          seq: head.seq,
          content_sha256: head.content_sha256,
          content_size_bytes: head.content_size_bytes,
          content_kind: head.content_kind,
          versions: count(head.memory_id),
          changed_at: head.created_at,
          kind: kindOf(head.fullPath, head.text),
        })),
      };
    },
    document: ({ target = "", highlight = false }) => documentOf(log, target, highlight),
    log: ({ store, path, memory, operation_seq, before = null, limit = null }) => {
      const fits = (version: FakeVersion) =>
        (!store || version.store_id === store) &&
        (!path || version.fullPath === path) &&
        (!memory || version.memory_id === memory) &&
        (!operation_seq || version.operation_seq === operation_seq);
      const { page, next_before } = pageOf(log.versions.filter(fits), before, limit);
      return { versions: page.map(publicVersion), next_before };
    },
    timeline: ({ store, before = null, limit = null }) => {
      const own = log.operations.filter(({ store_id }) => !store || store_id === store);
      const { page, next_before } = pageOf(own, before, limit);
      const operations = page.map(({ seq }) => log.operation(seq));
      return {
        operations: operations.map((known) => ({
          ...known,
          versions: known.versions.map((v) => publicVersion(v as FakeVersion)),
        })),
        next_before,
      };
    },
    activity: ({ store = "" }) => {
      const own = log.operations
        .filter(({ store_id }) => store_id === log.store(store).id)
        .map(({ seq }) => log.operation(seq));
      return {
        marks: own.map(({ seq, created_at, source, created, modified, deleted }) => ({
          operation_seq: seq,
          at: created_at,
          source,
          created,
          modified,
          deleted,
          rebuilt: false,
        })),
      };
    },
    show: ({ version = "", content = false }) => {
      const found = log.version(version);
      return { ...publicVersion(found), ...(content && found.text !== null ? { content: found.text } : {}) };
    },
    diff: (request) => diff(log, request),
    search: (request) => search(log, request),
    receipts: () => ({ receipts: log.receipts.map((receipt) => ({ ...receipt })) }),
    add_store: ({ root = "", kind, name }) => {
      if (log.stores.some((store) => store.root === root))
        refuse("invalid", "That directory is recorded already.", root);
      if (root.includes("missing")) refuse("not_found", `There is no directory ${root}.`, root, "Check the path.");
      const added = log.addStore(root, (kind ?? "plain") as StoreKind, name ?? root.split("/").at(-1)!, {
        "MEMORY.md": "# New\n",
      });
      inbox.takeBaseline(added.id);
      return refreshed(added);
    },
    remove_store: ({ store = "" }) => {
      const found = log.store(store);
      log.stores.splice(log.stores.indexOf(found), 1);
      return refreshed(found);
    },
    pause_store: ({ store = "" }) => setState(store, "paused"),
    resume_store: ({ store = "" }) => setState(store, "recording"),
    relocate_store: ({ store = "", dry_run = false }) => {
      const found = log.store(store);
      if (!dry_run) {
        found.state = "recording";
        found.state_detail = null;
      }
      return { dry_run, store: refreshed(found), directory: found.root, same: 3, changed: 1, new: 2, gone: 0 };
    },
    scan: ({ stores = [] }) => ({
      stores: log.stores
        .filter(({ id }) => stores.length === 0 || stores.includes(id))
        .map((store) => ({
          id: store.id,
          name: store.name,
          state: store.state,
          state_detail: null,
          versions: log.scan(store),
          redacted_back: [],
        })),
    }),
    rollback: (request) => rollback(log, request),
    restore: (request) => restore(log, request),
    undo: (request) => undo(log, remote, request),
    redact: (request) => {
      const chosen = log.versions.filter(({ id }) => request.versions?.includes(id));
      const result = redact(log, request);
      if (!result.dry_run) remote.redact(chosen);
      return result;
    },
    recheck_receipt: ({ receipt = "" }) => {
      const found =
        log.receipts.find(({ id }) => id === receipt) ?? refuse("not_found", "There is no such receipt.", receipt);
      return Object.assign(found, { purge: "done", chain_verified: true });
    },
  };
}

/**
 * How long an answer takes: none, or with a seed in `VITE_ANSWERS_LATE` up to 60 ms, in an order that the seed decides. A
 * test that holds only while answers come at once fails under some seed.
 */
const answerTime = (() => {
  const seed = import.meta.env["VITE_ANSWERS_LATE"] as string | undefined;
  if (!seed) return () => Promise.resolve();
  let state = Number(seed) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return new Promise<void>((done) => setTimeout(done, (state >>> 16) % 60));
  };
})();

/** Makes a fake with the seeded log, or with the one given. */
export function fakeBackend(
  log: FakeLog = seededLog(new Date()),
  platform: Platform = { kind: "memory" },
): FakeBackend {
  const listeners = new Set<(event: Event) => void>();
  const failures = new Map<CommandName, Error>();
  const answers = new Map<CommandName, Answer<never>>();
  const calls: FakeBackend["calls"] = [];
  const emit = (event: Event) => listeners.forEach((listener) => listener(event));
  const lab = newLab();
  const inbox = new FakeInbox(log);
  const remote = new FakeRemote(log, inbox, emit);
  const projects = new FakeProjects(log, emit);
  const hub = new FakeHub();
  const rules = new FakeRules();
  const run = handlers(log, inbox, lab, remote, projects, hub, rules);
  const held = new Map<CommandName, Promise<void>>();
  const ended = new Set<() => void>();
  let away = false;
  return {
    log,
    inbox,
    lab,
    remote,
    projects,
    hub,
    rules,
    calls,
    platform,
    emit,
    answer: (name, reply) => void answers.set(name, reply as unknown as Answer<never>),
    failNext: (name, failure: ApiFailure | Error) => void failures.set(name, failure),
    goAway() {
      away = true;
      ended.forEach((broken) => broken());
    },
    comeBack() {
      away = false;
    },
    holdNext(name) {
      let release = () => undefined as void;
      held.set(name, new Promise((done) => (release = done)));
      return () => release();
    },
    record() {
      for (const store of log.stores) log.scan(store);
      emit({ type: "advanced", cursor: log.operations.length });
    },
    async call<K extends CommandName>(name: K, request: Request<K>): Promise<Response<K>> {
      calls.push({ name, request });
      const failure = failures.get(name);
      failures.delete(name);
      // As with a real program, the answer comes later, even when it is quick.
      await (held.get(name) ?? answerTime());
      held.delete(name);
      if (failure) throw failure;
      if (away) throw new Unreachable("Failed to fetch");
      const before = log.operations.length;
      const handler: ((request: Request<K>) => Response<K>) | undefined = run[name];
      const usual = () => (handler ? handler(request) : recorded(name, request));
      const own = answers.get(name) as Answer<K> | undefined;
      const response = own ? own(request, usual) : usual();
      if (log.operations.length !== before) emit({ type: "advanced", cursor: log.operations.length });
      if (/_store$|_remote$|_queued$|_key$/.test(name)) emit({ type: "stores" });
      if (name === "redact" || name === "recheck_receipt") emit({ type: "receipts" });
      return response;
    },
    subscribe(listener, broken) {
      listeners.add(listener);
      if (broken) ended.add(broken);
      return () => {
        listeners.delete(listener);
        if (broken) ended.delete(broken);
      };
    },
  };
}
