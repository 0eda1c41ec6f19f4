/** The guards of a rule: what is installed and where, whether it still stands there, and the ways to more and to less. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { RuleGuard, RuleLedger } from "@/bindings";
import { Moment } from "@/shared/labels";
import { Button, Chip } from "@/shared/ui";
import { GUARDABLE } from "./guards";
import { GuardOffSheet, GuardSheet } from "./GuardSheet";
import css from "./rules.module.css";

function Guard({ guard, onTakeOff }: { guard: RuleGuard; onTakeOff: () => void }) {
  const { t } = useLingui();
  return (
    <li data-testid="rule-guard" data-in-place={guard.in_place}>
      <Chip tone={guard.in_place ? "add" : "warn"}>
        {guard.in_place ? <Trans>in place</Trans> : <Trans>no longer in the settings</Trans>}
      </Chip>
      <span>
        {guard.remind ? <Trans>Guard: reminds the model</Trans> : <Trans>Guard: refuses the call</Trans>}
        <span className="muted">
          {" · "}
          <Moment at={guard.since} form="ago" />
        </span>
      </span>
      <span className="mono muted">{guard.settings}</span>
      <Button tone="quiet" onPress={onTakeOff} aria-label={t`Take off: ${guard.settings}`} data-testid="guard-take-off">
        <Trans>Take off…</Trans>
      </Button>
    </li>
  );
}

/** The guards of a rule that were made, each with the way to less. */
export function Guards({ rule }: { rule: RuleLedger }) {
  const { t } = useLingui();
  const [leaving, setLeaving] = useState<string | null>(null);
  const guards = rule.guards ?? [];
  if (guards.length === 0) return null;
  return (
    <>
      <ul className={css.guards} aria-label={t`Guards`}>
        {guards.map((guard) => (
          <Guard key={guard.settings} guard={guard} onTakeOff={() => setLeaving(guard.settings)} />
        ))}
      </ul>
      {leaving !== null && <GuardOffSheet rule={rule} settings={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

/** The button that makes a guard of a rule; nothing for a rule that no single call can break. */
export function MakeGuard({ rule, tone = "plain" }: { rule: RuleLedger; tone?: "plain" | "primary" }) {
  const [open, setOpen] = useState(false);
  if (!GUARDABLE[rule.kind]) return null;
  return (
    <>
      <Button tone={tone} onPress={() => setOpen(true)} data-testid="make-guard">
        <Trans>Make a guard…</Trans>
      </Button>
      {open && <GuardSheet rule={rule} onClose={() => setOpen(false)} />}
    </>
  );
}
