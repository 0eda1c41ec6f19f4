/** The ledger: a row a rule that applied, with the evidence of the one that is open below it. */
import { Plural, useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { PresenceCause, RuleLedger } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { useCauseWords } from "@/shared/presence";
import { numbers, TableHead, unseen } from "@/shared/TableHead";
import { Evidence } from "./Evidence";
import { MakeGuard } from "./Guards";
import { RuleName } from "./RuleName";
import css from "./rules.module.css";
import { Trend } from "./Trend";
import { judgedOf } from "./wordings";

function Broken({ rule }: { rule: RuleLedger }) {
  const causeWords = useCauseWords();
  const format = useFormat();
  const causes = Object.entries(rule.broken_absent) as [PresenceCause, number][];
  const absent = causes.reduce((all, [, number]) => all + number, 0);
  return (
    <>
      <td className="cell-end num">
        {rule.broken_present > 0 ? (
          <strong className="text-del">{format.number(rule.broken_present)}</strong>
        ) : (
          <span className="muted">{format.number(0)}</span>
        )}
      </td>
      <td className="cell-end num">
        <span className={absent === 0 ? "muted" : undefined}>{format.number(absent)}</span>
        {causes.map(([cause, number]) => (
          <div key={cause} className={classes("muted", css.causes)}>
            {format.number(number)} {causeWords(cause)}
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

function Row({ rule, open, most }: { rule: RuleLedger; open: boolean; most: number }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <tr data-testid="ledger-row" data-rule={rule.rule_id} className={open ? css.open : undefined}>
      <th scope="row">
        <RuleName rule={rule} open={open} />
      </th>
      <td className="cell-end num">{format.number(rule.sessions)}</td>
      <td className="cell-end num">{format.number(rule.opportunities)}</td>
      <td className="cell-end num">{format.number(rule.followed)}</td>
      <Broken rule={rule} />
      <td>
        <Trend rule={rule} most={most} />
      </td>
      <td className="cell-end num" title={t`Counted offline, as the newest models count.`}>
        {format.number(rule.tokens_per_session)}
      </td>
      <td className="cell-end">
        <MakeGuard rule={rule} tone={open && rule.broken_present > 0 ? "primary" : "plain"} />
      </td>
    </tr>
  );
}

/** Rules that applied. */
export function LedgerTable({ rules, chosen }: { rules: readonly RuleLedger[]; chosen: string | undefined }) {
  const { t } = useLingui();
  const columns = [
    t`Rule`,
    numbers(t`Sessions`),
    numbers(t`Opportunities`),
    numbers(t`Followed`),
    numbers(t`Broken, present`),
    numbers(t`Broken, absent`),
    t`Broken, by wording`,
    numbers(t`Tokens per session`),
    unseen(t`Acts`),
  ];
  const shares = rules.flatMap((rule) => judgedOf(rule).map(({ broken, opportunities }) => broken / opportunities));
  return (
    <div className={classes("table-box", css.frame)}>
      <table className={classes("table", css.ledger)} aria-label={t`Rules`}>
        <TableHead columns={columns} />
        <tbody>
          {rules.map((rule) => (
            <Fragment key={rule.rule_id}>
              <Row rule={rule} open={rule.rule_id === chosen} most={Math.max(0, ...shares)} />
              {rule.rule_id === chosen && (
                <tr>
                  <td colSpan={columns.length} className={css.evidence}>
                    <Evidence rule={rule} />
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
