/** The form of a setting: the two clearing edits and compaction. What it has no field for stands in the JSON. */
import type { Message } from "@/bindings";
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useMemo } from "react";
import { Checkbox } from "@/shared/ui";
import { CompactionCard } from "./CompactionCard";
import { ChoiceSetting, type Edited, FieldProblem, NamesSetting, NumberSetting } from "./fields";
import {
  about,
  beyondForm,
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
  toolTrigger,
  valueOf,
} from "./setting";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import variantsCss from "./variants.module.css";

const THINKING = "clear_thinking_20251015";
const TOOLS = "clear_tool_uses_20250919";
const NO_NAMES: string[] = [];

/** The fields that show their own problem; others are shown above the form. */
const OWN_FIELDS = ["trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"];
/** As above, of compaction on demand. */
const OWN_TOP = ["context_reaches", "at"];

/** True if one of the fields shows a message. */
export function shownInForm(problem: string): boolean {
  const ofEdit = (field: string) => problem.includes(`1015.${field}`) || problem.includes(`0919.${field}`);
  return (
    OWN_FIELDS.some(ofEdit) ||
    OWN_TOP.some((field) => problem.startsWith(`${field}:`) || problem.startsWith(`${field}.`))
  );
}

function EditCard({
  type,
  on,
  edited,
  initial,
  children,
}: {
  type: EditType;
  on: boolean;
  edited: Edited;
  initial: Json;
  children: React.ReactNode;
}) {
  return (
    <section className={classes(labCss.card, variantsCss.editCard)} aria-label={type} data-testid={`edit-${type}`}>
      <Checkbox
        label={<span className={variantsCss.editName}>{type}</span>}
        isSelected={on}
        onChange={(selected) =>
          edited.change((config) => (selected ? patchEdit(config, type, initial) : removeEdit(config, type)))
        }
        data-testid={`toggle-${type}`}
      />
      {on && children}
    </section>
  );
}

/** Props of a card about one edit. */
interface EditProps {
  /** The edit; null where the setting has none. */
  edit: Json | null;
  /** The setting. */
  edited: Edited;
  /** Message of the program about it, in the API's own words; empty when all is well. */
  problem: Message | null;
}

const keepThinking = (config: Json, value: "default" | "all" | number) =>
  patchEdit(config, THINKING, {
    keep: value === "default" ? undefined : value === "all" ? "all" : { type: "thinking_turns", value },
  });

const ThinkingCard = memo(function ThinkingCard({ edit, edited, problem }: EditProps) {
  const { t } = useLingui();
  const kept = edit ? keptThinking(edit) : "default";
  return (
    <EditCard
      type={THINKING}
      on={edit !== null}
      edited={edited}
      initial={{ keep: { type: "thinking_turns", value: 2 } }}
    >
      <ChoiceSetting
        label="keep"
        value={typeof kept === "number" ? "turns" : kept}
        options={[
          { value: "turns", label: "thinking_turns" },
          { value: "all", label: "all" },
          { value: "default", label: t`default of the model` },
        ]}
        onChange={(choice) =>
          edited.change((config) => keepThinking(config, choice === "turns" ? DEFAULTS.keepTurns : choice))
        }
        testId="thinking-keep-kind"
      />
      {typeof kept === "number" && (
        <NumberSetting
          label="keep thinking_turns"
          value={kept}
          scale={SCALES.keepTurns}
          problem={about(problem, THINKING, "keep")}
          edited={edited}
          write={keepThinking}
          testId="thinking-keep"
        />
      )}
    </EditCard>
  );
});

const triggerBy = (type: "input_tokens" | "tool_uses") => (config: Json, value: number) =>
  patchEdit(config, TOOLS, { trigger: { type, value } });
const TRIGGER_BY = { input_tokens: triggerBy("input_tokens"), tool_uses: triggerBy("tool_uses") };
const keepUses = (config: Json, value: number) => patchEdit(config, TOOLS, { keep: { type: "tool_uses", value } });
const clearAtLeast = (config: Json, value: number) =>
  patchEdit(config, TOOLS, { clear_at_least: value > 0 ? { type: "input_tokens", value } : undefined });
const excludeTools = (config: Json, names: string[]) =>
  patchEdit(config, TOOLS, { exclude_tools: names.length > 0 ? names : undefined });
const clearInputsOf = (config: Json, names: string[]) => patchEdit(config, TOOLS, { clear_tool_inputs: names });
const INPUTS: Record<InputClearing, unknown> = { none: undefined, all: true, named: [] };

function TriggerSetting({ edit, edited, problem }: { edit: Json; edited: Edited; problem: Message | null }) {
  const { t } = useLingui();
  const { type, value } = toolTrigger(edit);
  const tokens = type === "input_tokens";
  return (
    <>
      <ChoiceSetting
        label="trigger"
        value={type}
        options={[
          { value: "input_tokens", label: "input_tokens" },
          { value: "tool_uses", label: "tool_uses" },
        ]}
        onChange={(chosen) =>
          edited.change((config) =>
            TRIGGER_BY[chosen](config, chosen === "input_tokens" ? DEFAULTS.triggerTokens : DEFAULTS.triggerUses),
          )
        }
        testId="trigger-kind"
      />
      <NumberSetting
        label={t`above`}
        value={value}
        scale={tokens ? SCALES.triggerTokens : SCALES.triggerUses}
        problem={problem}
        edited={edited}
        write={TRIGGER_BY[type]}
        testId="trigger"
      />
    </>
  );
}

/** The names in a field: the same list as long as the field is the same. */
function useNames(field: unknown): readonly string[] {
  // `patchEdit` keeps what it does not change.
  return useMemo(() => namesOf(field) ?? NO_NAMES, [field]);
}

const ToolsCard = memo(function ToolsCard({
  edit: found,
  edited,
  problem,
  tools,
}: EditProps & { tools: readonly string[] }) {
  const { t } = useLingui();
  const edit = found ?? { type: TOOLS };
  const inputs = inputClearing(edit);
  const excluded = useNames(edit.exclude_tools);
  const named = useNames(edit.clear_tool_inputs);
  return (
    <EditCard
      type={TOOLS}
      on={found !== null}
      edited={edited}
      initial={{ trigger: { type: "input_tokens", value: DEFAULTS.triggerTokens } }}
    >
      <TriggerSetting edit={edit} edited={edited} problem={about(problem, TOOLS, "trigger")} />
      <NumberSetting
        label="keep tool_uses"
        value={valueOf(edit.keep) ?? DEFAULTS.keepUses}
        scale={SCALES.keepUses}
        problem={about(problem, TOOLS, "keep")}
        edited={edited}
        write={keepUses}
        testId="keep"
      />
      <NumberSetting
        label="clear_at_least"
        value={valueOf(edit.clear_at_least) ?? 0}
        scale={SCALES.clearAtLeast}
        problem={about(problem, TOOLS, "clear_at_least")}
        edited={edited}
        write={clearAtLeast}
        testId="clear-at-least"
      />
      <NamesSetting
        label="exclude_tools"
        names={excluded}
        known={tools}
        placeholder={t`none`}
        problem={about(problem, TOOLS, "exclude_tools")}
        edited={edited}
        write={excludeTools}
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
        onChange={(choice) =>
          edited.change((config) => patchEdit(config, TOOLS, { clear_tool_inputs: INPUTS[choice] }))
        }
        testId="clear-tool-inputs"
      />
      {inputs === "named" && (
        <NamesSetting
          label={t`tools`}
          names={named}
          known={tools}
          placeholder={t`none`}
          edited={edited}
          write={clearInputsOf}
          testId="clear-inputs-of"
        />
      )}
      <FieldProblem problem={about(problem, TOOLS, "clear_tool_inputs")} />
    </EditCard>
  );
});

/** The form. */
export function VariantForm({
  config,
  edited,
  problem,
  tools,
}: {
  config: Json;
  edited: Edited;
  /** Message of the program about the setting, in the API's own words; empty when all is well. */
  problem: Message | null;
  tools: readonly string[];
}) {
  const beyond = beyondForm(config);
  return (
    <div className={variantsCss.variantForm}>
      <ThinkingCard edit={editOf(config, THINKING)} edited={edited} problem={problem} />
      <ToolsCard edit={editOf(config, TOOLS)} edited={edited} problem={problem} tools={tools} />
      <CompactionCard config={config} edited={edited} problem={problem} />
      {beyond.length > 0 && (
        <p className="muted small" data-testid="beyond-form">
          <Trans>The setting also holds what only its JSON shows:</Trans>{" "}
          <span className="mono">{beyond.join(", ")}</span>
        </p>
      )}
    </div>
  );
}
