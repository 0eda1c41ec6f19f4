/** The findings of an item: those of one rule said once with their number. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Finding, InboxItem } from "@/bindings";
import { useFormat } from "@/shared/format";
import { useProgramWords } from "@/shared/program";
import { countOf, RemedyButtons } from "@/shared/remedies";
import { RuleTerm } from "@/shared/Term";
import { Button, Chip } from "@/shared/ui";
import { findingTone } from "./words";
import css from "./inbox.module.css";

function FindingRow({ finding, item }: { finding: Finding; item: InboxItem }) {
  const program = useProgramWords();
  const place = finding.start === null ? null : `${finding.line}:${finding.column}`;
  const remedy = program.remedy(finding);
  return (
    <li data-testid="item-finding">
      <RuleTerm rule={finding.rule}>
        <Chip tone={findingTone(finding)}>{program.ruleName(finding.rule)}</Chip>
      </RuleTerm>
      <span>
        {place && <span className="mono muted">{place} </span>}
        {program.message(finding)} {remedy && <span className="muted">{remedy}</span>}
      </span>
      <span className={css.inboxRemedies}>
        <RemedyButtons found={{ store: item.store_id, memory: item.memory_id, finding }} />
      </span>
    </li>
  );
}

/** Findings of one rule: said once with their number, opened one by one. */
function RuleRow({ findings, item }: { findings: readonly Finding[]; item: InboxItem }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const first = findings[0]!;
  const count = findings.reduce((sum, finding) => sum + countOf(finding), 0);
  return (
    <>
      <li data-testid="item-finding">
        <RuleTerm rule={first.rule}>
          <Chip tone={findingTone(first)}>
            {format.number(count)} × {program.ruleName(first.rule)}
          </Chip>
        </RuleTerm>
        <span className="muted">{program.remedy(first)}</span>
        <span className={css.inboxRemedies}>
          <Button tone="quiet" aria-expanded={open} onPress={() => setOpen(!open)} data-testid="finding-each">
            {open ? t`Show them as one` : t`Show each`}
          </Button>
        </span>
      </li>
      {open &&
        findings
          .slice(0, MAX_SINGLE)
          .map((finding) => (
            <FindingRow
              key={`${finding.line}:${finding.column}:${finding.message.text}`}
              finding={finding}
              item={item}
            />
          ))}
      {open && count > MAX_SINGLE && (
        <li className="muted">
          <Trans>The first {MAX_SINGLE} are shown; Health lists more.</Trans>
        </li>
      )}
    </>
  );
}

/** Single findings of one rule that are drawn at once. */
const MAX_SINGLE = 100;

/** The findings of an item, each with its remedies. */
export function FindingsList({ item, said }: { item: InboxItem; said: Finding | null }) {
  // What the notice above says is not said again.
  const findings = item.findings.filter(
    (one) => said === null || one.rule !== said.rule || one.start !== said.start || countOf(one) > 1,
  );
  if (findings.length === 0) return null;
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const known = rules.get(finding.rule);
    if (known) known.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  return (
    <section className={css.inboxFindings} data-testid="item-findings">
      <h3>
        <Trans>Findings</Trans>
      </h3>
      <ul>
        {[...rules].map(([rule, of]) =>
          of.length === 1 && countOf(of[0]!) === 1 ? (
            <FindingRow key={rule} finding={of[0]!} item={item} />
          ) : (
            <RuleRow key={rule} findings={of} item={item} />
          ),
        )}
      </ul>
    </section>
  );
}
