/**
 * Rules that running sessions broke and nobody saw yet: the call, where it stands, the sentence and its source, and whether the rule
 * was before the model. They stand above the changes, since a session that goes on can be stopped.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useState } from "react";
import type { BrokenRule } from "@/bindings";
import { classes } from "@/shared/classes";
import { Moment } from "@/shared/labels";
import { useCauseWords, useGradeWords } from "@/shared/presence";
import { Button } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import { formatRoute, navigate, type Route } from "@/state/route";
import { say } from "@/state/toasts";
import css from "./broken.module.css";

const keyOf = ({ id }: BrokenRule) => id;

/** Where the call of a break is shown. */
const placeOf = (broken: BrokenRule): Route => ({
  screen: "context",
  transcript: broken.session,
  turn: broken.turn ?? undefined,
});

/** Says that a break was seen, with the way back. */
function useSee(): (broken: BrokenRule) => void {
  const { t } = useLingui();
  const backend = useBackend();
  const fail = (error: unknown) => {
    sayFailed(error);
  };
  const see = (id: string, put_back: boolean) => backend.call("see_broken_rules", { broken: [id], put_back });
  return ({ id }) => {
    see(id, false).then(() => {
      const run = () => void see(id, true).catch(fail);
      say(() => ({ tone: "done", title: t`The broken rule is marked as seen.`, action: { label: t`Put back`, run } }));
    }, fail);
  };
}

function WasThere({ broken }: { broken: BrokenRule }) {
  const causeOf = useCauseWords();
  const gradeOf = useGradeWords();
  if (broken.present === null) return <Trans>not known whether the rule was before the model</Trans>;
  const grade = broken.grade === null ? "" : ` (${gradeOf(broken.grade)})`;
  if (broken.present) return <Trans>the rule was before the model{grade}</Trans>;
  const cause = broken.cause === null ? "" : `: ${causeOf(broken.cause)}`;
  return (
    <Trans>
      the rule was not before the model{cause}
      {grade}
    </Trans>
  );
}

/** What was missing at the end of a session, and how that is known. */
function AtEnd({ broken }: { broken: BrokenRule }) {
  const { quiet_minutes: minutes } = broken;
  if (minutes === null) return <Trans>not done when the session ended</Trans>;
  return <Trans>not done when the session ended: no call in {minutes} minutes</Trans>;
}

function Row({ broken, onSee }: { broken: BrokenRule; onSee: (broken: BrokenRule) => void }) {
  const { t } = useLingui();
  const { turn } = broken;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "a") onSee(broken);
    else if (event.key === "t") navigate(placeOf(broken));
    else return;
    // The keys of the list below act on the change that is chosen there.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // Its keys are those of its two buttons.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div role="group" aria-label={broken.sentence} className={css.row} onKeyDown={onKey} data-testid="broken-rule">
      <strong className={css.sentence}>{broken.sentence}</strong>
      <code className={css.what}>{broken.what}</code>
      {broken.at_end && (
        <span className="muted">
          <AtEnd broken={broken} />
        </span>
      )}
      <span className={classes(css.facts, "muted")}>
        {broken.title ?? <Trans>A session without a prompt</Trans>} {turn !== null && <Trans>turn {turn}</Trans>}{" "}
        {broken.subagent && <Trans>in a subagent</Trans>} · <Moment at={broken.at ?? broken.found_at} form="ago" /> ·{" "}
        <WasThere broken={broken} />
        {broken.source && ` · ${broken.source}`}
      </span>
      <span className={css.acts}>
        <a href={formatRoute(placeOf(broken))} data-testid="broken-open" aria-keyshortcuts="t">
          <Trans>Open the turn</Trans>
        </a>
        <Button
          keys="a"
          onPress={() => onSee(broken)}
          aria-label={t`Seen: ${broken.sentence}`}
          data-testid="broken-seen"
        >
          <Trans>Seen</Trans>
        </Button>
      </span>
    </div>
  );
}

/** The breaks. */
export function BrokenRules({ broken, total }: { broken: readonly BrokenRule[]; total: number }) {
  const { t } = useLingui();
  const see = useSee();
  const [open, setOpen] = useState(true);
  if (broken.length === 0) return null;
  return (
    <section className={css.section} aria-label={t`Broken rules`} data-testid="broken-rules">
      <h2 className={css.heading}>
        <button type="button" className={css.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Plural value={total} one="# rule broken by a session" other="# rules broken by sessions" />
        </button>
      </h2>
      {open && (
        <VirtualRows
          items={broken}
          keyOf={keyOf}
          estimate={78}
          className={css.rows}
          role="group"
          aria-label={t`Broken rules`}
        >
          {(one) => <Row broken={one} onSee={see} />}
        </VirtualRows>
      )}
    </section>
  );
}
