/** Presence in words and as a strip over the requests of a conversation. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { PresenceCause, PresenceGrade, PresenceSpan } from "@/bindings";
import { classes } from "./classes";
import { useWords } from "./ui";
import css from "./presence.module.css";

const GRADES: Record<PresenceGrade, MessageDescriptor> = {
  proved: msg`proved`,
  recorded: msg`recorded`,
  inferred: msg`inferred`,
  unknown: msg({ context: "how well presence is known", message: "unknown" }),
};

const CAUSES: Record<PresenceCause, MessageDescriptor> = {
  did_not_exist: msg`did not exist yet`,
  other_version: msg`read differently then`,
  cut: msg`cut`,
  not_opened: msg`not opened`,
  other_directory: msg`other directory`,
  switched_off: msg`memory switched off`,
  subagent: msg`subagent had no memory`,
  compacted: msg`compacted`,
  cleared: msg`cleared`,
  not_in_scope: msg`not in scope`,
  stripped: msg`left out by the client`,
  unknown: msg`cause not known`,
};

/** How well presence is known, in words. */
export function useGradeWords(): (grade: PresenceGrade) => string {
  const say = useWords();
  return (grade) => say(GRADES[grade]);
}

/** Why lines were absent, in words. */
export function useCauseWords(): (cause: PresenceCause, cutAfter?: number | null) => string {
  const { t } = useLingui();
  const say = useWords();
  return (cause, cutAfter = null) =>
    cause === "cut" && cutAfter !== null ? t`cut at line ${cutAfter}` : say(CAUSES[cause]);
}

/** A row of requests in words. */
function useSpanWords(whole: boolean): (span: PresenceSpan) => string {
  const { t } = useLingui();
  const gradeOf = useGradeWords();
  const causeOf = useCauseWords();
  return (span) => {
    const [first, last] = [span.from + 1, span.to + 1];
    const what = isThere(span, whole)
      ? `${t`present`}, ${gradeOf(span.grade)}`
      : span.cause === null
        ? gradeOf(span.grade)
        : causeOf(span.cause, span.cut_after);
    return first === last ? t`request ${first}: ${what}` : t`requests ${first} to ${last}: ${what}`;
  };
}

/** True where a row of requests had what is asked about: every line, or any line of a whole memory. */
export function isThere(span: PresenceSpan, whole: boolean): boolean {
  return whole ? span.lines > 0 : span.present;
}

const FILLS: Record<PresenceGrade, string | undefined> = {
  proved: css.proved,
  recorded: css.recorded,
  inferred: css.inferred,
  unknown: css.absent,
};

/** A bar over the requests of a conversation: filled where the lines were there, with the cause in each gap. */
export function PresenceStrip({
  spans,
  requests,
  compactions = [],
  whole,
}: {
  spans: readonly PresenceSpan[];
  requests: number;
  compactions?: readonly number[];
  whole: boolean;
}) {
  const words = useSpanWords(whole);
  const causeOf = useCauseWords();
  return (
    <div className={css.strip} role="img" aria-label={spans.map(words).join("; ")} data-testid="presence-strip">
      {spans.map((span) => {
        const there = isThere(span, whole);
        return (
          <span
            key={span.from}
            className={classes(css.segment, there ? FILLS[span.grade] : css.absent)}
            style={{ flexGrow: span.to - span.from + 1 }}
            title={words(span)}
            data-present={there}
            data-grade={span.grade}
            data-cause={span.cause ?? undefined}
          >
            {!there && span.cause !== null && causeOf(span.cause, span.cut_after)}
          </span>
        );
      })}
      {compactions.map((at) => (
        <span
          key={`c${at}`}
          className={css.compaction}
          style={{ insetInlineStart: `${(at / requests) * 100}%` }}
          aria-hidden
        />
      ))}
    </div>
  );
}

/** What the fills of strips mean. */
export function PresenceLegend() {
  return (
    <div className={css.legend} data-testid="presence-legend">
      <span>
        <i className={classes(css.swatch, css.proved)} aria-hidden /> <Trans>proved</Trans>
      </span>
      <span>
        <i className={classes(css.swatch, css.recorded)} aria-hidden /> <Trans>recorded</Trans>
      </span>
      <span>
        <i className={classes(css.swatch, css.inferred)} aria-hidden /> <Trans>inferred</Trans>
      </span>
      <span>
        <i className={classes(css.swatch, css.absent)} aria-hidden /> <Trans>absent, with the cause</Trans>
      </span>
      <span>
        <i className={css.tick} aria-hidden /> <Trans>compaction</Trans>
      </span>
    </div>
  );
}

/** Stands wherever presence is shown. */
export function NotFollowed() {
  return (
    <span className="muted">
      <Trans>Present does not mean followed.</Trans>
    </span>
  );
}
