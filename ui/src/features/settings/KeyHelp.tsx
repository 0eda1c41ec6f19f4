/** All keys that work at present. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Sheet } from "@/shared/overlay";
import { Kbd } from "@/shared/ui";
import { useAllKeys } from "@/state/keys";
import { setKeyHelpOpen, useKeyHelpOpen } from "@/state/palette";
import css from "./settings.module.css";

function List() {
  const { t } = useLingui();
  const keys = useAllKeys();
  return (
    <Sheet title={t`Keys`} onClose={() => setKeyHelpOpen(false)} testId="key-help" size="medium">
      <dl className={css.keyList}>
        {keys.map((binding) => (
          <div key={binding.keys}>
            <dt>
              <Kbd keys={binding.keys} />
            </dt>
            <dd>{binding.label}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">
        <Trans>In lists and trees: arrows walk, typing goes to a name, Enter opens and closes a folder.</Trans>
      </p>
    </Sheet>
  );
}

/** The list of keys, when it is open. Used once. */
export function KeyHelp() {
  return useKeyHelpOpen() && <List />;
}
