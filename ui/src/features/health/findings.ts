/** Findings as rows: filtered, each with a key that stays with it. */
import type { StoreFinding } from "@/bindings";

/** Which findings are shown by how bad they are. */
export type Level = "serious" | "error" | "warning" | "note" | "all";

/** What is filtered by. */
export interface Filter {
  /** How bad. */
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
  /** Level among rows; findings have no children. */
  level: number;
  /** Whether it has no children. */
  leaf: boolean;
  /** Whether it is open; without children it never is. */
  open: boolean;
  /** For walking by typing. */
  label: string;
  /** The finding. */
  found: StoreFinding;
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

/** The findings that pass a filter, as rows. Equal findings are told apart by their number. */
export function findingRows(findings: readonly StoreFinding[], filter: Filter): FindingRow[] {
  const times = new Map<string, number>();
  return findings
    .filter((found) => fits(filter, found))
    .map((found) => {
      const { store_id, finding } = found;
      const name = [store_id, finding.path, finding.rule, finding.line, finding.column, finding.message].join("\u0000");
      const time = times.get(name) ?? 0;
      times.set(name, time + 1);
      return { key: `${name}\u0000${time}`, level: 0, leaf: true, open: false, label: finding.path, found };
    });
}

/** Rules that findings are of, with how many each; groups first. */
export function rulesOf(findings: readonly StoreFinding[]): { rule: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { finding } of findings)
    for (const name of [groupOf(finding.rule), finding.rule]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([rule, count]) => ({ rule, count })).sort((one, other) => (one.rule < other.rule ? -1 : 1));
}
