/** The wordings of a rule's line and how each fared: the table behind the drawing. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { RuleLedger, RuleWording } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { numbers, TableHead } from "@/shared/TableHead";
import css from "./evidence.module.css";
import { useBroken } from "./Trend";

function Row({ wording }: { wording: RuleWording }) {
  const format = useFormat();
  const broken = useBroken();
  return (
    <tr>
      <th scope="row">
        {wording.version_id === null ? (
          <Trans>not in force</Trans>
        ) : wording.line === null ? (
          <Trans>redacted</Trans>
        ) : (
          <span className="mono">{wording.line.trim()}</span>
        )}
      </th>
      <td>{wording.since && <Moment at={wording.since} form="moment" />}</td>
      <td className="cell-end num">{format.number(wording.opportunities)}</td>
      <td className="cell-end num">{format.number(wording.followed)}</td>
      <td className="cell-end num">{wording.opportunities === 0 ? format.number(0) : broken(wording)}</td>
    </tr>
  );
}

/** A row a wording, the newest first. */
export function WordingTable({ rule }: { rule: RuleLedger }) {
  const { t } = useLingui();
  const shown = rule.by_version.filter(({ version_id, opportunities }) => version_id !== null || opportunities > 0);
  if (shown.length === 0) return <span />;
  return (
    <div className="table-box">
      <table className={`table ${css.wordings ?? ""}`} aria-label={t`Wordings of the line`}>
        <TableHead
          columns={[t`Wording`, t`Since`, numbers(t`Opportunities`), numbers(t`Followed`), numbers(t`Broken`)]}
        />
        <tbody>
          {[...shown].reverse().map((wording) => (
            <Row key={wording.version_id ?? "before"} wording={wording} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
