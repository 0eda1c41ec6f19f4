/** Prepares untrusted Markdown for rendering: front matter apart, hidden characters as text that shows. Pure. */
import type { DocumentLine } from "@/bindings";
import { pieces } from "./text";

/** A content in two parts. */
export interface MarkdownParts {
  /** Front matter without its marks; null when there is none. */
  frontMatter: string | null;
  /** Text that follows. */
  body: string;
}

/** A line in which every hidden character is replaced by its code, so that rendering cannot lose it. */
function shown(line: DocumentLine): string {
  if (line.hidden.length === 0) return line.text;
  return pieces(line.text, { hidden: line.hidden })
    .map((piece) => (piece.hidden ? `⟦${piece.hidden.code}⟧` : piece.text))
    .join("");
}

/** The lines of a content as Markdown. */
export function markdownParts(lines: readonly DocumentLine[]): MarkdownParts {
  const texts = lines.map(shown);
  const end = texts[0]?.trimEnd() === "---" ? texts.findIndex((text, at) => at > 0 && text.trimEnd() === "---") : -1;
  if (end < 0) return { frontMatter: null, body: texts.join("\n") };
  return { frontMatter: texts.slice(1, end).join("\n"), body: texts.slice(end + 1).join("\n") };
}
