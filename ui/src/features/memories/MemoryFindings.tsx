/** What rules find in the memory that is open, each with what mends it: a strip above every view of it. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Finding } from "@/bindings";
import { allowHere, canAllow } from "@/shared/allow";
import { findingTone } from "@/shared/findings";
import { useProgramWords } from "@/shared/program";
import { countOf, RemedyButtons } from "@/shared/remedies";
import { RuleTerm } from "@/shared/Term";
import { Button, Chip } from "@/shared/ui";
import { useFindingsOf } from "@/state/health";
import { formatRoute } from "@/state/route";
import css from "./memories.module.css";

/** Rules that are named; Health lists the others. */
const MOST_RULES = 3;
/** Lines that are named of one rule. */
const MOST_LINES = 5;

interface RowProps {
  store: string;
  memory: string | null;
  /** Findings of one rule. */
  findings: readonly Finding[];
  onLine: (line: number) => void;
}

/** The findings of one rule: where, and the acts for the first of them. */
function RuleRow({ store, memory, findings, onLine }: RowProps) {
  const { t } = useLingui();
  const program = useProgramWords();
  const first = findings[0]!;
  const count = findings.reduce((sum, finding) => sum + countOf(finding), 0);
  const lines = [...new Set(findings.filter(({ start }) => start !== null).map(({ line }) => line))];
  const name = program.ruleName(first.rule);
  return (
    <li data-testid="memory-finding" data-rule={first.rule}>
      <RuleTerm rule={first.rule}>
        <Chip tone={findingTone(first)}>{count > 1 ? `${count} × ${name}` : name}</Chip>
      </RuleTerm>
      <span>
        {lines.slice(0, MOST_LINES).map((line) => (
          <button key={line} type="button" className="link-button num" onClick={() => onLine(line)}>
            {t`line ${line}`}
          </button>
        ))}{" "}
        {count === 1 && program.message(first)}
      </span>
      <span className={css.findingActs}>
        <RemedyButtons found={{ store, memory, finding: first }} without={["open", "reach"]} />
        {canAllow(first) && (
          <Button tone="quiet" onPress={() => allowHere(store, first)} data-testid="memory-allow">
            <Trans>Allow here…</Trans>
          </Button>
        )}
      </span>
    </li>
  );
}

/** The strip; nothing where nothing is found. Notes stand in Health alone. */
export function MemoryFindings({ path, ...shared }: Omit<RowProps, "findings"> & { path: string }) {
  const { t } = useLingui();
  const findings = useFindingsOf(shared.store, path).filter(({ severity }) => severity !== "note");
  if (findings.length === 0) return null;
  const names = [...new Set(findings.map(({ rule }) => rule))];
  const rules = names.map((name) => findings.filter(({ rule }) => rule === name));
  const more = rules.length - MOST_RULES;
  return (
    <section className={css.findings} aria-label={t`Findings`} data-testid="memory-findings">
      <ul>
        {rules.slice(0, MOST_RULES).map((of) => (
          <RuleRow key={of[0]!.rule} {...shared} findings={of} />
        ))}
      </ul>
      {more > 0 && (
        <a href={formatRoute({ screen: "health", store: shared.store })}>
          <Plural value={more} one="# more rule finds something" other="# more rules find something" />
        </a>
      )}
    </section>
  );
}
