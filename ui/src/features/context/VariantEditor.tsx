/** The variants on the bench, and the one that is edited: by form or as JSON. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import type { SimulationStopped, SimulationWarning } from "@/bindings";
import { ApiFailure } from "@/host";
import { MoreIcon } from "@/shared/icons";
import { Button, Failure, Segmented } from "@/shared/ui";
import { useSaveVariant } from "./saved";
import { add, BASE, type Bench, type BenchVariant, choose, edit, freeLetter, type Letter, remove } from "./lab";
import { parseSetting, printSetting } from "./setting";
import type { Forecast } from "./simulations";
import { shownInForm, VariantForm } from "./VariantForm";

/** A variant's letter and name. */
export function useVariantName(): (variant: Pick<BenchVariant, "letter" | "name">) => string {
  const { t } = useLingui();
  return ({ letter, name }) => `${letter} · ${letter === BASE ? t`no editing` : name || t`unnamed`}`;
}

function Letters({ bench }: { bench: Bench }) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const current = bench.variants.find(({ letter }) => letter === bench.chosen);
  return (
    <div className="variant-letters">
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
          onPress={() => add({ name: "", config: current?.letter === BASE ? {} : (current?.config ?? {}) })}
          data-testid="add-variant"
        >
          +
        </AriaButton>
      )}
    </div>
  );
}

function VariantMenu({ variant, full }: { variant: BenchVariant; full: boolean }) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const save = useSaveVariant();
  const name = variant.name || variant.letter;
  return (
    <MenuTrigger>
      <AriaButton className="icon-button" aria-label={t`More for ${nameOf(variant)}`} data-testid="variant-menu">
        <MoreIcon />
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu">
          <MenuItem
            className="menu-item"
            onAction={() => void save({ name, config: variant.config })}
            data-testid="variant-save"
          >
            <Trans>Save</Trans>
          </MenuItem>
          <MenuItem
            className="menu-item"
            isDisabled={full}
            onAction={() => add({ name: t`${name} copy`, config: variant.config })}
            data-testid="variant-duplicate"
          >
            <Trans>Duplicate</Trans>
          </MenuItem>
          <MenuItem
            className="menu-item menu-danger"
            onAction={() => remove(variant.letter)}
            data-testid="variant-remove"
          >
            <Trans>Take off the bench</Trans>
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function JsonEditor({ variant, problem }: { variant: BenchVariant; problem: string }) {
  const { t } = useLingui();
  const [draft, setDraft] = useState(() => printSetting(variant.config));
  const read = parseSetting(draft);
  const syntax = "problem" in read ? read.problem || t`A setting is an object: { … }` : null;
  return (
    <div className="json-editor">
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
        aria-invalid={syntax !== null || problem !== ""}
        aria-describedby="setting-json-problem"
        onChange={(event) => {
          setDraft(event.target.value);
          const next = parseSetting(event.target.value);
          if ("config" in next) edit(variant.letter, { config: next.config });
        }}
        data-testid="setting-json"
      />
      <p id="setting-json-problem" className="field-problem" role="status" data-testid="json-problem">
        {syntax ?? problem}
      </p>
    </div>
  );
}

/** What to know before deploying a setting. */
export function Warnings({ warnings }: { warnings: readonly SimulationWarning[] }) {
  const { t } = useLingui();
  if (warnings.length === 0) return null;
  return (
    <ul className="warnings" aria-label={t`Warnings`}>
      {warnings.map(({ code, message }) => (
        <li key={`${code} ${message}`} className="warning" data-testid="warning" data-code={code}>
          <span className="warning-sign" aria-hidden>
            !
          </span>
          {message}
        </li>
      ))}
    </ul>
  );
}

/** That a run would end before the recorded one. */
function Stopped({ stopped }: { stopped: SimulationStopped }) {
  const { t } = useLingui();
  const reasons: Record<string, string> = {
    endless_compaction: t`what is left after a compaction is above the threshold again, so that it would compact for ever`,
    max_iterations: t`the largest number of iterations is reached`,
    refusal: t`the model refuses`,
  };
  return (
    <div className="warning" role="status" data-testid="stopped">
      <span className="warning-sign" aria-hidden>
        !
      </span>
      <span>
        <Trans>
          The run would end at request {stopped.last + 1}: {reasons[stopped.reason] ?? stopped.reason}.
        </Trans>
      </span>
    </div>
  );
}

/** What a refused setting is told, in the words of the API; other failures as everywhere. */
function Refused({ error, view }: { error: unknown; view: "form" | "json" }) {
  if (!(error instanceof ApiFailure) || error.error.code !== "invalid") return <Failure error={error} />;
  if (view === "json" || shownInForm(error.error.message)) return null;
  return (
    <p className="field-problem" role="alert" data-testid="setting-problem">
      {error.error.message}
    </p>
  );
}

/** The column with the variants. */
export function VariantEditor({
  bench,
  forecast,
  tools,
}: {
  bench: Bench;
  forecast: Forecast | undefined;
  tools: readonly string[];
}) {
  const { t } = useLingui();
  const [view, setView] = useState<"form" | "json">("form");
  const variant = bench.variants.find(({ letter }) => letter === bench.chosen);
  if (!variant) return null;
  const error = forecast?.error ?? null;
  const problem = error instanceof ApiFailure && error.error.code === "invalid" ? error.error.message : "";
  return (
    <section className="variant-editor" aria-label={t`Variant`} data-testid="variant-editor">
      <header className="variant-head">
        <h1>
          <Trans>Variant {variant.letter}</Trans>
        </h1>
        <span className="spacer" />
        <Letters bench={bench} />
      </header>
      {variant.letter === BASE ? (
        <div className="card">
          <p>
            <strong>
              <Trans>No editing</Trans>
            </strong>
          </p>
          <p className="muted">
            <Trans>
              What happened, as it was recorded. The other variants are held against it; it cannot be changed.
            </Trans>
          </p>
          {bench.variants.length === 1 && (
            <Button tone="primary" onPress={() => add({ name: "", config: {} })}>
              <Trans>Add a variant</Trans>
            </Button>
          )}
        </div>
      ) : (
        <>
          <div className="variant-name">
            <input
              type="text"
              aria-label={t`Name`}
              placeholder={t`unnamed`}
              value={variant.name}
              onChange={(event) => edit(variant.letter, { name: event.target.value })}
              data-testid="variant-name"
            />
            <Segmented
              label={t`How to edit`}
              value={view}
              options={[
                { value: "form", label: t`Form` },
                { value: "json", label: "JSON" },
              ]}
              onChange={setView}
            />
            <VariantMenu variant={variant} full={freeLetter(bench) === null} />
          </div>
          {error !== null && <Refused error={error} view={view} />}
          {view === "form" ? (
            <VariantForm
              key={variant.letter}
              config={variant.config}
              onChange={(config) => edit(variant.letter, { config })}
              problem={problem}
              tools={tools}
            />
          ) : (
            <JsonEditor key={variant.letter} variant={variant} problem={problem} />
          )}
        </>
      )}
      {forecast?.simulation?.stopped && <Stopped stopped={forecast.simulation.stopped} />}
      <Warnings warnings={forecast?.simulation?.warnings ?? []} />
    </section>
  );
}
