/** Confirmed rules that never applied, and what their lines cost all the same. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { RuleLedger } from "@/bindings";
import { Evidence } from "./Evidence";
import { MakeGuard } from "./Guards";
import { RuleName } from "./RuleName";
import css from "./rules.module.css";

function Idle({ rule, open }: { rule: RuleLedger; open: boolean }) {
  return (
    <li data-testid="ledger-row" data-rule={rule.rule_id} className={open ? css.open : undefined}>
      <div className={css.idle}>
        <div>
          <RuleName rule={rule} open={open} />
        </div>
        <span className="muted">
          {rule.predates > 0 ? (
            <Plural
              value={rule.predates}
              one="# opportunity, from when its line did not stand there"
              other="# opportunities, all from when its line did not stand there"
            />
          ) : (
            <Trans>no opportunity in any session</Trans>
          )}
        </span>
        <MakeGuard rule={rule} />
      </div>
      {open && <Evidence rule={rule} />}
    </li>
  );
}

/** Rules that never applied. */
export function IdleRules({ rules, chosen }: { rules: readonly RuleLedger[]; chosen: string | undefined }) {
  const { t } = useLingui();
  if (rules.length === 0) return null;
  const tokens = rules.reduce((all, { tokens_per_session }) => all + tokens_per_session, 0);
  return (
    <section aria-labelledby="idle-rules" className={css.proposals}>
      <h2 id="idle-rules">
        <Trans>Never applicable</Trans>{" "}
        <span className="muted" title={t`Counted offline, as the newest models count.`}>
          <Plural value={rules.length} one="# rule" other="# rules" /> ·{" "}
          <Plural value={tokens} one="# token per session" other="# tokens per session" />
        </span>
      </h2>
      <ul className={css.idles}>
        {rules.map((rule) => (
          <Idle key={rule.rule_id} rule={rule} open={rule.rule_id === chosen} />
        ))}
      </ul>
    </section>
  );
}
