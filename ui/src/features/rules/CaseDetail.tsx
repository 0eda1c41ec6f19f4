/** One case of a rule: the call, the turn it was made in, and whether the rule was before the model. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { RuleCase } from "@/bindings";
import { Moment } from "@/shared/labels";
import { NotFollowed, useCauseWords, useGradeWords } from "@/shared/presence";
import { Chip } from "@/shared/ui";
import { formatRoute } from "@/state/route";
import css from "./evidence.module.css";

/** Why nothing is said of presence, where it was not looked for. */
function NotAsked({ found }: { found: RuleCase }) {
  switch (found.outcome) {
    case "followed":
      return <Trans>The rule was followed. Presence is checked where one is broken.</Trans>;
    case "excepted":
      return <Trans>You had asked for it, so it does not count as broken.</Trans>;
    case "predates":
      return (
        <Trans>
          The rule’s line did not stand there then (not yet, or no longer), or said something else, so it does not
          count.
        </Trans>
      );
    case "undecidable":
      return <Trans>The session does not tell whether the rule was followed.</Trans>;
    case "broken":
      return <Trans>The session does not tell whether the rule was present.</Trans>;
  }
}

function Presence({ found }: { found: RuleCase }) {
  const causeWords = useCauseWords();
  const gradeWords = useGradeWords();
  if (found.outcome !== "broken" || found.present === null) return <NotAsked found={found} />;
  const cause = found.cause === null ? null : causeWords(found.cause);
  return (
    <>
      <strong>
        {found.present ? (
          <Trans>The rule was present.</Trans>
        ) : cause === null ? (
          <Trans>The rule was absent.</Trans>
        ) : (
          <Trans>The rule was absent: {cause}.</Trans>
        )}
      </strong>{" "}
      {found.grade && <Chip tone={found.grade === "proved" ? "add" : "plain"}>{gradeWords(found.grade)}</Chip>}{" "}
      {found.present && <NotFollowed />}
    </>
  );
}

function Turn({ found }: { found: RuleCase }) {
  const { t } = useLingui();
  const { turn } = found;
  const page = formatRoute({ screen: "context", transcript: found.session, turn: turn ?? undefined });
  const about = [turn !== null && t`turn ${turn}`, found.subagent && t`in a subagent`].filter(Boolean).join(" · ");
  return (
    <>
      <a href={page} data-testid="rule-case-turn">
        {found.title ?? <Trans>A session without a prompt</Trans>}
      </a>
      <span className="muted">
        {about}
        {found.at && (
          <>
            {about && " · "}
            <Moment at={found.at} form="moment" />
          </>
        )}
      </span>
    </>
  );
}

/** A case, and its place among all. */
export function CaseDetail({ found, at, all }: { found: RuleCase; at: number; all: number }) {
  return (
    <dl className={css.detail} data-testid="rule-case-detail">
      <dt>
        <Trans>The call</Trans>
        <span className="muted">
          <Trans>
            {at} of {all}
          </Trans>
        </span>
      </dt>
      <dd>
        <code className={css.call}>{found.what}</code>
      </dd>
      <dt>
        <Trans>The turn</Trans>
      </dt>
      <dd className={css.turn}>
        <Turn found={found} />
      </dd>
      <dt>
        <Trans>What was present</Trans>
      </dt>
      <dd>
        <Presence found={found} />
      </dd>
    </dl>
  );
}
