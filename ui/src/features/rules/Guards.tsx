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

/** What is open over the row: the dialog of a new guard, or of one that is taken off, by its settings. */
type Open = { settings: string | null } | null;

/** The button that makes a guard of a rule; nothing for a rule that no single call can break. */
export function Guards({ rule }: { rule: RuleLedger }) {
  const { t } = useLingui();
  const [open, setOpen] = useState<Open>(null);
  const guards = rule.guards ?? [];
  const close = () => setOpen(null);
  if (!GUARDABLE[rule.kind] && guards.length === 0) return null;
  return (
    <>
      {guards.length > 0 && (
        <ul className={css.guards} aria-label={t`Guards`}>
          {guards.map((guard) => (
            <Guard key={guard.settings} guard={guard} onTakeOff={() => setOpen({ settings: guard.settings })} />
          ))}
        </ul>
      )}
      {GUARDABLE[rule.kind] && (
        <Button onPress={() => setOpen({ settings: null })} data-testid="make-guard">
          <Trans>Make a guard…</Trans>
        </Button>
      )}
      {open &&
        (open.settings === null ? (
          <GuardSheet rule={rule} onClose={close} />
        ) : (
          <GuardOffSheet rule={rule} settings={open.settings} onClose={close} />
        ))}
    </>
  );
}
