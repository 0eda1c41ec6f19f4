/** The cut of an index as the program measures it, near enough for an invented store: lines first, then bytes. */
import type { IndexCut } from "@/bindings";

const MAX_LINES = 200;
const MAX_BYTES = 25_000;

/** Where a text stops being loaded; null when all of it is. */
export function fakeCut(text: string): IndexCut | null {
  const lines = text.replace(/\n$/, "").split("\n");
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const [at, line] of lines.entries()) {
    bytes += encoder.encode(line).length;
    const limit = at >= MAX_LINES ? "lines" : bytes > MAX_BYTES ? "bytes" : null;
    if (limit) {
      return { line: at + 1, lost: lines.length - at, limit, size: limit === "lines" ? MAX_LINES : MAX_BYTES };
    }
    bytes += 1;
  }
  return null;
}
