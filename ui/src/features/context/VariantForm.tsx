/** The form of a setting: the two clearing edits and compaction. What it has no field for stands in the JSON. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox } from "@/shared/ui";
import { ChoiceSetting, FieldProblem, NamesSetting, NumberSetting } from "./fields";
import {
  beyondForm,
  chooseCompaction,
  compactionKind,
  DEFAULTS,
  type EditType,
  editOf,
  inputClearing,
  type InputClearing,
  type Json,
  keptThinking,
  namesOf,
  patchEdit,
  removeEdit,
  SCALES,
  sdkThreshold,
  setSdkThreshold,
  toolTrigger,
  type Trigger,
  valueOf,
} from "./setting";

/** What the parts of the form share. */
interface PartProps {
  /** The setting. */
  config: Json;
  /** Replaces it. */
  onChange: (config: Json) => void;
  /** What the program said about it, in the API's own words; empty when all is well. */
  problem: string;
}

/** The part of a message that is about one field; the API names it `edits.0.TYPE.FIELD`. */
function about(problem: string, type: EditType, field: string): string | null {
  return problem.includes(`${type}.${field}`) ? problem.slice(problem.indexOf(`${type}.${field}`)) : null;
}

/** The fields that show their own problem; others are shown above the form. */
const OWN_FIELDS = ["trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"];

/** Whether one of the fields shows a message. */
export function shownInForm(problem: string): boolean {
  return OWN_FIELDS.some((field) => problem.includes(`1015.${field}`) || problem.includes(`0919.${field}`));
}

function EditCard({
  type,
  config,
  onChange,
  initial,
  children,
}: Omit<PartProps, "problem"> & { type: EditType; initial: Json; children: React.ReactNode }) {
  const on = editOf(config, type) !== null;
  return (
    <section className="card edit-card" aria-label={type} data-testid={`edit-${type}`}>
      <Checkbox
        label={<span className="edit-name">{type}</span>}
        isSelected={on}
        onChange={(selected) => onChange(selected ? patchEdit(config, type, initial) : removeEdit(config, type))}
        data-testid={`toggle-${type}`}
      />
      {on && children}
    </section>
  );
}

function ThinkingCard({ config, onChange, problem }: PartProps) {
  const { t } = useLingui();
  const type = "clear_thinking_20251015";
  const edit = editOf(config, type);
  const kept = edit ? keptThinking(edit) : "default";
  const keep = (value: "default" | "all" | number) =>
    onChange(
      patchEdit(config, type, {
        keep: value === "default" ? undefined : value === "all" ? "all" : { type: "thinking_turns", value },
      }),
    );
  return (
    <EditCard type={type} config={config} onChange={onChange} initial={{ keep: { type: "thinking_turns", value: 2 } }}>
      <ChoiceSetting
        label="keep"
        value={typeof kept === "number" ? "turns" : kept}
        options={[
          { value: "turns", label: "thinking_turns" },
          { value: "all", label: "all" },
          { value: "default", label: t`default of the model` },
        ]}
        onChange={(choice) => keep(choice === "turns" ? DEFAULTS.keepTurns : choice)}
        testId="thinking-keep-kind"
      />
      {typeof kept === "number" && (
        <NumberSetting
          label="keep thinking_turns"
          value={kept}
          scale={SCALES.keepTurns}
          problem={about(problem, type, "keep")}
          onChange={keep}
          testId="thinking-keep"
        />
      )}
    </EditCard>
  );
}

function TriggerSetting({
  trigger,
  onChange,
  problem,
}: {
  trigger: Trigger;
  onChange: (trigger: Trigger) => void;
  problem: string | null;
}) {
  const { t } = useLingui();
  const tokens = trigger.type === "input_tokens";
  return (
    <>
      <ChoiceSetting
        label="trigger"
        value={trigger.type}
        options={[
          { value: "input_tokens", label: "input_tokens" },
          { value: "tool_uses", label: "tool_uses" },
        ]}
        onChange={(type) =>
          onChange({ type, value: type === "input_tokens" ? DEFAULTS.triggerTokens : DEFAULTS.triggerUses })
        }
        testId="trigger-kind"
      />
      <NumberSetting
        label={t`above`}
        value={trigger.value}
        scale={tokens ? SCALES.triggerTokens : SCALES.triggerUses}
        problem={problem}
        onChange={(value) => onChange({ ...trigger, value })}
        testId="trigger"
      />
    </>
  );
}

function ToolsCard({ config, onChange, problem, tools }: PartProps & { tools: readonly string[] }) {
  const { t } = useLingui();
  const type = "clear_tool_uses_20250919";
  const edit = editOf(config, type) ?? { type };
  const patch = (fields: Json) => onChange(patchEdit(config, type, fields));
  const inputs = inputClearing(edit);
  const leastOf = (value: number) => (value > 0 ? { type: "input_tokens", value } : undefined);
  const inputsOf: Record<InputClearing, unknown> = { none: undefined, all: true, named: [] };
  return (
    <EditCard
      type={type}
      config={config}
      onChange={onChange}
      initial={{ trigger: { type: "input_tokens", value: DEFAULTS.triggerTokens } }}
    >
      <TriggerSetting
        trigger={toolTrigger(edit)}
        onChange={(trigger) => patch({ trigger })}
        problem={about(problem, type, "trigger")}
      />
      <NumberSetting
        label="keep tool_uses"
        value={valueOf(edit.keep) ?? DEFAULTS.keepUses}
        scale={SCALES.keepUses}
        problem={about(problem, type, "keep")}
        onChange={(value) => patch({ keep: { type: "tool_uses", value } })}
        testId="keep"
      />
      <NumberSetting
        label="clear_at_least"
        value={valueOf(edit.clear_at_least) ?? 0}
        scale={SCALES.clearAtLeast}
        problem={about(problem, type, "clear_at_least")}
        onChange={(value) => patch({ clear_at_least: leastOf(value) })}
        testId="clear-at-least"
      />
      <NamesSetting
        label="exclude_tools"
        names={namesOf(edit.exclude_tools) ?? []}
        known={tools}
        placeholder={t`none`}
        problem={about(problem, type, "exclude_tools")}
        onChange={(names) => patch({ exclude_tools: names.length > 0 ? names : undefined })}
        testId="exclude-tools"
      />
      <ChoiceSetting
        label="clear_tool_inputs"
        value={inputs}
        options={[
          { value: "none", label: "false" },
          { value: "all", label: "true" },
          { value: "named", label: t`list` },
        ]}
        onChange={(choice) => patch({ clear_tool_inputs: inputsOf[choice] })}
        testId="clear-tool-inputs"
      />
      {inputs === "named" && (
        <NamesSetting
          label={t`tools`}
          names={namesOf(edit.clear_tool_inputs) ?? []}
          known={tools}
          placeholder={t`none`}
          onChange={(names) => patch({ clear_tool_inputs: names })}
          testId="clear-inputs-of"
        />
      )}
      <FieldProblem problem={about(problem, type, "clear_tool_inputs")} />
    </EditCard>
  );
}

function CompactionCard({ config, onChange, problem }: PartProps) {
  const { t } = useLingui();
  const kind = compactionKind(config);
  const type = "compact_20260112";
  const options: { value: typeof kind; label: string }[] = [
    { value: "off", label: t`off` },
    { value: "server", label: type },
    { value: "sdk", label: "compaction_control" },
  ];
  if (kind === "on_demand") options.push({ value: "on_demand", label: "compaction" });
  return (
    <section className="card edit-card" aria-label={t`Compaction`}>
      <h2>
        <Trans>Compaction</Trans>
      </h2>
      <ChoiceSetting
        label={t`kind`}
        value={kind}
        options={options}
        onChange={(choice) => choice !== "on_demand" && onChange(chooseCompaction(config, choice))}
        testId="compaction-kind"
      />
      {kind === "server" && (
        <NumberSetting
          label="trigger input_tokens"
          value={valueOf(editOf(config, type)?.trigger) ?? DEFAULTS.compactTrigger}
          scale={SCALES.compactTrigger}
          problem={about(problem, type, "trigger")}
          onChange={(value) => onChange(patchEdit(config, type, { trigger: { type: "input_tokens", value } }))}
          testId="compact-trigger"
        />
      )}
      {kind === "sdk" && (
        <>
          <NumberSetting
            label="context_token_threshold"
            value={sdkThreshold(config)}
            scale={SCALES.sdkThreshold}
            onChange={(value) => onChange(setSdkThreshold(config, value))}
            testId="sdk-threshold"
          />
          <p className="muted small">
            <Trans>The compaction of the SDKs before version 1: it works in the client, after the edits above.</Trans>
          </p>
        </>
      )}
      {kind === "on_demand" && (
        <p className="muted small">
          <Trans>Compaction on demand; the JSON says when.</Trans>
        </p>
      )}
    </section>
  );
}

/** Fields of compaction on demand, which the card of compaction speaks of. */
const ON_DEMAND = ["compaction", "at", "context_reaches"];

/** The form. */
export function VariantForm(props: PartProps & { tools: readonly string[] }) {
  const beyond = beyondForm(props.config).filter((field) => !ON_DEMAND.includes(field));
  return (
    <div className="variant-form">
      <ThinkingCard {...props} />
      <ToolsCard {...props} />
      <CompactionCard {...props} />
      {beyond.length > 0 && (
        <p className="muted small" data-testid="beyond-form">
          <Trans>The setting also holds what only its JSON shows:</Trans>{" "}
          <span className="mono">{beyond.join(", ")}</span>
        </p>
      )}
    </div>
  );
}
