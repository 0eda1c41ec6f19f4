/** Two stores held side by side: which memories differ, which are chosen, and what taking them over asks for. Pure. */
import type { ComparedMemory, StoreComparison } from "@/bindings";
import type { PickerRow } from "@/shared/Picker";
import type { Act } from "@/state/acts";

/** A memory that differs, as a row. */
export type CompareRow = PickerRow & { memory: ComparedMemory };

/** The store of a target: `STORE` of `STORE@TIME`. */
export function storeOf(target: string): string {
  return target.split("@")[0]!;
}

/** The time of a target; null for the present. */
export function timeOf(target: string): string | null {
  const at = target.indexOf("@");
  return at < 0 ? null : target.slice(at + 1);
}

/** The memories that differ as rows, those with one of `changes` alone when there are any. */
export function compareRows(comparison: StoreComparison, changes: ReadonlySet<string>): CompareRow[] {
  return comparison.memories
    .filter(({ change }) => changes.size === 0 || changes.has(change))
    .map((memory) => ({ key: memory.path, label: memory.path, level: 0, leaf: true, open: false, memory }));
}

/** Number of memories by kind of difference, and the tokens in all. */
export interface Sums {
  /** Memories by change. */
  changes: Record<string, number>;
  /** Lines added. */
  added: number;
  /** Lines removed. */
  removed: number;
  /** Tokens more, or fewer. */
  tokens: number;
}

/** Adds up what differs. */
export function sumsOf(memories: readonly ComparedMemory[]): Sums {
  const sums: Sums = { changes: {}, added: 0, removed: 0, tokens: 0 };
  for (const { change, added, removed, tokens } of memories) {
    sums.changes[change] = (sums.changes[change] ?? 0) + 1;
    sums.added += added ?? 0;
    sums.removed += removed ?? 0;
    sums.tokens += tokens ?? 0;
  }
  return sums;
}

/**
 * True if both sides are the same store at different times: then it is not taken over from one into the other, but put back
 * to what it was.
 */
export function isPutBack(from: string, to: string): boolean {
  return storeOf(from) === storeOf(to);
}

/**
 * The act that takes memories of `to` over into `from`, or puts them back to `from`. All that differ when `chosen` is null.
 * A moved memory is written at its new path and deleted at the old one.
 */
export function acceptance(
  from: string,
  to: string,
  comparison: StoreComparison,
  chosen: ReadonlySet<string> | null,
  subject: string,
): Act {
  const back = isPutBack(from, to);
  const memories = comparison.memories.filter(({ path }) => chosen === null || chosen.has(path));
  const versions: Record<string, string | null> = {};
  for (const { path, moved_from, from_version_id, to_version_id } of memories) {
    versions[path] = back ? (moved_from === null ? from_version_id : null) : to_version_id;
    if (moved_from !== null) versions[moved_from] = back ? from_version_id : null;
  }
  const request = {
    from: back ? from : to,
    into: storeOf(from),
    paths: chosen === null ? [] : Object.keys(versions),
    delete: chosen === null,
  };
  return { command: "accept_memories", request, subject, versions };
}
