/** Health over the log: what the program found in each recorded content, and acts that change files. */
import type { FileWrite, Finding, Health, StoreFinding, StoreHealth } from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { fakeCut } from "./cut";
import { everyRecorded, recorded } from "./fixtures";
import { type Change, type FakeLog, type FakeStore, refuse } from "./log";
import { contentsOf } from "./seed";
import { byteLength, fakeHash, fileDiff } from "./text";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

/** What is found in a content at a path: a text that was not recorded has no findings. */
const FOUND = new Map<string, Finding[]>();
for (const group of ["desk", "first"])
  for (const { finding } of everyRecorded(group, "health").flatMap(({ findings }) => findings)) {
    const place = `${finding.path}\n${contentsOf(finding.path, group).at(-1)}`;
    FOUND.set(place, [...(FOUND.get(place) ?? []), finding]);
  }

const LEVELS = ["error", "warning", "note"] as const;
const [ROW] = recorded("health").stores.filter(({ indexes }) => indexes.length > 0);

const count = (findings: readonly StoreFinding[], severity: string) =>
  findings.filter(({ finding }) => finding.severity === severity).length;

function rowOf(log: FakeLog, store: FakeStore, findings: readonly StoreFinding[]): StoreHealth {
  const index = store.disk.get("MEMORY.md");
  const cut = index === undefined ? null : fakeCut(index);
  const sizes = [...store.disk.values()].map(byteLength);
  const lines = (index ?? "").split("\n").length - 1;
  const size = { lines, bytes: byteLength(index ?? ""), cut_line: cut?.line ?? null, lost_lines: cut?.lost ?? 0 };
  return {
    ...ROW!,
    store_id: store.id,
    name: store.name,
    kind: store.kind,
    files: store.disk.size,
    bytes: sizes.reduce((sum, one) => sum + one, 0),
    indexes: index === undefined ? [] : ROW!.indexes.map((known) => ({ ...known, ...size })),
    errors: count(findings, "error"),
    warnings: count(findings, "warning"),
    notes: count(findings, "note"),
    last_write_at: log.versions.findLast(({ store_id }) => store_id === store.id)?.created_at ?? null,
  };
}

/** Answers what the screen of health asks. */
export function healthHandlers(log: FakeLog): Handlers {
  const listed = recorded("finding_rules");
  const isOn = ({ rule }: Finding) => {
    const known = listed.rules.find(({ id }) => id === rule);
    return known?.own == null ? known?.on !== false : known.own !== "off";
  };
  const memoryAt = (store: FakeStore, path: string) => log.heads(store).get(path)?.memory_id ?? null;
  const textOf = (store: FakeStore, path: string) =>
    store.disk.get(path) ?? refuse("not_found", "No memory is recorded at this path.", path);
  const act = (store: FakeStore, wanted: Change[], note: string, dryRun: boolean) => {
    const result = log.act(store, wanted, { source: "api", note }, dryRun);
    const withDiff = (write: FileWrite) => {
      const after = wanted.find(({ path }) => path === write.path)?.text ?? null;
      return { ...write, diff: fileDiff(store.disk.get(write.path) ?? null, after, write.path, null) };
    };
    return dryRun ? { ...result, writes: result.writes.map(withDiff) } : result;
  };
  const edit = (store: FakeStore, path: string, note: string, dryRun: boolean, change: (lines: string[]) => void) => {
    const lines = textOf(store, path).split("\n");
    change(lines);
    return act(store, [{ path, text: lines.join("\n") }], note, dryRun);
  };
  return {
    health: ({ loads = false }): Health => {
      const rows = log.stores.map((store) => {
        const own = [...store.disk].flatMap(([path, text]) => FOUND.get(`${path}\n${text}`) ?? []).filter(isOn);
        const findings = own.map((finding) => {
          return { store_id: store.id, memory_id: memoryAt(store, finding.path), finding };
        });
        return { row: rowOf(log, store, findings), findings };
      });
      const findings = LEVELS.flatMap((level) =>
        rows.flatMap((one) => one.findings.filter(({ finding }) => finding.severity === level)),
      );
      const [errors = 0, warnings = 0, notes = 0] = LEVELS.map((level) => count(findings, level));
      const stores = rows.map(({ row }) => row);
      return { stores, findings, errors, warnings, notes, sessions_telling: loads ? 0 : null, cancelled: false };
    },
    expiry: ({ loads = false }) => {
      const known = recorded("expiry");
      const proposals = log.stores.flatMap((store) =>
        known.proposals
          .filter(({ path }) => store.disk.has(path))
          .map((one) => ({ ...one, store_id: store.id, memory_id: memoryAt(store, one.path) ?? one.memory_id })),
      );
      for (const one of proposals) one.content_sha256 = fakeHash(textOf(log.store(one.store_id), one.path));
      return { ...known, proposals, loads };
    },
    expire: ({ store: name = "", memories = [], dry_run = false }) => {
      const store = log.store(name);
      for (const { path = "", expect = null } of memories)
        if (expect !== null && expect !== fakeHash(textOf(store, path))) refuse("head_moved", "It changed.", path);
      const wanted = memories.map(({ path = "" }) => ({ path, text: null }));
      return act(store, wanted, "removed memories that expired", dry_run);
    },
    move_entry: ({ store: name = "", path = "", line = 0, end_line = null, to = "", dry_run = false }) => {
      const store = log.store(name);
      const lines = textOf(store, path).split("\n");
      const moved = lines.splice(line - 1, (end_line ?? line) - line + 1, `- [${to}](${to})`);
      const topic = store.disk.get(to) ?? `# ${to}\n\n`;
      const wanted = [
        { path, text: lines.join("\n") },
        { path: to, text: `${topic}${moved.join("\n")}\n` },
      ];
      return act(store, wanted, `moved lines to ${to}`, dry_run);
    },
    allow_finding: ({ store = "", path = "", line = null, rule = "", dry_run = false }) =>
      edit(log.store(store), path, `allowed ${rule}`, dry_run, (lines) =>
        lines.splice((line ?? lines.length) - 1, 0, `<!-- retrace-allow: ${rule} -->`),
      ),
    strip_characters: ({ store = "", path = "", dry_run = false }) =>
      edit(log.store(store), path, `took hidden characters out of ${path}`, dry_run, (lines) =>
        lines.forEach((text, at) => (lines[at] = text.replaceAll("\u200b", ""))),
      ),
    finding_rules: () => structuredClone(listed),
    set_finding_rule: ({ rule: id = "", setting = null }) => {
      const rule = listed.rules.find((known) => known.id === id) ?? refuse("invalid", "There is no such rule.", id);
      rule.own = setting;
      return structuredClone(listed);
    },
  };
}
