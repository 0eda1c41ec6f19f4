/** The screen of rules: how sessions fared with each, and sentences that look like more. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Adherence } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { Await, Empty } from "@/shared/ui";
import { useRead } from "@/state/queries";
import type { Route } from "@/state/route";
import { IdleRules } from "./IdleRules";
import { LedgerTable } from "./LedgerTable";
import { ProposalList } from "./ProposalList";
import css from "./rules.module.css";

type RulesRoute = Extract<Route, { screen: "rules" }>;

function Totals({ found }: { found: Adherence }) {
  const format = useFormat();
  const sum = (of: (rule: Adherence["rules"][number]) => number) =>
    found.rules.reduce((all, rule) => all + of(rule), 0);
  const broken = format.number(sum((rule) => rule.broken));
  const all = sum((rule) => rule.opportunities);
  const opportunities = format.number(all);
  const absent = sum((rule) => Object.values(rule.broken_absent).reduce((total, number) => total + number, 0));
  return (
    <span className="muted" data-testid="rules-totals">
      <Plural value={found.rules.length} one="# confirmed" other="# confirmed" /> ·{" "}
      <Plural value={found.sessions} one="# session" other="# sessions" />
      {all > 0 && (
        <>
          {" · "}
          <Trans>
            {broken} of {opportunities} broken
          </Trans>
          {absent > 0 && (
            <Plural
              value={absent}
              one=", # of them while the rule was absent"
              other=", # of them while the rule was absent"
            />
          )}
        </>
      )}
    </span>
  );
}

/** Those that applied, then those that never did. */
function Ledger({ rules, chosen }: { rules: Adherence["rules"]; chosen: string | undefined }) {
  const applied = rules.filter(({ opportunities }) => opportunities > 0);
  return (
    <>
      {applied.length > 0 && (
        <>
          <LedgerTable rules={applied} chosen={chosen} />
          <p className="muted">
            <Trans>Present does not mean followed. Below ten opportunities, counts are shown and no rate.</Trans>
          </p>
        </>
      )}
      <IdleRules rules={rules.filter((rule) => !applied.includes(rule))} chosen={chosen} />
    </>
  );
}

/** The screen of rules. */
export function RulesScreen({ route }: { route: RulesRoute }) {
  const { t } = useLingui();
  const read = useRead("adherence", { rule: null, since: null, cases: false });
  return (
    <main className={classes("screen", css.rulesScreen)}>
      <header className="list-header">
        <h1>
          <Trans>Rules</Trans>
        </h1>
        {read.data && <Totals found={read.data} />}
      </header>
      <div className={css.rulesBody}>
        <Await read={read} rows={6} doing={t`Comparing rules with what sessions did. The first time takes longest.`}>
          {(found) =>
            found.rules.length === 0 ? (
              <Empty title={t`No rule is confirmed yet`}>
                <Trans>
                  A rule is a sentence of a memory that can be checked against what sessions did. Nothing counts before
                  you confirm it.
                </Trans>
              </Empty>
            ) : (
              <Ledger rules={found.rules} chosen={route.rule} />
            )
          }
        </Await>
        <ProposalList />
      </div>
    </main>
  );
}
