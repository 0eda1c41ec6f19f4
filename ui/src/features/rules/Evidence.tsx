/** The evidence of an open rule: what to do about it, each case with its call, its turn and what was present, and its wordings. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { RuleCase, RuleLedger } from "@/bindings";
import { Moment } from "@/shared/labels";
import { Picker } from "@/shared/Picker";
import { Await, Button, Chip, useWords } from "@/shared/ui";
import { sayFailed } from "@/shared/say-failed";
import type { Backend } from "@/host";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import { CaseDetail } from "./CaseDetail";
import css from "./evidence.module.css";
import { OUTCOMES, patternWords } from "./words";
import { WordingTable } from "./WordingTable";

/** Takes a rule off the list, with the way back in the toast. */
async function takeOff(backend: Backend, rule: string, words: { done: string; undo: string }): Promise<void> {
  await backend.call("list_memory_rule", { rule, put_back: false });
  say(() => ({
    tone: "done",
    title: words.done,
    action: { label: words.undo, run: () => void backend.call("list_memory_rule", { rule, put_back: true }) },
  }));
}

function TakeOff({ rule }: { rule: RuleLedger }) {
  const { t } = useLingui();
  const backend = useBackend();
  const remove = () => {
    takeOff(backend, rule.rule_id, { done: t`The rule is off the list.`, undo: t`Put back` }).catch(
      (error: unknown) => {
        sayFailed(error);
      },
    );
  };
  return (
    <Button tone="quiet" onPress={remove} data-testid="rule-remove">
      <Trans>Remove the rule</Trans>
    </Button>
  );
}

/** What the figures ask for: a guard or better words where the rule was present, another place where its line was cut. */
function Advice({ rule }: { rule: RuleLedger }) {
  const { broken_present: present } = rule;
  const cut = rule.broken_absent["cut"] ?? 0;
  if (present === 0 && cut === 0) return null;
  return (
    <strong data-testid="rule-advice">
      {present > 0 && (
        <Plural
          value={present}
          one="Broken once while the rule was present: its wording was not enough."
          other="Broken # times while the rule was present: its wording was not enough."
        />
      )}{" "}
      {cut > 0 && (
        <Plural
          value={cut}
          one="Broken once because its line was cut: move it up."
          other="Broken # times because its line was cut: move it up."
        />
      )}
    </strong>
  );
}

function CaseRow({ found }: { found: RuleCase }) {
  const words = useWords();
  return (
    <span className={css.case} data-outcome={found.outcome}>
      <Chip tone={found.outcome === "broken" ? "del" : "plain"}>{words(OUTCOMES[found.outcome])}</Chip>
      <code>{found.what}</code>
      <span className="muted">{found.at && <Moment at={found.at} form="ago" />}</span>
    </span>
  );
}

/** Broken ones first, then the others, the newest first; beside them the chosen one. */
function Cases({ cases }: { cases: readonly RuleCase[] }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState(0);
  const broken = cases.filter(({ outcome }) => outcome === "broken");
  const rest = cases.filter(({ outcome }) => outcome !== "broken");
  const rows = [...broken, ...rest].map((found, at) => ({
    key: String(at),
    label: found.what,
    level: 0,
    leaf: true,
    open: false,
    position: at + 1,
    siblings: cases.length,
    found,
  }));
  const row = rows[Math.min(chosen, rows.length - 1)]!;
  return (
    <div className={css.cases}>
      <Picker
        role="listbox"
        label={t`Cases`}
        rows={rows}
        chosen={row.key}
        onChoose={({ key }) => setChosen(Number(key))}
        estimate={34}
        className={css.list ?? ""}
        rowTestId="rule-case"
      >
        {({ found }) => <CaseRow found={found} />}
      </Picker>
      <CaseDetail found={row.found} at={row.position} all={rows.length} />
    </div>
  );
}

/** What stands below an open rule. */
export function Evidence({ rule }: { rule: RuleLedger }) {
  const read = useRead("adherence", { rule: rule.rule_id, since: null, cases: true });
  return (
    <div className={css.evidence}>
      <p className={css.advice}>
        <Advice rule={rule} />
        <span className="muted">
          <Trans>
            What counts: <span className="mono">{patternWords(rule)}</span>
          </Trans>
        </span>
      </p>
      <Await read={read} rows={3}>
        {({ rules }) => {
          const cases = rules[0]?.cases ?? [];
          return cases.length === 0 ? (
            <p className="muted">
              <Trans>It never applied in a session on this machine.</Trans>
            </p>
          ) : (
            <Cases cases={cases} />
          );
        }}
      </Await>
      <footer className={css.foot}>
        <WordingTable rule={rule} />
        <TakeOff rule={rule} />
      </footer>
    </div>
  );
}
