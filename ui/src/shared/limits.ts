/**
 * How much of an index file an agent loads. Claude Code reads the first 200 lines or the first 25,000 bytes of
 * `MEMORY.md`, whichever is less: lines are cut first, then bytes at the last line end before the limit. Front matter and
 * block HTML comments do not count. Sources: Claude Code documentation, "memory" (lines and size) and "errors" (what is
 * stripped, since 2.1.211); the byte constant is from published descriptions of the program.
 */
import { fileName } from "./text";

/** Lines that are loaded. */
export const MAX_LINES = 200;
/** Bytes that are loaded. */
export const MAX_BYTES = 25_000;

/** Where an index stops being loaded. */
export interface Cut {
  /** The last line that is loaded, from 1; 0 when not even the first fits. */
  afterLine: number;
  /** Lines below it that are not loaded and would count. */
  lost: number;
  /** Which limit was met. */
  limit: "lines" | "bytes";
}

/** Store kinds that load an index in this way. */
const KINDS_WITH_LIMIT = new Set(["claude-auto", "claude-agent"]);

/** Whether a file is an index that is loaded only up to the limits. */
export function isLimitedIndex(path: string, storeKind: string): boolean {
  return fileName(path) === "MEMORY.md" && KINDS_WITH_LIMIT.has(storeKind);
}

/** Which lines count: not front matter, not block HTML comments. */
function counted(lines: readonly string[]): boolean[] {
  const counts = lines.map(() => true);
  let start = 0;
  if (lines[0]?.trimEnd() === "---") {
    const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
    if (end > 0) {
      counts.fill(false, 0, end + 1);
      start = end + 1;
    }
  }
  let fence: string | null = null;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at]!;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== null) {
      fence = mark;
    } else if (/^ {0,3}<!--/.test(line)) {
      const end = lines.findIndex((later, below) => below >= at && later.includes("-->"));
      if (end < 0) break;
      counts.fill(false, at, end + 1);
      at = end;
    }
  }
  return counts;
}

/** Where a text of these lines stops being loaded; null when all of it is. */
export function findCut(lines: readonly string[]): Cut | null {
  const counts = counted(lines);
  // Blank lines at the end are no content: the file of exactly 200 lines stays whole.
  let last = lines.length;
  while (last > 0 && (!counts[last - 1] || lines[last - 1]!.trim() === "")) last -= 1;
  const encoder = new TextEncoder();
  let loaded = 0;
  let bytes = 0;
  for (let at = 0; at < last; at += 1) {
    if (!counts[at]) continue;
    bytes += encoder.encode(lines[at]).length;
    const limit = loaded >= MAX_LINES ? "lines" : bytes > MAX_BYTES ? "bytes" : null;
    if (limit) return { afterLine: at, lost: counts.slice(at, last).filter(Boolean).length, limit };
    loaded += 1;
    bytes += 1;
  }
  return null;
}
