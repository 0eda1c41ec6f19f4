/**
 * One line of untrusted text. It is only ever text: what looks like markup stays letters, and what a reader would not see
 * gets a mark.
 */
import { memo } from "react";
import type { Hidden } from "@/bindings";
import { type Marks, pieces } from "./text";
import { useWords } from "./ui";
import { hiddenWords } from "./vocabulary";

/** The mark in place of what a reader would not see. */
export function HiddenMark({ hidden }: { hidden: Hidden }) {
  const say = useWords();
  const words = say(hiddenWords(hidden.kind));
  return (
    <span className="hidden-mark" title={`${hidden.code}: ${words}`} data-testid="hidden-mark">
      <span className="visually-hidden">{words}</span>
      {hidden.code}
      {hidden.length > 1 && `×${hidden.length}`}
    </span>
  );
}

/** A line with its colours, changed words and marks. */
export const LineText = memo(function LineText({ text, spans, words, hidden }: Marks & { text: string }) {
  const say = useWords();
  return pieces(text, { ...(spans && { spans }), ...(words && { words }), ...(hidden && { hidden }) }).map(
    (piece, at) => {
      if (piece.hidden) return <HiddenMark key={at} hidden={piece.hidden} />;
      const names = [piece.colour && `syn-${piece.colour}`, piece.comment && "comment-mark"].filter(Boolean).join(" ");
      const title = piece.comment ? say(hiddenWords("html_comment")) : undefined;
      const Tag = piece.marked ? "mark" : "span";
      return names || piece.marked ? (
        <Tag key={at} className={names || undefined} title={title}>
          {piece.text}
        </Tag>
      ) : (
        piece.text
      );
    },
  );
});
