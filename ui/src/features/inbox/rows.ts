/** The rows of the inbox, and which of them stand beside, before and among others. Pure. */
import type { InboxItem, Triage, TriageRow } from "@/bindings";

/** A part of the list. */
export type Part = "needs" | "routine";

/** The heading of a part. */
export interface SectionRow {
  kind: "section";
  key: Part;
  /** Rows of the part. */
  rows: number;
  /** Changes of the part. */
  changes: number;
}

/** A row that stands for several changes; its changes may stand below it. */
export interface HeadRow {
  kind: "head";
  key: string;
  part: Part;
  row: TriageRow;
  open: boolean;
}

/** A row of one change: by itself, or below its head. */
export interface ItemRow {
  kind: "item";
  key: string;
  part: Part;
  row: TriageRow;
  item: InboxItem;
  /** It stands below a head. */
  below: boolean;
}

/** A row of the list. A change keeps its key, its memory, whatever happens to it; a head keeps that of the row. */
export type ListRow = SectionRow | HeadRow | ItemRow;

/** A row that can be chosen. */
export type Stop = HeadRow | ItemRow;

/** Rows of more changes come with the first of them alone; the others are asked for. */
export function isWhole({ versions, items }: TriageRow): boolean {
  return items.length >= versions.length;
}

/** True if a row is one change by itself. */
function isSingle(row: TriageRow): boolean {
  return row.versions.length === 1 && row.kind !== "session" && row.kind !== "writer" && row.kind !== "unchanged";
}

/** The rows. `isOpen` says which show their changes; `members` holds changes that did not come with their row. */
export function listRows(
  triage: Triage,
  isOpen: (row: TriageRow, part: Part) => boolean,
  members: readonly InboxItem[],
): ListRow[] {
  const byVersion = new Map(members.map((item) => [item.version_id, item]));
  const shown = new Set<string>();
  const list: ListRow[] = [];
  const add = (part: Part, rows: readonly TriageRow[], changes: number) => {
    if (rows.length === 0) return;
    list.push({ kind: "section", key: part, rows: rows.length, changes });
    for (const row of rows) {
      const open = !isSingle(row) && isOpen(row, part);
      if (!isSingle(row)) list.push({ kind: "head", key: row.id, part, row, open });
      if (!isSingle(row) && !open) continue;
      const known = isWhole(row) ? row.items : row.versions.flatMap((version) => byVersion.get(version) ?? []);
      for (const item of known) {
        // What changed between two answers may be in both.
        if (shown.has(item.memory_id)) continue;
        shown.add(item.memory_id);
        list.push({ kind: "item", key: item.memory_id, part, row, item, below: open });
      }
    }
  };
  add("needs", triage.needs, triage.needs_total);
  add("routine", triage.routine, triage.routine_total);
  return list;
}

/** Rows that can be chosen. */
export function stopsOf(rows: readonly ListRow[]): Stop[] {
  return rows.filter((row): row is Stop => row.kind !== "section");
}

/** True if a key that walks the list stops there: the changes of an open row are walked one by one. */
const isWalked = (row: Stop) => row.kind === "item" || !row.open;

/** The row `by` places from the chosen one among those that are walked; the nearest one at either end. */
export function stopBeside(stops: readonly Stop[], chosen: string | null, by: number): Stop | null {
  const at = stops.findIndex(({ key }) => key === chosen);
  const walked = stops.filter((row, place) => isWalked(row) || place === at);
  if (at < 0) return walked[0] ?? null;
  const from = walked.indexOf(stops[at]!);
  return walked[Math.max(0, Math.min(from + by, walked.length - 1))] ?? null;
}

/** The head of the next group, or of the one before; a change by itself is a group. */
export function groupBeside(stops: readonly Stop[], chosen: string | null, by: 1 | -1): Stop | null {
  const heads = stops.filter((row) => row.kind === "head" || !row.below);
  const at = stops.findIndex(({ key }) => key === chosen);
  const places = heads.map((head) => stops.indexOf(head));
  const next = by > 0 ? places.find((place) => place > at) : places.findLast((place) => place < at);
  return next === undefined ? null : (stops[next] ?? null);
}

/** The versions a row stands for. */
export function versionsOf(stop: Stop): readonly string[] {
  return stop.kind === "head" ? stop.row.versions : [stop.item.version_id];
}

/** What to choose when these versions are gone: the next row that stays, or the one before them. */
export function stopAfter(stops: readonly Stop[], chosen: string | null, gone: ReadonlySet<string>): Stop | null {
  const at = Math.max(
    stops.findIndex(({ key }) => key === chosen),
    0,
  );
  const stays = (stop: Stop) => isWalked(stop) && versionsOf(stop).some((version) => !gone.has(version));
  return stops.slice(at).find(stays) ?? stops.slice(0, at).findLast(stays) ?? null;
}

/** Rows from one to another, both included, in their order. */
export function stopsBetween(stops: readonly Stop[], from: string | null, to: string | null): Stop[] {
  const [one, other] = [from, to].map((key) => stops.findIndex((stop) => stop.key === key));
  if (one === undefined || other === undefined || one < 0 || other < 0) return [];
  const range = stops.slice(Math.min(one, other), Math.max(one, other) + 1);
  return range.filter((stop) => isWalked(stop) || stop.key === from || stop.key === to);
}

/** True if a row is of changes that were changed back: there is nothing that could be rolled back. */
export const isNetZero = ({ row }: Stop): boolean => row.kind === "unchanged";

/** Versions of several rows, each once. */
export function versionsOfAll(stops: readonly Stop[]): string[] {
  return [...new Set(stops.flatMap(versionsOf))];
}
