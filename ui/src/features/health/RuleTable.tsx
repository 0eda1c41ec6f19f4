/** Every rule, and what the person set of their own. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { FindingRule } from "@/bindings";
import { useProgramWords } from "@/shared/program";
import { TableHead } from "@/shared/TableHead";
import { Await, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { SETTINGS, SEVERITIES } from "./words";
import { classes } from "@/shared/classes";
import { sayFailed } from "@/shared/say-failed";
import css from "./health.module.css";

function Row({ rule }: { rule: FindingRule }) {
  const { t } = useLingui();
  const words = useWords();
  const program = useProgramWords();
  const backend = useBackend();
  const set = (setting: string | null) =>
    backend.call("set_finding_rule", { rule: rule.id, setting }).catch((error: unknown) => {
      sayFailed(error);
    });
  const severity = words(SEVERITIES[rule.severity]);
  return (
    <tr data-testid="rule-row" data-rule={rule.id}>
      <th scope="row" className="mono">
        {rule.id}
      </th>
      <td>{rule.on ? severity : t`off (${severity})`}</td>
      <td>
        <select
          aria-label={t`Setting of ${rule.id}`}
          value={rule.own ?? ""}
          onChange={(event) => void set(event.target.value || null)}
          data-testid="rule-setting"
        >
          {Object.entries(SETTINGS).map(([value, label]) => (
            <option key={value} value={value}>
              {words(label)}
            </option>
          ))}
        </select>
      </td>
      <td>{program.explanation(rule)}</td>
    </tr>
  );
}

/** The rules. */
export function RuleTable() {
  const { t } = useLingui();
  const read = useRead("finding_rules", {});
  return (
    <Await read={read}>
      {({ rules, own_file }) => (
        <div className="scroll-pane">
          <p className={classes("muted", css.expiryNote)}>
            <Trans>
              Your settings apply to all your stores and override the configuration of a directory. They are kept in{" "}
              <span className="mono">{own_file}</span>. A check of a directory, such as in CI, does not use them.
            </Trans>
          </p>
          <div className="table-box">
            <table className={classes("table", css.ruleTable)} aria-label={t`Rules`}>
              <TableHead columns={[t`Rule`, t`Default`, t`Your setting`, t`What it checks`]} />
              <tbody>
                {rules.map((rule) => (
                  <Row key={rule.id} rule={rule} />
                ))}
              </tbody>
            </table>
          </div>
        </div>
      )}
    </Await>
  );
}
