/** The ledger: a row a rule, with the evidence of the one that is open. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { PresenceCause, RuleLedger, RuleWording } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { wordsFor } from "@/shared/failure";
import { useCauseWords } from "@/shared/presence";
import { numbers, TableHead, unseen } from "@/shared/TableHead";
import { Button, Chip, useWords } from "@/shared/ui";
import type { Backend } from "@/host";
import { useBackend } from "@/state/backend";
import { formatRoute } from "@/state/route";
import { say } from "@/state/toasts";
import { CaseList } from "./CaseList";
import { Guards, MakeGuard } from "./Guards";
import css from "./rules.module.css";
import { patternWords, RULE_KINDS } from "./words";

/** Opportunities from which a rate is shown. */
const RATE_FROM = 10;

function Broken({ rule }: { rule: RuleLedger }) {
  const causeWords = useCauseWords();
  const causes = Object.entries(rule.broken_absent) as [PresenceCause, number][];
  const absent = causes.reduce((all, [, number]) => all + number, 0);
  return (
    <>
      <td className="cell-end num">
        {rule.broken_present > 0 ? <strong className="text-del">{rule.broken_present}</strong> : 0}
      </td>
      <td className="cell-end num">
        {absent}
        {causes.map(([cause, number]) => (
          <div key={cause} className={classes("muted", css.causes)}>
            {number} {causeWords(cause)}
          </div>
        ))}
        {rule.broken_unknown > 0 && (
          <div className={classes("muted", css.causes)}>
            <Plural value={rule.broken_unknown} one="# not known" other="# not known" />
          </div>
        )}
      </td>
    </>
  );
}

function useShare() {
  const { t } = useLingui();
  const format = useFormat();
  return ({ followed, opportunities }: Pick<RuleWording, "followed" | "opportunities">) =>
    opportunities < RATE_FROM ? t`${followed} of ${opportunities}` : format.share(followed / opportunities);
}

/** Before and after each edit of the line. */
function Wordings({ rule }: { rule: RuleLedger }) {
  const share = useShare();
  const judged = rule.by_version.filter(({ opportunities }) => opportunities > 0);
  if (judged.length === 0) return <Trans>never applicable</Trans>;
  return (
    <ol className={css.wordings}>
      {judged.map((wording, place) => (
        <li key={wording.version_id ?? "before"} title={wording.line?.trim() ?? undefined}>
          {wording.version_id === null ? (
            <Trans>before it was written:</Trans>
          ) : place > 0 ? (
            <Trans>after it was worded so:</Trans>
          ) : judged.length > 1 ? (
            <Trans>since it was worded so:</Trans>
          ) : null}{" "}
          {share(wording)}
        </li>
      ))}
    </ol>
  );
}

/** Takes a rule off the list, with the way back in the toast. */
export async function takeOff(backend: Backend, rule: string, words: { done: string; undo: string }): Promise<void> {
  await backend.call("list_memory_rule", { rule, put_back: false });
  say({
    tone: "done",
    title: words.done,
    action: { label: words.undo, run: () => void backend.call("list_memory_rule", { rule, put_back: true }) },
  });
}

function Row({ rule, open }: { rule: RuleLedger; open: boolean }) {
  const { t } = useLingui();
  const words = useWords();
  const format = useFormat();
  const backend = useBackend();
  const name = rule.sentence || patternWords(rule);
  const remove = () => {
    takeOff(backend, rule.rule_id, { done: t`The rule is off the list.`, undo: t`Put back` }).catch(
      (error: unknown) => {
        const failure = wordsFor(error);
        say({ tone: "failure", title: words(failure.title), detail: failure.detail });
      },
    );
  };
  return (
    <tr data-testid="ledger-row" data-rule={rule.rule_id} className={open ? css.open : undefined}>
      <th scope="row">
        <a
          href={formatRoute({ screen: "rules", rule: open ? undefined : rule.rule_id })}
          aria-expanded={open}
          className={css.sentence}
        >
          {name}
        </a>
        <div className={css.about}>
          <Chip>{words(RULE_KINDS[rule.kind])}</Chip>
          <span className="muted mono">{patternWords(rule)}</span>
          {rule.source && <span className="muted mono">{rule.source}</span>}
          <span className="muted" title={t`Counted offline, as the newest models count.`}>
            <Plural value={rule.tokens_per_session} one="# token per session" other="# tokens per session" />
          </span>
          <Guards rule={rule} />
        </div>
      </th>
      <td className="cell-end num">{format.number(rule.sessions)}</td>
      <td className="cell-end num">{format.number(rule.opportunities)}</td>
      <td className="cell-end num">{format.number(rule.followed)}</td>
      <Broken rule={rule} />
      <td>
        <Wordings rule={rule} />
      </td>
      <td>
        <div className={css.acts}>
          <MakeGuard rule={rule} />
          <Button tone="quiet" onPress={remove} data-testid="rule-remove">
            <Trans>Remove it</Trans>
          </Button>
        </div>
      </td>
    </tr>
  );
}

/** The confirmed rules. */
export function LedgerTable({ rules, chosen }: { rules: readonly RuleLedger[]; chosen: string | undefined }) {
  const { t } = useLingui();
  const columns = [
    t`Rule`,
    numbers(t`Sessions`),
    numbers(t`Opportunities`),
    numbers(t`Followed`),
    numbers(t`Broken, present`),
    numbers(t`Broken, absent`),
    t`By wording`,
    unseen(t`Acts`),
  ];
  return (
    <div className="table-box">
      <table className="table" aria-label={t`Rules`}>
        <TableHead columns={columns} />
        <tbody>
          {rules.map((rule) => (
            <Fragment key={rule.rule_id}>
              <Row rule={rule} open={rule.rule_id === chosen} />
              {rule.rule_id === chosen && (
                <tr>
                  <td colSpan={columns.length} className={css.evidence}>
                    <CaseList rule={rule.rule_id} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
