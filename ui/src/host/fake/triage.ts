/** Triage in the fake: enough of the program's clustering for the window, by simpler rules. */
import type { ClusterDifference, InboxItem, NeedReason, Triage, TriageKind, TriageRow } from "@/bindings";
import type { FakeLog } from "./log";

/** A row of more comes with its first item alone. */
const WHOLE = 40;

const REASONS: [prefix: string, reason: NeedReason][] = [
  ["secret/", "secret"],
  ["hostile/", "hostile"],
  ["limits/", "limit"],
  ["hidden/", "hidden"],
];

function reasonOf(item: InboxItem): { reason: NeedReason; at: number } | null {
  const at = item.findings.findIndex(({ severity }) => severity !== "note");
  const found = item.findings[at];
  if (found) return { reason: REASONS.find(([prefix]) => found.rule.startsWith(prefix))?.[1] ?? "warning", at };
  return item.verb === "deleted" ? { reason: "deleted", at: -1 } : null;
}

function row(id: string, kind: TriageKind, items: InboxItem[], reason: NeedReason | null): TriageRow {
  const first = items[0]!;
  const at = reasonOf(first)?.at ?? -1;
  const actor = first.created_by;
  return {
    id,
    kind,
    reason,
    finding: reason === null ? null : (first.findings[at] ?? null),
    versions: items.map(({ version_id }) => version_id),
    items: items.length <= WHOLE ? items : items.slice(0, 1),
    stores: [...new Set(items.map(({ store_id }) => store_id))],
    session: actor?.type === "session_actor" ? actor.session_id : null,
    actor,
    started_at: items.at(-1)!.created_at,
    ended_at: first.created_at,
  };
}

const ORDER: readonly (NeedReason | null)[] = ["secret", "hostile", "deleted", "limit", "hidden", "warning"];

const count = (rows: readonly TriageRow[]) => rows.reduce((sum, { versions }) => sum + versions.length, 0);

/** Rows of items, newest first. */
export function triageOf(items: readonly InboxItem[], sameEdits: ReadonlySet<string>): Triage {
  const needs: TriageRow[] = [];
  const deleted: InboxItem[] = [];
  const same: InboxItem[] = [];
  const unchanged: InboxItem[] = [];
  const writers = new Map<string, InboxItem[]>();
  for (const item of items) {
    const reason = reasonOf(item)?.reason ?? null;
    const by = item.created_by?.type === "session_actor" ? item.created_by.session_id : item.store_id;
    if (reason === "deleted") deleted.push(item);
    else if (reason !== null) needs.push(row(item.memory_id, "single", [item], reason));
    else if (item.verb === "changed" && item.added === 0 && item.removed === 0) unchanged.push(item);
    else if (item.path !== null && sameEdits.has(item.path)) same.push(item);
    else writers.set(by, [...(writers.get(by) ?? []), item]);
  }
  if (deleted.length === 1) needs.push(row(deleted[0]!.memory_id, "single", deleted, "deleted"));
  else if (deleted.length > 1) needs.push(row("deleted_together_1", "deleted_together", deleted, "deleted"));
  needs.sort((a, b) => ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason));
  const routine = [...writers].map(([key, of]) =>
    row(`${of[0]!.created_by?.type === "session_actor" ? "session" : "writer"}_${key}`, groupKind(of), of, null),
  );
  if (same.length > 0) routine.unshift(row("same_edit_1", "same_edit", same, null));
  if (unchanged.length > 0) routine.push(row("unchanged_1", "unchanged", unchanged, null));
  const [needs_total, routine_total] = [count(needs), count(routine)];
  return {
    total: needs_total + routine_total,
    needs_total,
    routine_total,
    needs,
    routine,
    broken: [],
    broken_total: 0,
  };
}

const groupKind = ([first]: readonly InboxItem[]): TriageKind =>
  first?.created_by?.type === "session_actor" ? "session" : "writer";

/** The difference of the first of several changes. */
export function clusterDifference(log: FakeLog, versions: readonly string[]): ClusterDifference {
  const first = versions[0] === undefined ? null : log.version(versions[0]);
  const text = first?.text?.trimEnd().split("\n").at(-1) ?? "";
  const line = {
    tag: "insert" as const,
    text,
    words: [],
    varies: [{ start: 0, end: 1, values: versions.length }],
    hidden: [],
  };
  return { members: versions.length, others: 0, lines: first ? [line] : [] };
}
