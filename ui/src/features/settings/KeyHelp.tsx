/** All keys that work at present. */
import { msg } from "@lingui/core/macro";
import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Sheet } from "@/shared/overlay";
import { Kbd, useWords } from "@/shared/ui";
import { arrowOf, type KeyBinding, useAllKeys } from "@/state/keys";
import { setKeyHelpOpen, useKeyHelpOpen } from "@/state/palette";
import { keyGroups, type KeyPurpose } from "./key-groups";
import css from "./settings.module.css";

const TITLES: Record<KeyPurpose, MessageDescriptor> = {
  act: msg`On this screen`,
  move: msg`In its list`,
  anywhere: msg`Anywhere`,
  go: msg`Other screens`,
};

function Group({ purpose, keys }: { purpose: KeyPurpose; keys: readonly KeyBinding[] }) {
  const say = useWords();
  const title = `keys-${purpose}`;
  return (
    <section aria-labelledby={title} className={css.keyGroup} data-testid="key-group">
      <h3 id={title}>{say(TITLES[purpose])}</h3>
      <dl className={css.keyList}>
        {keys.map((binding) => (
          <div key={binding.keys}>
            <dt>
              <Kbd keys={binding.keys} />
              {arrowOf(binding.keys) !== null && (
                <>
                  {" "}
                  <Kbd keys={arrowOf(binding.keys)!} />
                </>
              )}
            </dt>
            <dd>{binding.label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function List() {
  const { t } = useLingui();
  const groups = keyGroups(useAllKeys());
  const places = groups.filter(({ purpose }) => purpose === "go");
  const others = groups.filter(({ purpose }) => purpose !== "go");
  return (
    <Sheet title={t`Keys`} onClose={() => setKeyHelpOpen(false)} testId="key-help" size="medium">
      <div className={css.keyColumns}>
        {[others, places].map((column, at) => (
          <div key={at} className={css.keyColumn}>
            {column.map((group) => (
              <Group key={group.purpose} {...group} />
            ))}
          </div>
        ))}
      </div>
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
