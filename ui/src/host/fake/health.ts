/** Health, expiry and acts on entries over the invented log: a few rules, the same acts. */
import { verbatim } from "./verbatim";
import type { Finding, FindingRule, Health, Message, Remedy, Severity, StoreFinding, StoreHealth } from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { fakeCut } from "./cut";
import { type FakeLog, type FakeStore, refuse } from "./log";
import { byteLength, diffTexts, fakeHash } from "./text";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

const RULES: FindingRule[] = [
  [
    "limits/index-cut",
    "warning",
    true,
    "An index is loaded up to 200 lines.",
    "Move entries below the cut into topic files.",
  ],
  ["links/wiki", "note", true, "A [[link]] names a memory that does not exist.", "Correct the name."],
  ["secret/stripe", "error", true, "A key of a payment service.", "Take it out."],
  ["hidden/zero-width", "warning", true, "A character without width.", "Remove it."],
].map(([id, severity, on, explanation, remedy]) => {
  return { id, severity, on, explanation, remedy, own: null } as FindingRule;
});

/** What the program says of a secret: its kind, the beginning, and how long it is. */
const masked = (shown: string): Message => ({
  id: "page.masked",
  args: { name: "A Stripe key", shown, count: 16 },
  text: `A key: ${shown}██████.`,
});

function findingsOf(store: FakeStore, rules: readonly FindingRule[]): Finding[] {
  const findings: Finding[] = [];
  const add = (id: string, path: string, line: number, told: string | Message) => {
    const rule = rules.find((known) => known.id === id)!;
    if (rule.own === "off" || (rule.own === null && !rule.on)) return;
    const severity = rule.own === null || rule.own === "on" ? rule.severity : (rule.own as Severity);
    const place = { line, column: 1, end_line: line, end_column: 2, start: 0, end: 1 };
    const remedies: Remedy[] = [{ act: "open", path, line }];
    if (id.startsWith("secret/")) remedies.unshift({ act: "redact", rule: id, start: 0 });
    if (id.startsWith("hidden/")) remedies.unshift({ act: "strip_character", rule: id, start: 0, end: 1 });
    if (id === "limits/index-cut") {
      const to = (store.disk.get(path) ?? "").split("\n").length - 1;
      // One line more makes room for the link to where they go.
      remedies.unshift({ act: "move_lines", from: line - 1, to });
    }
    const message = typeof told === "string" ? verbatim(told) : told;
    findings.push({ rule: id, severity, path, ...place, message, remedy: rule.remedy, remedies });
  };
  for (const [path, text] of store.disk) {
    const cut = path === "MEMORY.md" ? fakeCut(text) : null;
    if (cut) add("limits/index-cut", path, cut.line, `Line ${cut.line} and those after it are not loaded.`);
    text.split("\n").forEach((line, at, lines) => {
      if (lines[at - 1]?.includes("retrace-allow")) return;
      if (line.includes("[[")) add("links/wiki", path, at + 1, "No memory has this name.");
      if (line.includes("\u200b")) add("hidden/zero-width", path, at + 1, "Without width: U+200B.");
      if (line.includes("tk_live_")) add("secret/stripe", path, at + 1, masked("tk_l"));
    });
  }
  return findings;
}

function count(findings: readonly StoreFinding[], severity: string): number {
  return findings.filter(({ finding }) => finding.severity === severity).length;
}

function rowOf(log: FakeLog, store: FakeStore, findings: readonly StoreFinding[], loads: boolean): StoreHealth {
  const index = store.disk.get("MEMORY.md");
  const cut = index === undefined ? null : fakeCut(index);
  const own = log.versions.filter(({ store_id }) => store_id === store.id);
  const sizes = [...store.disk.values()].map(byteLength);
  const levels = {
    errors: count(findings, "error"),
    warnings: count(findings, "warning"),
    notes: count(findings, "note"),
  };
  const tokens = index === undefined ? 0 : Math.round(byteLength(index) / 4);
  return {
    store_id: store.id,
    name: store.name,
    kind: store.kind,
    problems: [],
    files: store.disk.size,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    indexes:
      index === undefined
        ? []
        : [
            {
              path: "MEMORY.md",
              lines: index.split("\n").length - 1,
              bytes: byteLength(index),
              max_lines: 200,
              max_bytes: 25_000,
              cut_line: cut?.line ?? null,
              lost_lines: cut?.lost ?? 0,
              tokens,
              each_session: true,
            },
          ],
    index_tokens: tokens,
    tokens_kind: "counted offline",
    hosted: {
      max_memories: 2000,
      max_bytes: 102_400,
      largest_bytes: Math.max(0, ...sizes),
      too_large: 0,
      bad_paths: 0,
    },
    ...levels,
    allowed: [...store.disk.values()].filter((text) => text.includes("retrace-allow")).length,
    groups: [],
    last_write_at: own.at(-1)?.created_at ?? null,
    last_write_by: null,
    last_review_at: null,
    unreviewed: 0,
    loads: loads ? { sessions: 0, last_loaded_at: null, memories: [], never_loaded: 0 } : null,
    expiry: store.disk.has("logs/2031/04/notes.md") ? 1 : 0,
  };
}

/** Answers what the screen of health asks. */
export function healthHandlers(log: FakeLog): Handlers {
  const rules = RULES.map((rule) => ({ ...rule }));
  const listed = () => ({
    rules: rules.map((rule) => ({ ...rule })),
    own_file: "/home/ada/.local/share/retrace/findings.toml",
  });
  const act = (store: FakeStore, wanted: { path: string; text: string | null }[], note: string, dryRun: boolean) => {
    const result = log.act(store, wanted, { source: "api", note }, dryRun);
    if (!dryRun) return result;
    const writes = result.writes.map((write) => {
      const before = store.disk.get(write.path) ?? "";
      const after = wanted.find(({ path }) => path === write.path)?.text ?? "";
      const side = { target: "", store_id: store.id, version_id: null, path: write.path, redacted: false };
      const from = { ...side, content_sha256: write.from_sha256, content_size_bytes: before.length };
      const to = { ...side, content_sha256: write.to_sha256, content_size_bytes: after.length };
      return {
        ...write,
        diff: { live: true, from, to, truncated: false, binary: false, ...diffTexts(before, after, 3, true) },
      };
    });
    return { ...result, writes };
  };
  const textOf = (store: FakeStore, path: string) =>
    store.disk.get(path) ?? refuse("not_found", "No memory is recorded at this path.", path);
  return {
    health: ({ loads = false }): Health => {
      const rows: StoreHealth[] = [];
      const findings: StoreFinding[] = [];
      for (const store of log.stores) {
        const heads = log.heads(store);
        const own = findingsOf(store, rules).map((finding) => {
          return { store_id: store.id, memory_id: heads.get(finding.path)?.memory_id ?? null, finding };
        });
        findings.push(...own);
        rows.push(rowOf(log, store, own, loads));
      }
      const order = ["error", "warning", "note"];
      findings.sort((one, other) => order.indexOf(one.finding.severity) - order.indexOf(other.finding.severity));
      return {
        stores: rows,
        findings,
        errors: count(findings, "error"),
        warnings: count(findings, "warning"),
        notes: count(findings, "note"),
        sessions_telling: loads ? 0 : null,
        cancelled: false,
      };
    },
    memory_loads: ({ memory = "" }) => {
      const [name = "", path = ""] = memory.split(":");
      const place = [...log.store(name).disk.keys()].indexOf(path);
      const loaded = (place + 2) % 4;
      const rows = Array.from({ length: loaded }, (_, at) => ({
        session: `run-${at + 1}`,
        title: at === 0 ? "Make the berth tables green" : null,
        project: "/home/ada/harbour",
        at: `2026-11-${20 - at}T10:00:00Z`,
        reasons: at === 0 ? (["session_start", "compact"] as const).slice() : (["read"] as const).slice(),
        hook: at === 0,
      }));
      const reasons = loaded === 0 ? [] : [{ reason: "session_start" as const, sessions: 1 }];
      return { sessions: 9, loaded, reasons, rows, cancelled: false };
    },
    memory_worth: ({ store: named = null, memory = null }) => ({
      memories: log.stores
        .filter((store) => memory !== null || named === null || store.id === named || store.name === named)
        .flatMap((store) =>
          [...log.heads(store)]
            .filter(([, head]) => head.operation !== "deleted")
            .filter(([path]) => memory === null || memory === `${store.id}:${path}`)
            .map(([path, head], at) => ({
              store_id: store.id,
              store: store.name,
              memory_id: head.memory_id,
              path,
              tokens_per_session: 40 * (at + 1),
              cost_usd_per_session: at % 2 === 0 ? 0.0004 * (at + 1) : null,
              sessions: 9,
              present: at % 3 === 0 ? 0 : 9 - (at % 9),
              rules: [
                {
                  rule_id: "rule_1",
                  sentence: "pnpm, never npm",
                  before: { followed: 3, broken: 6 },
                  after: { followed: 11, broken: 1 },
                },
              ].filter(() => memory !== null),
              effect: at % 3 === 0 ? ("never_present" as const) : ("no_rule" as const),
            })),
        ),
      cancelled: false,
    }),
    expiry: ({ loads = false }) => ({
      proposals: log.stores.flatMap((store) => {
        const head = log.heads(store).get("logs/2031/04/notes.md");
        if (!head || head.operation === "deleted") return [];
        return [
          {
            store_id: store.id,
            path: head.fullPath,
            memory_id: head.memory_id,
            content_sha256: head.content_sha256!,
            content_size_bytes: head.content_size_bytes!,
            changed_at: head.created_at,
            reasons: [{ kind: "old_log", message: verbatim("The log of 2031-04-30, 120 days ago."), line: null }],
            index_lines: [],
          },
        ];
      }),
      unloaded_days: 90,
      log_days: 90,
      loads,
      cancelled: false,
    }),
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
      const moved = lines.splice(line - 1, (end_line ?? line) - line + 1);
      const topic = store.disk.get(to) ?? `# ${to}\n\n`;
      if (!lines.join("\n").includes(`(${to})`)) lines.splice(line - 1, 0, `- [${to}](${to})`);
      const wanted = [
        { path, text: lines.join("\n") },
        { path: to, text: `${topic}${moved.join("\n")}\n` },
      ];
      return act(store, wanted, `moved lines to ${to}`, dry_run);
    },
    allow_finding: ({ store: name = "", path = "", line = null, rule = "", dry_run = false }) => {
      const store = log.store(name);
      const lines = textOf(store, path).split("\n");
      lines.splice((line ?? lines.length) - 1, 0, `<!-- retrace-allow: ${rule} -->`);
      return act(store, [{ path, text: lines.join("\n") }], `allowed ${rule}`, dry_run);
    },
    strip_characters: ({ store: name = "", path = "", dry_run = false }) => {
      const store = log.store(name);
      const text = textOf(store, path).replaceAll("\u200b", "");
      return act(store, [{ path, text }], `took hidden characters out of ${path}`, dry_run);
    },
    finding_rules: listed,
    set_finding_rule: ({ rule: id = "", setting = null }) => {
      const rule = rules.find((known) => known.id === id);
      if (!rule) refuse("invalid", "There is no such rule.", id);
      rule.own = setting;
      return listed();
    },
  };
}
