/** Cases of a rule as rows: each call or path with its turn, its session, and whether the rule was before the model. */
import { Trans } from "@lingui/react/macro";
import type { RuleCase } from "@/bindings";
import { Moment } from "@/shared/labels";
import { useCauseWords } from "@/shared/presence";
import { Chip, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { formatRoute } from "@/state/route";
import css from "./rules.module.css";
import { OUTCOMES } from "./words";

const keyOf = (found: RuleCase, index: number) => `${found.transcript}:${found.line}:${index}`;

function Presence({ found }: { found: RuleCase }) {
  const causeWords = useCauseWords();
  if (found.outcome !== "broken") return null;
  if (found.present === null) return <Trans>not known whether it was present</Trans>;
  if (found.present) return <Trans>present</Trans>;
  const cause = found.cause === null ? null : causeWords(found.cause);
  return cause === null ? <Trans>absent</Trans> : <Trans>absent: {cause}</Trans>;
}

function Case({ found }: { found: RuleCase }) {
  const words = useWords();
  const { turn } = found;
  return (
    <div className={css.case} data-testid="rule-case" data-outcome={found.outcome}>
      <Chip tone={found.outcome === "broken" ? "del" : "plain"}>{words(OUTCOMES[found.outcome])}</Chip>
      <code>{found.what}</code>
      <span className={css.caseSession}>
        <a href={formatRoute({ screen: "context", transcript: found.session, turn: turn ?? undefined })}>
          {found.title ?? <Trans>A session without a prompt</Trans>}
        </a>{" "}
        <span className="muted">
          {turn !== null && <Trans>turn {turn}</Trans>} {found.subagent && <Trans>in a subagent</Trans>}
          {found.at && (
            <>
              {" · "}
              <Moment at={found.at} form="ago" />
            </>
          )}
        </span>
      </span>
      <span className="muted">
        <Presence found={found} />
      </span>
    </div>
  );
}

/** Cases as rows. */
export function CaseRows({ cases, label }: { cases: readonly RuleCase[]; label: string }) {
  return (
    <VirtualRows items={cases} keyOf={keyOf} estimate={34} className={css.cases} role="group" aria-label={label}>
      {(found) => <Case found={found} />}
    </VirtualRows>
  );
}
