/**
 * One line of untrusted text. It is only ever text: what looks like markup stays letters, and what a reader would not see
 * gets a mark.
 */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Fragment, memo, useState } from "react";
import type { Hidden } from "@/bindings";
import { useFormat } from "./format";
import { useHiddenSecrets } from "./known-secrets";
import { withoutSecrets } from "./secrets";
import { type Marks, pieces, sliceOf } from "./text";
import { Button, useWords } from "./ui";
import { hiddenWords } from "./vocabulary";
import css from "./code.module.css";

/** The mark in place of what a reader would not see. */
export function HiddenMark({ hidden }: { hidden: Hidden }) {
  const say = useWords();
  const words = say(hiddenWords(hidden.kind));
  return (
    <span className={css.hiddenMark} title={`${hidden.code}: ${words}`} data-testid="hidden-mark">
      <span className="visually-hidden">{words}</span>
      {hidden.code}
      {hidden.length > 1 && `×${hidden.length}`}
    </span>
  );
}

/** Letters of a line that are drawn at once. A browser takes long to break a line of a megabyte. */
const LETTERS_AT_ONCE = 20_000;

/** What is left of a long line, and the way to more of it. */
function Rest({ letters, hidden, onMore }: { letters: number; hidden: number; onMore: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const left = plural(letters, { one: "# more character", other: "# more characters" });
  return (
    <Button tone="quiet" onPress={onMore} data-testid="line-rest">
      {hidden > 0 ? t`… ${left}, ${format.number(hidden)} of them hidden: show more` : t`… ${left}: show more`}
    </Button>
  );
}

/** Letters between two places at which a line may break. Breaking a word of many thousand takes the square of its length. */
const BREAK_EVERY = 200;

/** A text without blanks may be as long as its line. */
function Broken({ text }: { text: string }) {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const part = sliceOf(text.slice(at, at + BREAK_EVERY + 1), BREAK_EVERY);
    parts.push(part);
    at += part.length;
  }
  return parts.map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** A line with its colours, changed words and marks. Secrets that are known are out of sight; positions stay what they were. */
export const LineText = memo(function LineText({ text: whole, spans, words, hidden }: Marks & { text: string }) {
  const say = useWords();
  const secrets = useHiddenSecrets();
  const { text } = secrets.length === 0 ? { text: whole } : withoutSecrets({ text: whole }, secrets);
  const [letters, setLetters] = useState(LETTERS_AT_ONCE);
  const shown = sliceOf(text, letters);
  const drawn = pieces(shown, { ...(spans && { spans }), ...(words && { words }), ...(hidden && { hidden }) }).map(
    (piece, at) => {
      if (piece.hidden) return <HiddenMark key={at} hidden={piece.hidden} />;
      const names = [piece.colour && `syn-${piece.colour}`, piece.comment && "comment-mark"].filter(Boolean).join(" ");
      const title = piece.comment ? say(hiddenWords("html_comment")) : undefined;
      const Tag = piece.marked ? "mark" : "span";
      return names || piece.marked ? (
        <Tag key={at} className={names || undefined} title={title}>
          {piece.text}
        </Tag>
      ) : piece.text.length > BREAK_EVERY * 10 ? (
        <Broken key={at} text={piece.text} />
      ) : (
        piece.text
      );
    },
  );
  if (shown.length === text.length) return drawn;
  const from = [...shown].length;
  const unseen = (hidden ?? []).filter(({ at, kind }) => at >= from && kind !== "html_comment");
  return (
    <>
      {drawn}
      <Rest
        letters={text.length - shown.length}
        hidden={unseen.reduce((sum, { length }) => sum + length, 0)}
        onMore={() => setLetters(letters + LETTERS_AT_ONCE)}
      />
    </>
  );
});
