/** Earlier versions of a memory, on every machine that has it; each opens to what it changed. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { HubItem } from "@/bindings";
import { Moment } from "@/shared/labels";
import { useWords } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { Difference } from "./Difference";
import { HubAwait } from "./failure";
import css from "./hub.module.css";
import { nameOf } from "./item";
import { CHANGES } from "./words";

/** Versions that are listed. */
const LISTED = 50;

function Version({ version }: { version: HubItem }) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const box = useId();
  const change = CHANGES[version.operation];
  return (
    <li data-testid="hub-version">
      <AriaButton
        className={css.versionRow}
        aria-expanded={open}
        aria-controls={box}
        onPress={() => setOpen(!open)}
        data-testid="hub-version-open"
      >
        <span className={css.sign} aria-hidden>
          {change?.sign ?? "~"}
        </span>
        <span>
          <Moment at={version.created_at} form="moment" />{" "}
          <span className="muted">
            {change && <>{words(change.word)} · </>}
            {version.machine_name}
            {version.reviewed && (
              <>
                {" "}
                · <Trans>reviewed</Trans>
              </>
            )}
          </span>
        </span>
      </AriaButton>
      <div id={box}>{open && <Difference item={version} />}</div>
    </li>
  );
}

/** The versions beside the one that is shown; nothing where there is no other. */
export function History({ item }: { item: HubItem }) {
  const { t } = useLingui();
  const title = useId();
  const memory = item.path === null ? null : `${item.store}:${item.path}`;
  const read = useRead("hub_history", { memory: memory ?? "", limit: LISTED }, { enabled: memory !== null });
  const others = read.data?.versions.filter((version) => nameOf(version) !== nameOf(item));
  if (memory === null || others?.length === 0) return null;
  return (
    <section className={css.talk} aria-labelledby={title}>
      <h2 className="small-title" id={title}>{t`History`}</h2>
      <HubAwait read={{ data: others, error: read.error, refetch: read.refetch }} rows={2}>
        {(versions) => (
          <ul className={css.said}>
            {versions.map((version) => (
              <Version key={nameOf(version)} version={version} />
            ))}
          </ul>
        )}
      </HubAwait>
    </section>
  );
}
