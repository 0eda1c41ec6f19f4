/**
 * Hosted stores in memory: a host with its own stores, mirrors of them in the fake log, a queue fed by acts on a mirror, and
 * dreams. It keeps the rules that the window relies on: nothing is sent before a push, and a push never overwrites a newer
 * edit.
 */
import { verbatim } from "./verbatim";
import type {
  ActorView,
  ActResult,
  ComparedMemory,
  Dream,
  Event,
  MemoryChange,
  QueuedChange,
  QueueState,
  RemoteCall,
  RemoteHost,
  RemoteStore,
} from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { anyRecorded } from "./fixtures";
import type { FakeInbox } from "./inbox";
import { type Change, type FakeLog, type FakeStore, type FakeVersion, refuse } from "./log";
import { byteLength, diffTexts, fakeHash, fileDiff } from "./text";

/** The address of the API itself. */
export const API_URL = "https://api.anthropic.com";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

/** A store at the host. */
export interface FakeHostStore {
  remote_id: string;
  name: string;
  description: string;
  created_at: string;
  archived_at: string | null;
  files: Map<string, string>;
  /** Versions redacted there before anybody mirrored them. */
  never_seen: number;
}

interface Mirror {
  store: FakeStore;
  remote: FakeHostStore;
  base_url: string;
  pulled_at: string | null;
  problem: string | null;
  redacted_at_host: string[];
}

type Queued = QueuedChange & { text: string | null; sent?: true };

const WRITER: ActorView = { type: "session_actor", session_id: "sesn_01FakeHarbourNight", evidence: "stated" };

function hostStore(name: string, description: string, created: string, files: Record<string, string>): FakeHostStore {
  return {
    remote_id: `memstore_01${fakeHash(name).slice(0, 22)}`,
    name,
    description,
    created_at: created,
    archived_at: null,
    files: new Map(Object.entries(files)),
    never_seen: 0,
  };
}

const hashOf = (text: string | undefined | null) => (text == null ? null : fakeHash(text));

/** The host, its mirrors, the queue and the dreams. */
export class FakeRemote {
  /** Stores of the one host there is. */
  readonly stores: FakeHostStore[] = [
    hostStore("Harbour desk", "What the desk agents know of berths and tides", "2031-04-02T09:00:00Z", {
      "berths.md": "# Berths\n\n- Ferries take berth 1 to 4.\n- Pilots wait at berth 9.\n",
      "tides/rounding.md": "# Rounding\n\nTides are rounded to five minutes.\n",
      "people.md": "# People\n\n- The harbour master signs at seven.\n",
    }),
    hostStore("Night shift", "", "2031-03-11T21:30:00Z", { "lamps.md": "# Lamps\n\n- Lit at dusk.\n" }),
    hostStore("Old pilots", "Closed in spring", "2030-01-05T08:00:00Z", { "log.md": "quiet\n" }),
  ];
  /** Key that the host takes. */
  accepted = "key-for-tests";
  /** Keys that are kept, by address. */
  readonly keys = new Map<string, string>();
  /** Set to make every call fail in this way. */
  trouble: "unreachable" | "limited" | null = null;
  readonly mirrors: Mirror[] = [];
  queue: Queued[] = [];
  readonly calls: RemoteCall[] = [];
  dreams: Dream[] = [];
  readonly #log: FakeLog;
  readonly #inbox: FakeInbox;
  readonly #emit: (event: Event) => void;
  #queued = 0;

  constructor(log: FakeLog, inbox: FakeInbox, emit: (event: Event) => void) {
    this.#log = log;
    this.#inbox = inbox;
    this.#emit = emit;
    this.stores[2]!.archived_at = "2031-01-01T00:00:00Z";
    log.divert = (store, changes, operation) => changes.forEach((change) => this.#enqueue(store, change, operation));
    log.withdraw = (operation) => this.withdraw(operation) !== null;
  }

  /** Changes a memory at the host, as an agent there would. */
  write(remote: string, path: string, text: string | null): void {
    const store = this.stores.find(({ remote_id, name }) => remote_id === remote || name === remote)!;
    if (text === null) store.files.delete(path);
    else store.files.set(path, text);
  }

  /** Fails as a host does: without an answer, without a key, or with too many calls. */
  #call(method: string, base_url: string, path: string, sent = 0): void {
    const address = `${base_url}${path}`;
    const answer = (status: number | null) =>
      this.calls.unshift({
        at: this.#log.now.toISOString(),
        method,
        address,
        status,
        sent,
        received: status ? 420 : 0,
      });
    if (this.trouble === "unreachable" || base_url.includes("nowhere")) {
      answer(null);
      refuse("store_unavailable", "The host does not answer.", base_url, "Check the address and the connection.");
    }
    const key = this.keys.get(base_url);
    if (key === undefined) refuse("key_refused", "There is no key for this host.", base_url, "Store one.");
    if (key !== this.accepted) {
      answer(401);
      refuse("key_refused", "The host refused the key.", base_url, "Store another key.");
    }
    if (this.trouble === "limited") {
      answer(429);
      refuse("host_limited", "The host takes no more calls for now.", base_url, "It asks to wait 40 seconds.");
    }
    answer(200);
  }

  #mirror(name: string): Mirror {
    const found = this.mirrors.find(({ store }) => store.id === name || store.name === name);
    return found ?? refuse("not_found", `There is no mirrored store ${name}.`, name);
  }

  #enqueue(store: FakeStore, { path, text }: Change, operation_seq: number): void {
    const head = this.#log.heads(store).get(path);
    const before = store.disk.get(path) ?? null;
    this.#push({
      store_id: store.id,
      store_name: store.name,
      kind: text === null ? "delete" : before === null ? "create" : "update",
      path,
      expected_sha256: hashOf(before),
      content_sha256: hashOf(text),
      content_size_bytes: text === null ? null : byteLength(text),
      operation_seq,
      diff: fileDiff(before, text, path, head?.id ?? null),
      text,
    });
  }

  #push(change: Partial<Queued> & Pick<Queued, "store_id" | "store_name" | "kind">): void {
    this.#queued += 1;
    this.queue.push({
      ...anyRecorded("remote_queue").changes[0]!,
      id: this.#queued,
      path: null,
      version_id: null,
      expected_sha256: null,
      content_sha256: null,
      content_size_bytes: null,
      operation_seq: null,
      created_at: this.#log.now.toISOString(),
      diff: null,
      text: null,
      ...change,
    });
  }

  /** Queues that versions be redacted at their hosts. */
  redact(versions: readonly FakeVersion[]): void {
    for (const { id, store_id } of versions) {
      const mirror = this.mirrors.find(({ store }) => store.id === store_id);
      if (!mirror) continue;
      mirror.redacted_at_host = mirror.redacted_at_host.filter((known) => known !== id);
      this.#push({ store_id, store_name: mirror.store.name, kind: "redact", version_id: id });
    }
  }

  /** Takes back what an operation queued; null when it queued nothing that still waits. */
  withdraw(operation: number): number | null {
    const own = this.queue.filter(({ operation_seq }) => operation_seq === operation);
    if (own.length === 0) return null;
    this.queue = this.queue.filter((change) => !own.includes(change));
    return own.length;
  }

  #pull(mirror: Mirror, job: string | null): { versions: number; problem: string | null } {
    const { store, remote, base_url } = mirror;
    try {
      this.#call("GET", base_url, `/v1/memory_stores/${remote.remote_id}/memory_versions`);
    } catch (cause) {
      mirror.problem = (cause as Error).message;
      return { versions: 0, problem: mirror.problem };
    }
    if (job) this.#emit({ type: "progress", task: job, done: 1, total: 2 });
    store.disk.clear();
    for (const [path, text] of remote.files) store.disk.set(path, text);
    const versions = this.#log.scan(store, { source: "api", by: WRITER });
    mirror.pulled_at = this.#log.now.toISOString();
    mirror.problem = null;
    if (job) this.#emit({ type: "progress", task: job, done: 2, total: 2 });
    return { versions, problem: null };
  }

  #queuedOf(id: number): Queued {
    const found = this.queue.find((change) => change.id === id);
    return found ?? refuse("not_found", "There is no such change in the queue.", String(id));
  }

  /** A change beside what is mirrored now: what it was made on, what is there, what it would make of that. */
  #conflict(id: number): Response<"queued_conflict"> {
    const { text, ...change } = this.#queuedOf(id);
    const { store } = this.#mirror(change.store_id);
    const head = change.path === null ? undefined : this.#log.heads(store).get(change.path);
    const now = head?.text ?? null;
    const base = this.#log.versions.find((version) => version.id === change.diff?.from.version_id);
    return {
      ...anyRecorded("queued_conflict"),
      change,
      base_version_id: base?.id ?? null,
      now_version_id: now === null ? null : (head?.id ?? null),
      now_by: null,
      now_at: head?.created_at ?? null,
      moved_on: hashOf(now) !== change.expected_sha256,
      happened: base && change.path ? fileDiff(base.text, now, change.path, base.id) : null,
      would: change.path ? fileDiff(now, text, change.path, head?.id ?? null) : null,
    };
  }

  #send(change: Queued, mirror: Mirror): void {
    const { files, remote_id } = mirror.remote;
    const base = `/v1/memory_stores/${remote_id}`;
    this.#call("POST", mirror.base_url, `${base}/memories`, change.content_size_bytes ?? 0);
    const settle = (state: string, told: string) => Object.assign(change, { state, message: verbatim(told) });
    if (mirror.remote.archived_at !== null && ["create", "update"].includes(change.kind))
      return void settle("failed", "The store is archived at the host and takes no writes.");
    if (change.kind === "archive") mirror.remote.archived_at = this.#log.now.toISOString();
    if (change.path !== null) {
      if (hashOf(files.get(change.path)) !== change.expected_sha256)
        return void settle("conflict", `${change.path} changed at the host since it was pulled.`);
      if (change.text === null) files.delete(change.path);
      else files.set(change.path, change.text);
      if (change.text === null) mirror.store.disk.delete(change.path);
      else mirror.store.disk.set(change.path, change.text);
      this.#log.append(mirror.store, [{ path: change.path, text: change.text }], { source: "rollback" });
      this.#inbox.takeBaseline(mirror.store.id);
    }
    change.sent = true;
  }

  #row({ store, remote, base_url, pulled_at, problem, redacted_at_host }: Mirror): RemoteStore {
    const queued = this.queue.filter(({ store_id }) => store_id === store.id);
    return {
      ...anyRecorded("remotes").stores[0]!,
      store_id: store.id,
      name: store.name,
      base_url,
      remote_id: remote.remote_id,
      description: remote.description,
      archived_at: remote.archived_at,
      pulled_at,
      problem: problem === null ? null : verbatim(problem),
      versions: this.#log.versions.filter(({ store_id }) => store_id === store.id).length,
      never_seen: remote.never_seen,
      redacted_at_host: redacted_at_host.length,
      redacted_versions: [...redacted_at_host],
      looked_through_at: pulled_at,
      queued: queued.length,
      conflicts: queued.filter(({ state }) => state === "conflict").length,
    };
  }

  #hosts(): RemoteHost[] {
    const urls = new Set([...this.keys.keys(), ...this.mirrors.map(({ base_url }) => base_url)]);
    return [...urls].map((base_url) => ({ base_url, key: this.keys.has(base_url) ? "keyring" : null }));
  }

  #changes(store: string | null) {
    const id = store === null ? null : this.#mirror(store).store.id;
    const own = this.queue.filter(({ store_id }) => id === null || store_id === id);
    return { changes: own.map(({ text: _text, ...change }) => change) };
  }

  #side(target: string): { store: FakeStore; texts: Map<string, { text: string; version: string | null }> } {
    const [name = "", at] = target.split("@");
    const store = this.#log.store(name);
    const time =
      at === undefined ? undefined : Number(at) || this.#log.operations.findLast((o) => o.created_at <= at)?.seq;
    const texts = new Map<string, { text: string; version: string | null }>();
    for (const [path, head] of this.#log.heads(store, at === undefined ? undefined : (time ?? 0)))
      if (head.text !== null) texts.set(path, { text: head.text, version: head.id });
    return { store, texts };
  }

  /** Compares two stores with each other. */
  compare({ from = "", to = "" }: Request<"compare_stores">): Response<"compare_stores"> {
    const [old, fresh] = [this.#side(from), this.#side(to)];
    const memories: ComparedMemory[] = [];
    let same = 0;
    const gone = [...old.texts].filter(([path]) => !fresh.texts.has(path));
    const tokens = (text: string | undefined) => Math.ceil(byteLength(text ?? "") / 4);
    const add = (path: string, change: MemoryChange, before: string | null) => {
      const [one, other] = [old.texts.get(before ?? path), fresh.texts.get(path)];
      const { added, removed } = diffTexts(one?.text ?? "", other?.text ?? "", 0, false);
      memories.push({
        path,
        change,
        moved_from: before,
        from_version_id: one?.version ?? null,
        to_version_id: other?.version ?? null,
        added,
        removed,
        tokens: tokens(other?.text) - tokens(one?.text),
      });
    };
    for (const [path, { text }] of fresh.texts) {
      const before = old.texts.get(path);
      const source = before ? -1 : gone.findIndex(([, other]) => other.text === text);
      if (before?.text === text) same += 1;
      else if (before) add(path, "modified", null);
      else if (source >= 0) add(path, "moved", gone.splice(source, 1)[0]![0]);
      else add(path, "created", null);
    }
    for (const [path] of gone) add(path, "deleted", null);
    memories.sort((a, b) => a.path.localeCompare(b.path));
    return { from_store_id: old.store.id, to_store_id: fresh.store.id, same, memories };
  }

  /** Takes memories of one store over into another. */
  accept(request: Request<"accept_memories">): ActResult {
    const { from = "", into = "", paths = [], delete: deletes = false, dry_run = false } = request;
    const source = this.#side(from).texts;
    const target = this.#log.store(into);
    const all = paths.length > 0 ? paths : [...new Set([...source.keys(), ...target.disk.keys()])];
    const wanted = all
      .map((path) => ({ path, text: source.get(path)?.text ?? null }))
      .filter(({ text }) => text !== null || paths.length > 0 || deletes);
    return this.#log.act(target, wanted, { source: "import", note: `taken over from ${from}` }, dry_run);
  }

  #dream(id: string): Dream {
    return this.dreams.find((dream) => dream.id === id) ?? refuse("not_found", "There is no such dream.", id);
  }

  /** A dream that waits to begin, but for what is said of it. No recording has one: dreams need the host of the provider. */
  #newDream(input_remote_id: string, parts: Partial<Dream>): Dream {
    const nothing = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    return {
      id: `drm_01${fakeHash(`${input_remote_id}${this.dreams.length}`).slice(0, 22)}`,
      status: "pending",
      input_remote_id,
      input_store_id: null,
      output_remote_id: null,
      output_store_id: null,
      sessions: [],
      model: "claude-opus-4-5",
      instructions: null,
      output_behavior: "create_new",
      session_id: null,
      error: null,
      usage: nothing,
      created_at: this.#log.now.toISOString(),
      ended_at: null,
      archived_at: null,
      ...parts,
    };
  }

  #shownDream = (dream: Dream): Dream => {
    const here = (id: string | null) => this.mirrors.find(({ remote }) => remote.remote_id === id)?.store.id ?? null;
    return {
      ...dream,
      input_store_id: here(dream.input_remote_id),
      output_store_id: here(dream.output_remote_id),
    };
  };

  #remoteIdOf(store: string): string {
    return this.mirrors.find((mirror) => mirror.store.id === store)?.remote.remote_id ?? store;
  }

  /** The commands. */
  handlers(shown: (store: FakeStore) => Response<"add_remote">): Handlers {
    const here = (remote: string) => this.mirrors.find((mirror) => mirror.remote.remote_id === remote);
    const chosen = (store: string | null | undefined) => (store ? [this.#mirror(store)] : this.mirrors);
    const remotes = (): Response<"remotes"> => ({
      stores: this.mirrors.map((mirror) => this.#row(mirror)),
      hosts: this.#hosts(),
      calls: this.calls.slice(0, 100),
    });
    return {
      remotes,
      set_host_key: ({ base_url = null, key = null, remove = false }) => {
        if (remove) this.keys.delete(base_url ?? API_URL);
        else if (key !== null) this.keys.set(base_url ?? API_URL, key);
        return remotes();
      },
      hosted_stores: ({ base_url: url = null }) => {
        const base_url = url ?? API_URL;
        this.#call("GET", base_url, "/v1/memory_stores");
        const stores = this.stores.map(({ files: _files, never_seen: _seen, ...store }) => {
          return { ...store, store_id: here(store.remote_id)?.store.id ?? null };
        });
        return { base_url, stores };
      },
      add_remote: ({ base_url: url = null, remote_id = "", name = null, job = null }) => {
        const base_url = url ?? API_URL;
        this.#call("GET", base_url, `/v1/memory_stores/${remote_id}`);
        const remote =
          this.stores.find((known) => known.remote_id === remote_id) ??
          refuse("not_found", "The host has no such store.", remote_id);
        const root = `remote:${base_url}#${remote_id}`;
        const store = this.#log.addStore(root, "remote", name ?? remote.name, {});
        const mirror = { store, remote, base_url, pulled_at: null, problem: null, redacted_at_host: [] };
        this.mirrors.push(mirror);
        this.#pull(mirror, job);
        this.#inbox.takeBaseline(store.id);
        return shown(store);
      },
      pull_remote: ({ store = null, job = null }) => ({
        stores: chosen(store).map((mirror) => {
          const { versions, problem } = this.#pull(mirror, job);
          return {
            ...anyRecorded("pull_remote").stores[0]!,
            store_id: mirror.store.id,
            name: mirror.store.name,
            finished: problem === null,
            versions,
            memories: mirror.store.disk.size,
            redacted_at_host: [...mirror.redacted_at_host],
            problem: problem === null ? null : verbatim(problem),
          };
        }),
      }),
      push_remote: ({ store = null }) => {
        const own = new Set(chosen(store).map((mirror) => mirror.store.id));
        let problem: string | null = null;
        for (const change of this.queue.filter(({ store_id, state }) => own.has(store_id) && state === "waiting")) {
          try {
            this.#send(change, this.#mirror(change.store_id));
          } catch (cause) {
            problem = (cause as Error).message;
            break;
          }
        }
        const count = (state: QueueState) =>
          this.queue.filter((change) => !change.sent && change.state === state).length;
        const sent = this.queue.filter((change) => change.sent).length;
        this.queue = this.queue.filter((change) => !change.sent);
        const queue = this.#changes(null);
        return {
          sent,
          conflicts: count("conflict"),
          failed: count("failed"),
          operations: [],
          queue,
          problem: problem === null ? null : verbatim(problem),
        };
      },
      remote_queue: ({ store = null }) => this.#changes(store ?? null),
      withdraw_queued: ({ ids = [] }) => {
        this.queue = this.queue.filter(({ id }) => !ids.includes(id));
        return this.#changes(null);
      },
      queued_conflict: ({ id = 0 }) => this.#conflict(id),
      retry_queued: ({ id = 0, over = null }) => {
        const change = this.#queuedOf(id);
        if (change.state === "waiting") refuse("invalid", "The change waits already.", String(id));
        if (this.#conflict(id).now_version_id !== over)
          refuse("head_moved", "What is there now is not the version that was named.", String(id));
        const now = change.path === null ? null : (this.#mirror(change.store_id).store.disk.get(change.path) ?? null);
        Object.assign(change, { state: "waiting", message: null, expected_sha256: hashOf(now) });
        return this.#changes(change.store_id);
      },
      archive_remote: ({ store = "" }) => {
        const mirror = this.#mirror(store);
        this.#push({ store_id: mirror.store.id, store_name: mirror.store.name, kind: "archive" });
        return this.#changes(null);
      },
      compare_stores: (request) => this.compare(request),
      accept_memories: (request) => this.accept(request),
      dreams: ({ base_url: url = null, include_archived = false }) => {
        const base_url = url ?? API_URL;
        this.#call("GET", base_url, "/v1/dreams");
        const listed = this.dreams.filter(({ archived_at }) => include_archived || archived_at === null);
        return { base_url, dreams: listed.map(this.#shownDream) };
      },
      create_dream: (request) => {
        const { base_url = null, store = "", sessions = [], model = "", instructions = null } = request;
        const waiting = this.queue.filter(({ store_id }) => store_id === store).length;
        if (waiting > 0 && !request.without_queued)
          refuse("head_moved", `${waiting} changes of the store are queued here.`, store, "Push first.");
        this.#call("POST", base_url ?? API_URL, "/v1/dreams");
        if (sessions.length === 0) refuse("invalid", "A dream reads 1 to 100 sessions.", "sessions");
        const output_behavior = request.update_existing ? ("update_existing" as const) : ("create_new" as const);
        const input_remote_id = this.#remoteIdOf(store);
        const dream = this.#newDream(input_remote_id, {
          output_remote_id: request.update_existing ? input_remote_id : null,
          sessions: [...sessions].sort(),
          model,
          instructions,
          output_behavior,
        });
        this.dreams.unshift(dream);
        return this.#shownDream(dream);
      },
      cancel_dream: ({ base_url = null, dream: id = "" }) => {
        this.#call("POST", base_url ?? API_URL, `/v1/dreams/${id}/cancel`);
        const dream = this.#dream(id);
        if (["completed", "failed"].includes(dream.status)) refuse("invalid", "The dream has ended.", id);
        return this.#shownDream(Object.assign(dream, { status: "canceled", ended_at: this.#log.now.toISOString() }));
      },
      archive_dream: ({ base_url = null, dream: id = "" }) => {
        this.#call("POST", base_url ?? API_URL, `/v1/dreams/${id}/archive`);
        const dream = this.#dream(id);
        if (["pending", "running"].includes(dream.status)) refuse("invalid", "The dream still runs.", id);
        return this.#shownDream(Object.assign(dream, { archived_at: this.#log.now.toISOString() }));
      },
    };
  }

  /** A dream that made a store of its own, with both stores at the host. */
  dreamt(from: string, files: Record<string, string>, parts: Partial<Dream> = {}): Dream {
    const input = this.stores.find(({ remote_id, name }) => remote_id === from || name === from)!;
    const at = this.#log.now.toISOString();
    const output = hostStore(`${input.name} (dreamt)`, input.description, at, files);
    this.stores.unshift(output);
    const dream = this.#newDream(input.remote_id, {
      status: "completed",
      output_remote_id: output.remote_id,
      sessions: ["sesn_01Harbour1", "sesn_01Harbour2", "sesn_01Harbour3"],
      ended_at: at,
      ...parts,
    });
    this.dreams.unshift(dream);
    return dream;
  }

  /** Says that the host redacted what is mirrored here. */
  redactAtHost(store: string, path: string): void {
    const mirror = this.#mirror(store);
    const version = this.#log.versions.find(
      ({ store_id, fullPath }) => store_id === mirror.store.id && fullPath === path,
    );
    if (version) mirror.redacted_at_host.push(version.id);
  }
}
