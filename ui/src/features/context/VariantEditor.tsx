/** The variants on the bench, and the one that is edited: by form or as JSON. */
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useCallback, useEffect, useMemo, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import type { Message, SimulationStopped, SimulationWarning, StopCause } from "@/bindings";
import { ApiFailure } from "@/host";
import { messagesOf } from "@/shared/failure";
import { ProgramText } from "@/shared/labels";
import { MenuEntry, MoreMenu } from "@/shared/menu";
import { sentenceNow } from "@/shared/sentences";
import { Button, Failure, Segmented } from "@/shared/ui";
import { useObservableLater } from "@/state/observable";
import type { Edited } from "./fields";
import {
  add,
  BASE,
  type Bench,
  bench as theBench,
  type BenchVariant,
  choose,
  doings,
  edit,
  editConfig,
  freeLetter,
  type Letter,
  remove,
  useBench,
} from "./lab";
import { useSaveVariant } from "./saved";
import { parseSetting, printSetting, type SettingProblem } from "./setting";
import { type Desk, UNREAD } from "./simulations";
import { shownInForm, VariantForm } from "./VariantForm";
import variantsCss from "./variants.module.css";
import labCss from "./lab.module.css";

/** What a variant does, in words: its name as long as no person gave it another. */
export function useDoing(): (letter: Letter) => string {
  const { t } = useLingui();
  const known = useObservableLater(doings);
  return useCallback(
    (letter) => {
      const what = known[letter];
      return what ? sentenceNow(what) : letter === BASE ? t`no editing` : t`unnamed`;
    },
    [known, t],
  );
}

/** A variant's letter and name. */
export function useVariantName(): (variant: Pick<BenchVariant, "letter" | "name">) => string {
  const doing = useDoing();
  return useCallback(({ letter, name }) => `${letter} · ${name.trim() || doing(letter)}`, [doing]);
}

/** The setting of a variant as it is now. */
const configNow = (letter: Letter) =>
  theBench.get().variants.find((variant) => variant.letter === letter)?.config ?? {};

/** True if the letters and names are the same; their settings are not looked at. */
function sameNames(a: { bench: Bench }, b: { bench: Bench }): boolean {
  const names = ({ bench }: { bench: Bench }) =>
    JSON.stringify(bench.variants.map(({ letter, name }) => [letter, name]));
  return a.bench.chosen === b.bench.chosen && names(a) === names(b);
}

const Letters = memo(function Letters({ bench }: { bench: Bench }) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  return (
    <div className={variantsCss.variantLetters}>
      <ToggleButtonGroup
        aria-label={t`Variants`}
        className="segmented"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[bench.chosen]}
        onSelectionChange={(keys) => {
          const [key] = keys;
          if (key !== undefined) choose(key as Letter);
        }}
      >
        {bench.variants.map((variant) => (
          <ToggleButton
            key={variant.letter}
            id={variant.letter}
            className="segment"
            aria-label={nameOf(variant)}
            data-testid="variant-letter"
            data-key={variant.letter}
          >
            {variant.letter}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {freeLetter(bench) && (
        <AriaButton
          className="icon-button"
          aria-label={t`Add a variant`}
          onPress={() => add({ name: "", config: configNow(bench.chosen) })}
          data-testid="add-variant"
        >
          +
        </AriaButton>
      )}
    </div>
  );
}, sameNames);

function VariantMenu({ letter, name: given, full }: Pick<BenchVariant, "letter" | "name"> & { full: boolean }) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const save = useSaveVariant();
  const doing = useDoing();
  const name = given.trim() || doing(letter);
  return (
    <MoreMenu name={nameOf({ letter, name: given })} testId="variant-menu">
      <MenuEntry onAction={() => void save({ name, config: configNow(letter) })} testId="variant-save">
        <Trans>Save</Trans>
      </MenuEntry>
      <MenuEntry
        isDisabled={full}
        onAction={() => add({ name: given.trim() && t`${name} copy`, config: configNow(letter) })}
        testId="variant-duplicate"
      >
        <Trans>Duplicate</Trans>
      </MenuEntry>
      <MenuEntry danger onAction={() => remove(letter)} testId="variant-remove">
        <Trans>Remove from the comparison</Trans>
      </MenuEntry>
    </MoreMenu>
  );
}

/** Says why a text is no setting. */
function useProblemWords(): (problem: SettingProblem) => string {
  const { t } = useLingui();
  return (problem) => {
    if (problem.is === "no_object") return t`A setting is an object: { … }`;
    const { line, column } = problem.at;
    return t`This is not JSON: see line ${line}, column ${column}.`;
  };
}

function JsonEditor({ variant, problem }: { variant: BenchVariant; problem: Message | null }) {
  const say = useProblemWords();
  const { letter } = variant;
  const [draft, setDraft] = useState(() => printSetting(variant.config));
  const read = parseSetting(draft);
  const syntax = "problem" in read ? say(read.problem) : null;
  // A text that cannot be read goes with its editor.
  useEffect(() => () => edit(letter, { unread: false }), [letter]);
  return (
    <div className={variantsCss.jsonEditor}>
      <label htmlFor="setting-json" className="small muted">
        <Trans>
          The value of <code>context_management</code>, or <code>compaction_control</code> or <code>compaction</code>{" "}
          with its key
        </Trans>
      </label>
      <textarea
        id="setting-json"
        className="mono"
        rows={22}
        spellCheck={false}
        value={draft}
        aria-invalid={syntax !== null || problem !== null}
        aria-describedby="setting-json-problem"
        onChange={(event) => {
          setDraft(event.target.value);
          const next = parseSetting(event.target.value);
          edit(letter, "config" in next ? { config: next.config, unread: false } : { unread: true });
        }}
        data-testid="setting-json"
      />
      <p id="setting-json-problem" className="field-problem" role="status" data-testid="json-problem">
        {syntax ?? (problem && <ProgramText text={problem} />)}
      </p>
    </div>
  );
}

/** Name, view and menu of a variant. */
const VariantBar = memo(function VariantBar({
  letter,
  name,
  full,
  view,
  onView,
}: Pick<BenchVariant, "letter" | "name"> & {
  full: boolean;
  view: "form" | "json";
  onView: (view: "form" | "json") => void;
}) {
  const { t } = useLingui();
  const doing = useDoing();
  return (
    <div className={variantsCss.variantName}>
      <input
        type="text"
        aria-label={t`Name`}
        placeholder={t`unnamed`}
        value={name}
        onChange={(event) => edit(letter, { name: event.target.value })}
        data-testid="variant-name"
      />
      <Segmented
        label={t`How to edit`}
        value={view}
        options={[
          { value: "form", label: t`Form` },
          { value: "json", label: "JSON" },
        ]}
        onChange={onView}
      />
      <VariantMenu letter={letter} name={name} full={full} />
      <p className="small muted" data-testid="variant-what">
        {doing(letter)}
      </p>
    </div>
  );
});

/** Warnings before deploying a setting. */
const Warnings = memo(function Warnings({ warnings }: { warnings: readonly SimulationWarning[] }) {
  const { t } = useLingui();
  if (warnings.length === 0) return null;
  return (
    <ul className={variantsCss.warnings} aria-label={t`Warnings`}>
      {warnings.map(({ code, message }) => (
        <li key={`${code} ${message.text}`} className={variantsCss.warning} data-testid="warning" data-code={code}>
          <span className={variantsCss.warningSign} aria-hidden>
            !
          </span>
          <ProgramText text={message} />
        </li>
      ))}
    </ul>
  );
});

/** Note that a run would end before the recorded one. */
function Stopped({ stopped }: { stopped: SimulationStopped }) {
  const { t } = useLingui();
  const reasons: Record<StopCause, string> = {
    endless_compaction: t`what is left after a compaction is above the threshold again, so it would compact again and again`,
    max_iterations: t`the largest number of iterations is reached`,
    refusal: t`the model refuses`,
  };
  return (
    <div className={variantsCss.warning} role="status" data-testid="stopped">
      <span className={variantsCss.warningSign} aria-hidden>
        !
      </span>
      <span>
        <Trans>
          The run would end at request {stopped.last + 1}: {reasons[stopped.reason]}.
        </Trans>
      </span>
    </div>
  );
}

/** Shows the refusal of a setting, in the words of the API; other failures as everywhere. */
function Refused({ error, view }: { error: unknown; view: "form" | "json" }) {
  if (!(error instanceof ApiFailure) || error.error.code !== "invalid") return <Failure error={error} />;
  if (view === "json" || shownInForm(error.error.message)) return null;
  return (
    <p className="field-problem" role="alert" data-testid="setting-problem">
      <ProgramText text={messagesOf(error.error).message} />
    </p>
  );
}

const NO_WARNINGS: SimulationWarning[] = [];

function NoEditing({ alone }: { alone: boolean }) {
  const doing = useDoing();
  return (
    <div className={labCss.card}>
      <p>
        <strong>{doing(BASE)}</strong>
      </p>
      <p className="muted">
        <Trans>What ran, as recorded. The other variants are compared with it; it cannot be changed.</Trans>
      </p>
      {alone && (
        <Button tone="primary" onPress={() => add({ name: "", config: {} })}>
          <Trans>Add a variant</Trans>
        </Button>
      )}
    </div>
  );
}

/** The column with the variants. */
export const VariantEditor = memo(function VariantEditor({ desk, tools }: { desk: Desk; tools: readonly string[] }) {
  const { t } = useLingui();
  const bench = useBench();
  // The program's answer about a setting follows it; the fields do not wait for that.
  const forecasts = useObservableLater(desk.forecasts);
  const [view, setView] = useState<"form" | "json">("form");
  const { chosen } = bench;
  const edited = useMemo<Edited>(
    () => ({ config: () => configNow(chosen), change: (step) => editConfig(chosen, step) }),
    [chosen],
  );
  const variant = bench.variants.find(({ letter }) => letter === chosen);
  if (!variant) return null;
  const forecast = forecasts[chosen];
  const error = forecast?.error ?? null;
  const problem =
    error instanceof ApiFailure && error.error.code === "invalid" ? messagesOf(error.error).message : null;
  const simulation = forecast?.simulation ?? null;
  return (
    <section className={variantsCss.variantEditor} aria-label={t`Variant`} data-testid="variant-editor">
      <header className={variantsCss.variantHead}>
        <h2 className="opened-title">
          <Trans>Variant {chosen}</Trans>
        </h2>
        <span className="spacer" />
        <Letters bench={bench} />
      </header>
      {chosen === BASE ? (
        <NoEditing alone={bench.variants.length === 1} />
      ) : (
        <>
          <VariantBar
            letter={chosen}
            name={variant.name}
            full={freeLetter(bench) === null}
            view={view}
            onView={setView}
          />
          {error !== null && error !== UNREAD && <Refused error={error} view={view} />}
          {view === "form" ? (
            <VariantForm key={chosen} config={variant.config} edited={edited} problem={problem} tools={tools} />
          ) : (
            <JsonEditor key={chosen} variant={variant} problem={problem} />
          )}
        </>
      )}
      {simulation?.stopped && <Stopped stopped={simulation.stopped} />}
      <Warnings warnings={simulation?.warnings ?? NO_WARNINGS} />
    </section>
  );
});
