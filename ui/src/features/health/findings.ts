/** Findings as rows: filtered, each with a key that stays with it. */
import type { StoreFinding } from "@/bindings";
import { countOf } from "@/shared/remedies";

/** Filter of findings by severity. */
export type Level = "serious" | "error" | "warning" | "note" | "all";

/** Filter of findings. */
export interface Filter {
  /** Severity. */
  level: Level;
  /** A rule, or a group of rules; all when empty. */
  rule: string;
  /** A store; all when undefined. */
  store: string | undefined;
}

/** A row of the list. */
export interface FindingRow {
  /** Stays with the finding. */
  key: string;
  /** Level among rows: findings of a rule stand below it. */
  level: number;
  /** True if it has no children. */
  leaf: boolean;
  /** True if its children are shown; without any it never is. */
  open: boolean;
  /** For walking by typing. */
  label: string;
  /** The finding; of a row with children, the first of them. */
  found: StoreFinding;
  /** Findings it stands for: one, or all of a rule in a store. */
  count: number;
}

/** The part of a rule's id before the slash. */
export function groupOf(rule: string): string {
  return rule.split("/")[0] ?? rule;
}

function fits({ level, rule, store }: Filter, { store_id, finding }: StoreFinding): boolean {
  const bad = level === "all" || (level === "serious" ? finding.severity !== "note" : finding.severity === level);
  const named = rule === "" || finding.rule === rule || groupOf(finding.rule) === rule;
  return bad && named && (store === undefined || store === store_id);
}

/** A finding as a row of its own. Equal findings are told apart by their number. */
function leaf(found: StoreFinding, level: number, times: Map<string, number>): FindingRow {
  const { store_id, finding } = found;
  const name = [store_id, finding.path, finding.rule, finding.line, finding.column, finding.message.text].join(
    "\u0000",
  );
  const time = times.get(name) ?? 0;
  times.set(name, time + 1);
  return {
    key: `${name}\u0000${time}`,
    level,
    leaf: true,
    open: false,
    label: finding.path,
    found,
    count: countOf(finding),
  };
}

/**
 * The findings that pass a filter, as rows: those of one rule in one store are one row with their number, which opens to
 * the single ones. A rule with one finding is that finding.
 */
export function findingRows(
  findings: readonly StoreFinding[],
  filter: Filter,
  open: ReadonlySet<string> = new Set(),
): FindingRow[] {
  const times = new Map<string, number>();
  const groups = new Map<string, StoreFinding[]>();
  for (const found of findings) {
    if (!fits(filter, found)) continue;
    const key = [found.store_id, found.finding.severity, found.finding.rule].join("\u0000");
    const known = groups.get(key);
    if (known) known.push(found);
    else groups.set(key, [found]);
  }
  return [...groups].flatMap(([key, members]) => {
    const [first] = members as [StoreFinding];
    if (members.length === 1) return [leaf(first, 0, times)];
    const isOpen = open.has(key);
    const label = first.finding.rule;
    const row = {
      key,
      level: 0,
      leaf: false,
      open: isOpen,
      label,
      found: first,
      count: members.reduce((sum, { finding }) => sum + countOf(finding), 0),
    };
    return isOpen ? [row, ...members.map((found) => leaf(found, 1, times))] : [row];
  });
}

/** Rules that findings are of, with how many each; groups first. */
export function rulesOf(findings: readonly StoreFinding[]): { rule: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { finding } of findings)
    for (const name of [groupOf(finding.rule), finding.rule])
      counts.set(name, (counts.get(name) ?? 0) + countOf(finding));
  return [...counts].map(([rule, count]) => ({ rule, count })).sort((one, other) => (one.rule < other.rule ? -1 : 1));
}
