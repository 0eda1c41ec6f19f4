/** A figure with how it was come by, as a sign for the eye and in words for all. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { FigureKind } from "@/bindings";
import { useFormat } from "@/shared/format";
import { useWords } from "@/shared/ui";
import { classes } from "@/shared/classes";
import { useCountedWith } from "./counted";
import css from "./lab.module.css";

/** The sign and the words of each kind. The sign stands before the number. */
export const KINDS: Record<FigureKind, { sign: string; word: MessageDescriptor; explain: MessageDescriptor }> = {
  recorded: {
    sign: "",
    word: msg`recorded`,
    explain: msg`Recorded: the transcript's own usage.`,
  },
  exact: {
    sign: "=",
    word: msg`exact`,
    explain: msg`Exact: answered by count_tokens.`,
  },
  "counted offline": {
    sign: "≈",
    word: msg`counted offline`,
    explain: msg`Counted offline: with the built-in tokenizer.`,
  },
  estimated: {
    sign: "~",
    word: msg`estimated`,
    explain: msg`Estimated: part of it is a guess within a range.`,
  },
};

/** Words, sign and range of a figure; a kind that is not known is shown by its own name. */
export function figureParts(kind: FigureKind, range: number | null): { sign: string; range: number | null } {
  return { sign: KINDS[kind]?.sign ?? "?", range: kind === "estimated" ? range : null };
}

/** How a kind of figures is come by, with the tokenizer where that is known. */
function useExplain(): (kind: FigureKind) => string {
  const { t } = useLingui();
  const say = useWords();
  const tokenizer = useCountedWith();
  return (kind) => {
    if (kind === "counted offline" && tokenizer !== null)
      return t`Counted offline: with the built-in tokenizer ${tokenizer}.`;
    return KINDS[kind] ? say(KINDS[kind].explain) : kind;
  };
}

/** Props of a figure. */
export interface FigureProps {
  /** The number as it is to be read. */
  text: string;
  /** A shorter form of it, for where the whole finds no room; the whole is then its title. */
  short?: string;
  /** Its kind. */
  kind: FigureKind;
  /** Half width of its range in percent, where it has one. */
  range?: number | null;
}

/** A figure. */
export function Figure({ text, short, kind, range = null }: FigureProps) {
  const say = useWords();
  const explain = useExplain();
  const format = useFormat();
  const parts = figureParts(kind, range);
  const known = KINDS[kind];
  const width = parts.range === null ? "" : `±${format.decimal(parts.range)}\u202f%`;
  return (
    <span className={classes(css.figure, "num")} title={explain(kind)} data-kind={kind}>
      {parts.sign && (
        <span className={css.figureSign} aria-hidden>
          {parts.sign}&#8239;
        </span>
      )}
      {short === undefined ? (
        text
      ) : (
        <>
          <span className={css.figureWhole}>{text}</span>
          <span className={css.figureShort} title={text}>
            {short}
          </span>
        </>
      )}
      {width && <span className="figure-range"> {width}</span>}
      <span className="visually-hidden"> ({known ? say(known.word) : kind})</span>
    </span>
  );
}

/** The signs and their words, for a legend. */
export function KindLegend({ kinds }: { kinds: readonly FigureKind[] }) {
  const say = useWords();
  const explain = useExplain();
  return (
    <span className={css.kindLegend}>
      {[...new Set(kinds)].map((kind) => (
        <span key={kind} title={explain(kind)}>
          {KINDS[kind].sign && <b aria-hidden>{KINDS[kind].sign}</b>} {say(KINDS[kind].word)}
        </span>
      ))}
    </span>
  );
}

/** Difference of a value from the same without editing; empty where it does not or cannot be said. */
export function changeOf(value: number | null | undefined, base: number | null | undefined): number | null {
  if (value === null || value === undefined || !base) return null;
  const change = value / base - 1;
  return Math.abs(change) < 0.0005 ? null : change;
}

/** A difference to "no editing". Less is better for all that is shown here. */
export function Change({ value, base }: { value: number | null | undefined; base: number | null | undefined }) {
  const format = useFormat();
  const change = changeOf(value, base);
  if (change === null) return null;
  return <span className={`change num ${change < 0 ? "text-add" : "text-del"}`}>{format.change(change)}</span>;
}
