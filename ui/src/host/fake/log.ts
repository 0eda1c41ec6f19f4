/**
 * A log in memory with the rules that the window relies on: acts append, a dry run does nothing, a file that moved on is
 * a conflict, a redacted version keeps who and when. It answers as the real program does, for tests and nothing else.
 */
import { verbatim } from "./verbatim";
import type {
  ActorView,
  ActResult,
  ApiError,
  ChangeSource,
  Conflict,
  FileWrite,
  Operation,
  Receipt,
  Store,
  StoreKind,
  Version,
} from "@/bindings";
import { ApiFailure } from "@/host/backend";
import { anyRecorded, recorded } from "./fixtures";
import { byteLength, fakeHash } from "./text";

/** A version with the content it holds; null for deleted and redacted ones. */
export type FakeVersion = Version & { text: string | null; fullPath: string };

/** A store with the directory it watches. */
export type FakeStore = Store & { disk: Map<string, string> };

/** A path with what it is to hold; null for nothing. */
export type Change = { path: string; text: string | null };
type Cause = { source: ChangeSource; by?: ActorView | null; note?: string | null };
type FakeOperation = Omit<Operation, "created" | "modified" | "deleted" | "undoable" | "versions">;

/** Fails as the program does. */
export function refuse(code: ApiError["code"], message: string, subject = "", hint = ""): never {
  throw new ApiFailure({ code, message, hint, subject });
}

/** An act that did nothing. */
export const EMPTY_ACT: ActResult = {
  ...anyRecorded("redact"),
  matches: [],
  writes: [],
  deletes: [],
  warnings: [],
};

/** The log, its stores and the disk. */
export class FakeLog {
  readonly stores: FakeStore[] = [];
  readonly versions: FakeVersion[] = [];
  readonly operations: FakeOperation[] = [];
  readonly receipts: Receipt[] = [];
  /** The time of the next operation. */
  now: Date;
  /** Takes what an act would change in the mirror of a hosted store, instead of the act. */
  divert: ((store: FakeStore, changes: readonly Change[], operation: number) => void) | null = null;
  /** Takes back what an operation queued for a host; false when it queued nothing that still waits. */
  withdraw: (operation: number) => boolean = () => false;

  constructor(now: Date) {
    this.now = now;
  }

  addStore(root: string, kind: StoreKind, name: string, files: Record<string, string>): FakeStore {
    const known = recorded("stores").stores;
    const id = known.find((one) => one.root === root)?.id ?? `memstore_${fakeHash(root).slice(0, 26)}`;
    const counts = { memories: 0, versions: 0, unreviewed: 0, last_change: null };
    const disk = new Map(Object.entries(files));
    const store: FakeStore = { ...known[0]!, ...counts, id, name, kind, root, mounted: kind !== "remote", disk };
    this.stores.push(store);
    this.scan(store);
    return store;
  }

  store(idOrName: string): FakeStore {
    const found = this.stores.find(({ id, name }) => id === idOrName || name === idOrName);
    return found ?? refuse("not_found", `There is no store ${idOrName}.`, idOrName, "List the stores.");
  }

  version(id: string): FakeVersion {
    return this.versions.find((version) => version.id === id) ?? refuse("not_found", `There is no version ${id}.`, id);
  }

  /** The newest version of each path of a store, gone ones included, as of an operation. */
  heads(store: FakeStore, at = Number.MAX_SAFE_INTEGER): Map<string, FakeVersion> {
    const heads = new Map<string, FakeVersion>();
    for (const version of this.versions)
      if (version.store_id === store.id && version.operation_seq <= at) heads.set(version.fullPath, version);
    return heads;
  }

  /** Records what differs between the disk and the log. */
  scan(store: FakeStore, cause: Cause = { source: "scan" }): number {
    const changes: Change[] = [];
    const heads = this.heads(store);
    for (const [path, text] of store.disk) {
      const head = heads.get(path);
      if (!head || head.operation === "deleted" || head.text !== text) changes.push({ path, text });
    }
    for (const [path, head] of heads)
      if (head.operation !== "deleted" && !store.disk.has(path)) changes.push({ path, text: null });
    if (changes.length > 0) this.append(store, changes, cause);
    return changes.length;
  }

  /** Appends one operation and gives its number. */
  append(store: FakeStore, changes: Change[], { source, by = null, note: said = null }: Cause): number {
    const note = said === null ? null : verbatim(said);
    const seq = this.operations.length + 1;
    const created_at = this.now.toISOString();
    const operation = { seq, store_id: store.id, source, created_at, created_by: by, note, undone_by: null };
    this.operations.push(operation);
    const heads = this.heads(store);
    for (const { path, text } of changes) {
      const head = heads.get(path);
      const place = this.versions.length + 1;
      const fresh = !head || head.operation === "deleted";
      this.versions.push({
        ...anyRecorded("show"),
        seq: place,
        operation_seq: seq,
        id: `memver_${place.toString(36).padStart(8, "0")}${fakeHash(`${place}${path}`).slice(0, 13)}`,
        store_id: store.id,
        memory_id: head?.memory_id ?? `mem_${fakeHash(store.id + path).slice(0, 26)}`,
        operation: text === null ? "deleted" : fresh ? "created" : "modified",
        path,
        fullPath: path,
        content_sha256: text === null ? null : fakeHash(text),
        content_size_bytes: text === null ? null : byteLength(text),
        content_kind: text === null ? null : "text",
        created_at,
        recorded_at: created_at,
        created_by: by,
        source,
        note,
        text,
      });
    }
    return seq;
  }

  /** Brings files of a store to the wanted texts, or says what that would do. */
  act(store: FakeStore, wanted: Change[], cause: Cause, dry_run: boolean, conflicts: Conflict[] = []): ActResult {
    const from = (path: string) => (store.disk.has(path) ? fakeHash(store.disk.get(path)!) : null);
    const open = wanted.filter(({ path, text }) => (store.disk.get(path) ?? null) !== text);
    const files = (list: Change[]): FileWrite[] =>
      list.map(({ path, text }) => ({
        store_id: store.id,
        path,
        from_sha256: from(path),
        to_sha256: text === null ? null : fakeHash(text),
        diff: null,
      }));
    const result: ActResult = {
      ...EMPTY_ACT,
      dry_run,
      writes: files(open.filter(({ text }) => text !== null)),
      deletes: files(open.filter(({ text }) => text === null)),
      conflicts,
    };
    if (store.kind === "remote" && this.divert) result.queued = open.length;
    if (dry_run || conflicts.length > 0 || open.length === 0) return result;
    if (store.kind === "remote" && this.divert) {
      const seq = this.append(store, [], cause);
      this.divert(store, open, seq);
      return { ...result, operation_seq: seq };
    }
    this.scan(store);
    for (const { path, text } of open)
      if (text === null) store.disk.delete(path);
      else store.disk.set(path, text);
    return { ...result, operation_seq: this.append(store, open, cause) };
  }

  /** Reversal of an operation: each path with what it held before. Files that changed since conflict. */
  reversal(seq: number): { store: FakeStore; wanted: Change[]; conflicts: Conflict[] } {
    const operation = this.operations.find((known) => known.seq === seq);
    if (!operation?.store_id) refuse("not_found", `There is no operation ${seq}.`, String(seq));
    const store = this.store(operation.store_id);
    const before = this.heads(store, seq - 1);
    const heads = this.heads(store);
    const conflicts: Conflict[] = [];
    const wanted: Change[] = [];
    for (const version of this.versions.filter((known) => known.operation_seq === seq)) {
      const path = version.fullPath;
      const earlier = before.get(path);
      const live = store.disk.get(path) ?? null;
      if (live === version.text) {
        wanted.push({ path, text: earlier?.text ?? null });
        continue;
      }
      if (live !== heads.get(path)?.text) this.scan(store);
      conflicts.push({
        store_id: store.id,
        path,
        expected_sha256: version.content_sha256,
        found_sha256: live === null ? null : fakeHash(live),
        expected_version_id: version.id,
        found_version_id: this.heads(store).get(path)?.id ?? null,
        wanted_version_id: earlier && earlier.operation !== "deleted" ? earlier.id : null,
        reason: "changed_since",
        message: verbatim(`${path} changed since.`),
      });
    }
    return { store, wanted, conflicts };
  }

  /** An operation as the timeline shows it. */
  operation(seq: number): Operation {
    const operation = this.operations.find((known) => known.seq === seq)!;
    const versions = this.versions.filter((version) => version.operation_seq === seq);
    const count = (word: string) => versions.filter((version) => version.operation === word).length;
    const undoable = operation.undone_by === null && ["rollback", "restore", "api"].includes(operation.source);
    const counts = { created: count("created"), modified: count("modified"), deleted: count("deleted") };
    return { ...operation, ...counts, undoable, versions: versions.slice(0, 20) };
  }
}
