/** Sentences that look like rules. None counts before a person confirms it. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { RuleFields } from "@/bindings";
import { Await, Button, Chip, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import css from "./rules.module.css";
import { patternWords, RULE_KINDS } from "./words";

const keyOf = (rule: RuleFields, index: number) => `${rule.source}:${patternWords(rule)}:${index}`;

function Proposal({ rule }: { rule: RuleFields }) {
  const { t } = useLingui();
  const words = useWords();
  const backend = useBackend();
  const [busy, setBusy] = useState(false);
  const add = async (dismissed: boolean) => {
    setBusy(true);
    try {
      const { rule_id } = await backend.call("add_memory_rule", { rule, dismissed });
      const back = () => void backend.call("list_memory_rule", { rule: rule_id, put_back: dismissed });
      say(() => ({
        tone: "done",
        title: dismissed ? t`Dismissed. It is not proposed again.` : t`Confirmed. It counts over every session.`,
        action: { label: dismissed ? t`Confirm` : t`Remove it`, run: back },
      }));
    } catch (error) {
      sayFailed(error);
      setBusy(false);
    }
  };
  return (
    <div className={css.proposal} data-testid="rule-proposal">
      <span className={css.sentence}>{rule.sentence}</span>
      <span className={css.proposalAbout}>
        <Chip>{words(RULE_KINDS[rule.kind])}</Chip>
        <span className="mono muted">{patternWords(rule)}</span>
        <span className="mono muted">{rule.source ?? t`your words`}</span>
      </span>
      <span className={css.proposalActs}>
        <Button onPress={() => void add(false)} isDisabled={busy} data-testid="rule-confirm">
          <Trans>Confirm</Trans>
        </Button>
        <Button tone="quiet" onPress={() => void add(true)} isDisabled={busy} data-testid="rule-dismiss">
          <Trans>Dismiss</Trans>
        </Button>
      </span>
    </div>
  );
}

/** The proposals. */
export function ProposalList() {
  const { t } = useLingui();
  const read = useRead("propose_rules", { store: null, file: null, sessions: true });
  return (
    <section aria-labelledby="proposed-rules" className={css.proposals}>
      <h2 id="proposed-rules">
        <Trans>Proposed</Trans>{" "}
        {read.data && read.data.rules.length > 0 && (
          <span className="muted">
            <Plural
              value={read.data.rules.length}
              one="# sentence, counts only once confirmed"
              other="# sentences, each counts only once confirmed"
            />
          </span>
        )}
      </h2>
      <Await read={read} rows={4} doing={t`Looking for rules in memories and in what you asked for.`}>
        {({ rules }) =>
          rules.length === 0 ? (
            <p className="muted">
              <Trans>No further sentence of your memories looks like a rule.</Trans>
            </p>
          ) : (
            <VirtualRows
              items={rules}
              keyOf={keyOf}
              estimate={44}
              className={css.proposalRows}
              role="group"
              aria-label={t`Proposed`}
            >
              {(rule) => <Proposal rule={rule} />}
            </VirtualRows>
          )
        }
      </Await>
    </section>
  );
}
