/** Agent memory that was found on this machine, and the way to record it. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import type { Discovered, Found } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { ProgramText } from "@/shared/labels";
import { Button, Checkbox, Chip, Empty, Failure, useWords } from "@/shared/ui";
import { kindWords, LOCAL_KINDS } from "@/shared/vocabulary";
import { useBackend } from "@/state/backend";
import { classes } from "@/shared/classes";
import css from "./stores.module.css";

/** Outcome of recording one directory. */
export type Outcome =
  { state: "waiting" } | { state: "working" } | { state: "done" } | { state: "failed"; error: unknown };

function FoundRow({
  found,
  selected,
  outcome,
  onSelect,
}: {
  found: Found;
  selected: boolean;
  outcome: Outcome | undefined;
  onSelect: (selected: boolean) => void;
}) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const recorded = found.store_id !== null || outcome?.state === "done";
  return (
    <li className={css.found} data-testid="found-row" data-root={found.root}>
      <Checkbox
        label={t`Record ${found.root}`}
        hideLabel
        isSelected={selected || recorded}
        isDisabled={recorded || !found.exists}
        onChange={onSelect}
      />
      <div className={css.foundMain}>
        <div className={css.foundTitle}>
          <strong>{found.name}</strong>
          <Chip>{say(kindWords(found.kind))}</Chip>
          {found.exists ? (
            <span className="num muted">
              <Plural value={found.files} one="# file" other="# files" />
            </span>
          ) : (
            <Chip>
              <Trans>not there yet</Trans>
            </Chip>
          )}
          {recorded && (
            <Chip tone="add">
              <Trans>recorded</Trans>
            </Chip>
          )}
          {!found.enabled && (
            <Chip tone="warn">
              <Trans>not in use</Trans>
            </Chip>
          )}
          {outcome?.state === "working" && <span className="spinner" role="status" aria-label={t`Recording`} />}
        </div>
        <div className={classes("mono", css.foundRoot)}>{found.root}</div>
        <Disclosure className={css.foundEvidence}>
          {({ isExpanded }) => (
            <>
              <AriaButton slot="trigger" className="link-button">
                <span className={`tree-chevron${isExpanded ? " is-open" : ""}`}>
                  <ChevronIcon />
                </span>
                <ProgramText text={found.reason} />
              </AriaButton>
              <DisclosurePanel>
                <ul>
                  {found.evidence.map((fact) => (
                    <li key={fact.text}>
                      <ProgramText text={fact} />
                    </li>
                  ))}
                  {found.project && (
                    <li>
                      <Trans>project {found.project}</Trans>
                    </li>
                  )}
                  {found.exists && <li>{t`${format.number(found.files)} files would be recorded`}</li>}
                </ul>
              </DisclosurePanel>
            </>
          )}
        </Disclosure>
        {outcome?.state === "failed" && <Failure error={outcome.error} />}
      </div>
    </li>
  );
}

/** Asks for a directory by its path, or by the system's dialog where there is one. */
export function AddDirectory({ onAdded }: { onAdded: () => void }) {
  const { t } = useLingui();
  const say = useWords();
  const backend = useBackend();
  const [root, setRoot] = useState("");
  const [kind, setKind] = useState("plain");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const add = async (directory: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await backend.call("add_store", { root: directory, kind, name: null });
      setRoot("");
      onAdded();
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (root.trim()) void add(root.trim());
  };
  const { pickDirectory } = backend.platform;
  const pick = async () => {
    const chosen = await pickDirectory?.();
    if (chosen) setRoot(chosen);
  };
  return (
    <form className={css.addDirectory} onSubmit={submit}>
      <label>
        <span>
          <Trans>Another directory</Trans>
        </span>
        <input
          type="text"
          className="mono"
          value={root}
          placeholder={t`/home/you/notes`}
          spellCheck={false}
          onChange={(event) => setRoot(event.target.value)}
          data-testid="add-root"
        />
      </label>
      {pickDirectory && (
        <Button onPress={() => void pick().catch(setFailure)} data-testid="pick-directory">
          <Trans>Choose…</Trans>
        </Button>
      )}
      <select aria-label={t`Kind`} value={kind} onChange={(event) => setKind(event.target.value)}>
        {LOCAL_KINDS.map((one) => (
          <option key={one} value={one}>
            {say(kindWords(one))}
          </option>
        ))}
      </select>
      <Button type="submit" isPending={busy} isDisabled={root.trim() === ""} data-testid="add-store">
        <Trans>Record it</Trans>
      </Button>
      {failure !== null && <Failure error={failure} />}
    </form>
  );
}

/** How many of the directories found are recorded already, where nothing needs to be done. */
function Known({ known, alone }: { known: number; alone: boolean }) {
  return (
    <p className="muted" data-testid="found-known">
      {alone ? (
        <Plural
          value={known}
          one="Nothing new was found. The # directory in the usual places of agent memory is recorded already."
          other="Nothing new was found. All # directories in the usual places of agent memory are recorded already."
        />
      ) : (
        <Plural value={known} one="# more is recorded already." other="# more are recorded already." />
      )}
    </p>
  );
}

/** Directories that were found, those worth recording chosen already. */
export function DiscoveryList({ discovered, onDone }: { discovered: Discovered; onDone: (recorded: number) => void }) {
  const { t } = useLingui();
  const backend = useBackend();
  const open = discovered.found.filter(({ store_id }) => store_id === null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(open.filter(({ exists }) => exists).map(({ root }) => root)),
  );
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [busy, setBusy] = useState(false);
  const waiting = open.filter(({ root }) => chosen.has(root) && outcomes.get(root)?.state !== "done");

  const select = (root: string) => (selected: boolean) => {
    const next = new Set(chosen);
    if (selected) next.add(root);
    else next.delete(root);
    setChosen(next);
  };
  const set = (root: string, outcome: Outcome) => setOutcomes((known) => new Map(known).set(root, outcome));
  const record = async () => {
    setBusy(true);
    let recorded = 0;
    for (const { root, kind, name } of waiting) {
      set(root, { state: "working" });
      try {
        await backend.call("add_store", { root, kind, name });
        set(root, { state: "done" });
        recorded += 1;
      } catch (error) {
        set(root, { state: "failed", error });
      }
    }
    setBusy(false);
    if (recorded === waiting.length) onDone(recorded);
  };
  // What is recorded already needs nothing; what was recorded just now stays where it is.
  const shown = discovered.found.filter(({ store_id, root }) => store_id === null || outcomes.has(root));
  const known = discovered.found.length - shown.length;
  const done = [...outcomes.values()].filter(({ state }) => state === "done").length;
  const total = done + waiting.length;
  // Not by what was found alone, which is read again later: what stands below would move when nobody expects it.
  const offers = busy || open.some(({ exists, root }) => exists && outcomes.get(root)?.state !== "done");

  return (
    <div className={css.discovery}>
      {discovered.found.length === 0 ? (
        <Empty title={t`No agent memory found`}>
          <Trans>Nothing was found in the usual places. Add any directory below.</Trans>
        </Empty>
      ) : shown.length === 0 ? null : (
        <ul className={css.foundList} aria-label={t`Directories found`}>
          {shown.map((found) => (
            <FoundRow
              key={found.root}
              found={found}
              selected={chosen.has(found.root)}
              outcome={outcomes.get(found.root)}
              onSelect={select(found.root)}
            />
          ))}
        </ul>
      )}
      {known > 0 && <Known known={known} alone={shown.length === 0} />}
      {discovered.problems.length > 0 && (
        <section className={css.problems} aria-label={t`Could not be read`}>
          <h2 className="small-title">
            <Trans>Could not be read</Trans>
          </h2>
          <ul>
            {discovered.problems.map(({ subject, message }) => (
              <li key={subject + message.text}>
                <span className="mono">{subject}</span> <ProgramText text={message} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {offers && (
        <div className={css.discoveryActions}>
          <Button
            tone="primary"
            isPending={busy}
            isDisabled={waiting.length === 0}
            onPress={() => void record()}
            data-testid="record-found"
          >
            {busy
              ? t`Recording ${done} of ${total}`
              : plural(waiting.length, { one: "Record this directory", other: "Record these #" })}
          </Button>
          <span className="muted">
            <Trans>Recording only reads. Nothing is written to these directories.</Trans>
          </span>
        </div>
      )}
    </div>
  );
}
