/** The list of conversations that Reach shows: filtered, alike ones folded, changes that moved the line between them. */
import type { LineMove, PresenceCause, Reach, ReachRow } from "@/bindings";

/** What of the conversations is shown. */
export type Filter = "all" | "present" | PresenceCause;

/** A row of the list. */
export type Listed =
  | { kind: "row"; key: string; row: ReachRow }
  | { kind: "folded"; key: string; rows: ReachRow[] }
  | { kind: "move"; key: string; move: LineMove };

/** So many rows alike stand before the rest of them is folded. */
const SHOWN = 3;

/** True where the conversation ran where the memory could have been. */
export const isHere = (row: ReachRow): boolean => row.present || row.cause !== "other_directory";

/** True if a row passes a filter. */
export function passes(row: ReachRow, filter: Filter): boolean {
  if (filter === "all") return true;
  return filter === "present" ? row.present : row.cause === filter;
}

/** What makes two rows alike: one state over all requests. */
function likeness(row: ReachRow): string | null {
  const [span, ...more] = row.spans;
  if (!span || more.length > 0) return null;
  return `${row.present ? span.grade : span.cause} ${span.cut_after ?? ""}`;
}

/** Rows with alike ones folded from the fourth on, unless their fold is open. */
function folded(rows: readonly ReachRow[], open: ReadonlySet<string>): Listed[] {
  const listed: Listed[] = [];
  for (let at = 0; at < rows.length;) {
    const like = likeness(rows[at]!);
    let end = at + 1;
    while (like !== null && end < rows.length && likeness(rows[end]!) === like) end += 1;
    const run = rows.slice(at, end);
    const key = `fold ${run[0]!.transcript}`;
    const whole = run.length <= SHOWN + 1 || open.has(key);
    const shown = whole ? run : run.slice(0, SHOWN);
    listed.push(...shown.map((row): Listed => ({ kind: "row", key: row.transcript, row })));
    if (!whole) listed.push({ kind: "folded", key, rows: run.slice(SHOWN) });
    at = end;
  }
  return listed;
}

/** Rows with those that had it first; both in their own order. */
const presentFirst = (rows: readonly ReachRow[]) => [
  ...rows.filter(({ present }) => present),
  ...rows.filter(({ present }) => !present),
];

/** The list, newest first; between two changes that moved the line, sessions that had it come first. */
export function listed(reach: Reach, filter: Filter, open: ReadonlySet<string>): Listed[] {
  const rows = reach.rows.filter((row) => isHere(row) && passes(row, filter));
  const moves = [...reach.moves].sort((one, other) => other.at.localeCompare(one.at));
  const out: Listed[] = [];
  let from = 0;
  for (const move of moves) {
    const next = rows.findIndex((row, at) => at >= from && (row.started_at ?? "") < move.at);
    const end = next < 0 ? rows.length : next;
    out.push(...folded(presentFirst(rows.slice(from, end)), open), { kind: "move", key: move.version_id, move });
    from = end;
  }
  out.push(...folded(presentFirst(rows.slice(from)), open));
  return out;
}

/** Causes of the rows with how many each has, the most frequent first. */
export function causesOf(reach: Reach): { cause: PresenceCause; sessions: number }[] {
  const counts = new Map<PresenceCause, number>();
  for (const { cause, sessions } of [...reach.absent, ...reach.lost])
    counts.set(cause, (counts.get(cause) ?? 0) + sessions);
  return [...counts].map(([cause, sessions]) => ({ cause, sessions })).sort((a, b) => b.sessions - a.sessions);
}

/** The request to open of a row: the last that had the lines, else the last. */
export function requestOf(row: ReachRow, whole: boolean): number {
  const there = row.spans.findLast((span) => (whole ? span.lines > 0 : span.present));
  return there ? there.to : Math.max(0, row.requests - 1);
}
