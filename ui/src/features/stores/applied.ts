/** A content after a difference: what a queued change would leave at the host. Pure. */
import type { DocumentLine, Hunk } from "@/bindings";

/**
 * The lines of `before` with `hunks` applied to them; null where they do not fit, which happens when the content was taken
 * from another version than the difference.
 */
export function applied(before: readonly DocumentLine[], hunks: readonly Hunk[]): DocumentLine[] | null {
  const out: DocumentLine[] = [];
  let next = 1;
  for (const hunk of hunks) {
    const first = hunk.lines.find(({ old }) => old !== null)?.old ?? next;
    if (first < next || first > before.length + 1) return null;
    out.push(...before.slice(next - 1, first - 1));
    next = first;
    for (const line of hunk.lines) {
      const known = line.old === null ? undefined : before[line.old - 1];
      if (line.old !== null && (line.old !== next || known?.text !== line.text)) return null;
      if (line.old !== null) next += 1;
      if (line.tag !== "delete") out.push({ text: line.text, spans: line.spans, hidden: line.hidden });
    }
  }
  return [...out, ...before.slice(next - 1)];
}
