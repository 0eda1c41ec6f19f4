/**
 * A setting as the form reads and writes it. The value of `context_management` itself is the one truth: the form shows
 * what it knows of it and changes single fields, so that what only JSON can say is never lost.
 */
import type { Message, Variant } from "@/bindings";
import { type TextPlace, whereJsonStops } from "./json-place";

/** Any JSON object. */
export type Json = Record<string, unknown>;

/** Types of the edits the form knows, in the order the API wants them. */
export const EDITS = ["clear_thinking_20251015", "clear_tool_uses_20250919", "compact_20260112"] as const;
/** One of [`EDITS`]. */
export type EditType = (typeof EDITS)[number];

/** Defaults of the API for what a setting leaves out (documentation of context editing, August 2026). */
export const DEFAULTS = {
  triggerTokens: 100_000,
  triggerUses: 20,
  keepUses: 3,
  keepTurns: 1,
  compactTrigger: 150_000,
  compactLeast: 50_000,
  sdkThreshold: 100_000,
  /** No default of the API: what the form begins with. */
  onDemandReaches: 100_000,
} as const;

/** Fewest and most, and the step of a slider. */
export interface Scale {
  minValue: number;
  maxValue: number;
  step: number;
}
/** Scales of the sliders. Fields take any whole number. */
export const SCALES = {
  triggerTokens: { minValue: 10_000, maxValue: 200_000, step: 5_000 },
  triggerUses: { minValue: 1, maxValue: 100, step: 1 },
  keepUses: { minValue: 0, maxValue: 30, step: 1 },
  keepTurns: { minValue: 1, maxValue: 20, step: 1 },
  clearAtLeast: { minValue: 0, maxValue: 100_000, step: 1_000 },
  compactTrigger: { minValue: 50_000, maxValue: 200_000, step: 5_000 },
  sdkThreshold: { minValue: 10_000, maxValue: 200_000, step: 5_000 },
  onDemandReaches: { minValue: 10_000, maxValue: 200_000, step: 5_000 },
} as const satisfies Record<string, Scale>;

/** True for a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function editsOf(config: unknown): unknown[] {
  return isObject(config) && Array.isArray(config.edits) ? config.edits : [];
}

const isEdit =
  (type: string) =>
  (edit: unknown): edit is Json =>
    isObject(edit) && edit.type === type;

/** The edit of a type, the first where there are several; null where there is none. */
export function editOf(config: unknown, type: EditType): Json | null {
  return editsOf(config).find(isEdit(type)) ?? null;
}

/** Without `edits` where the list is empty, so that nothing is left of what was taken out. */
function withEdits(config: unknown, edits: unknown[]): Json {
  const { edits: _edits, ...rest } = isObject(config) ? config : {};
  return edits.length > 0 ? { edits, ...rest } : rest;
}

/** Sets fields of an edit, and takes out those that are undefined. Adds the edit at its place where it is not there. */
export function patchEdit(config: unknown, type: EditType, patch: Json): Json {
  const edits = editsOf(config);
  const merged = (edit: Json): Json =>
    Object.fromEntries(Object.entries({ ...edit, ...patch }).filter(([, value]) => value !== undefined));
  const at = edits.findIndex(isEdit(type));
  if (at >= 0)
    return withEdits(
      config,
      edits.map((edit, place) => (place === at ? merged(edit as Json) : edit)),
    );
  const rank = (edit: unknown) => EDITS.findIndex((known) => isEdit(known)(edit));
  const own = EDITS.indexOf(type);
  // Before the first that comes later; what the form does not know keeps its place.
  const before = edits.findIndex((edit) => rank(edit) > own);
  const place = before < 0 ? edits.length : before;
  return withEdits(config, [...edits.slice(0, place), merged({ type }), ...edits.slice(place)]);
}

/** Takes the edits of a type out. */
export function removeEdit(config: unknown, type: EditType): Json {
  return withEdits(
    config,
    editsOf(config).filter((edit) => !isEdit(type)(edit)),
  );
}

const wholeNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** The number in `{"type": …, "value": n}`; null where there is none. */
export function valueOf(field: unknown): number | null {
  return isObject(field) ? wholeNumber(field.value) : null;
}

/** Trigger of tool clearing. */
export interface Trigger {
  type: "input_tokens" | "tool_uses";
  value: number;
}

/** The trigger of tool clearing, with the default where it says nothing. */
export function toolTrigger(edit: Json): Trigger {
  const uses = isObject(edit.trigger) && edit.trigger.type === "tool_uses";
  const fallback = uses ? DEFAULTS.triggerUses : DEFAULTS.triggerTokens;
  return { type: uses ? "tool_uses" : "input_tokens", value: valueOf(edit.trigger) ?? fallback };
}

/** A list of tool names; null where there is none. */
export function namesOf(field: unknown): string[] | null {
  return Array.isArray(field) ? field.filter((name): name is string => typeof name === "string") : null;
}

/** Names from a typed list. */
export function parseNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

/** Inputs that are cleared with their results. */
export type InputClearing = "none" | "all" | "named";

/** Inputs that an edit clears. */
export function inputClearing(edit: Json): InputClearing {
  if (Array.isArray(edit.clear_tool_inputs)) return "named";
  return edit.clear_tool_inputs === true ? "all" : "none";
}

/** Thinking that an edit keeps: the default of the model, all turns, or some. */
export function keptThinking(edit: Json): "default" | "all" | number {
  const { keep } = edit;
  if (keep === "all" || (isObject(keep) && keep.type === "all")) return "all";
  return valueOf(keep) ?? "default";
}

/** The kinds of compaction. A setting holds at most one. */
export type CompactionKind = "off" | "server" | "sdk" | "on_demand";

/** Compaction that a setting asks for. */
export function compactionKind(config: unknown): CompactionKind {
  if (isObject(config) && isObject(config.compaction_control)) return "sdk";
  if (isObject(config) && isObject(config.compaction)) return "on_demand";
  return editOf(config, "compact_20260112") ? "server" : "off";
}

/**
 * Chooses a compaction in place of the one that is there. The edits that clear stay, except beside compaction on demand,
 * which the API does not take together with any edit.
 */
export function chooseCompaction(config: unknown, kind: CompactionKind): Json {
  const {
    compaction_control: _control,
    compaction: _compaction,
    at: _at,
    context_reaches: _reaches,
    ...rest
  } = isObject(config) ? config : {};
  const bare = removeEdit(rest, "compact_20260112");
  switch (kind) {
    case "off":
      return bare;
    case "sdk":
      return {
        ...bare,
        compaction_control: { enabled: true, context_token_threshold: DEFAULTS.sdkThreshold },
      };
    case "on_demand": {
      const { edits: _edits, ...alone } = bare;
      return setOnDemand(
        { ...alone, compaction: { type: "summarize" } },
        { context_reaches: DEFAULTS.onDemandReaches },
      );
    }
    case "server": {
      const trigger = { type: "input_tokens", value: DEFAULTS.compactTrigger };
      return patchEdit(bare, "compact_20260112", { trigger });
    }
  }
}

/** Compaction on demand. */
export interface OnDemand {
  /** Requests before which the run is compacted, counted from 0; null where the context decides. */
  at: number[] | null;
  /** Tokens at which it is; null where it says requests, or nothing. */
  context_reaches: number | null;
  /** Instructions for the summary; empty where nothing. */
  instructions: string;
}

/** Reads compaction on demand. */
export function onDemand(config: unknown): OnDemand {
  const { at, context_reaches, compaction } = isObject(config) ? config : {};
  const instructions = isObject(compaction) ? compaction.instructions : "";
  return {
    at: Array.isArray(at) ? at.filter((index): index is number => Number.isInteger(index)) : null,
    context_reaches: wholeNumber(context_reaches),
    instructions: typeof instructions === "string" ? instructions : "",
  };
}

/** Changes compaction on demand. `at` and `context_reaches` replace each other, as only one of them may stand there. */
export function setOnDemand(config: unknown, patch: Partial<OnDemand>): Json {
  const { at, context_reaches, compaction, ...rest } = isObject(config) ? config : {};
  const when = patch.at
    ? { at: patch.at }
    : typeof patch.context_reaches === "number"
      ? { context_reaches: patch.context_reaches }
      : { ...(at !== undefined && { at }), ...(context_reaches !== undefined && { context_reaches }) };
  const { instructions: _old, ...inner } = isObject(compaction) ? compaction : { type: "summarize" };
  const instructions = patch.instructions ?? onDemand(config).instructions;
  return { ...rest, compaction: { ...inner, ...(instructions.trim() && { instructions }) }, ...when };
}

/** Reads requests as people count them, from 1; gives indexes from 0, in order, each once. */
export function parseIndexes(text: string): number[] {
  const counted = (text.match(/\d{1,9}/g) ?? []).map(Number).filter((request) => request > 0);
  return [...new Set(counted.map((request) => request - 1))].sort((a, b) => a - b);
}

/** Threshold of the SDK's compaction, with its default. */
export function sdkThreshold(config: unknown): number {
  const control = isObject(config) && isObject(config.compaction_control) ? config.compaction_control : {};
  return wholeNumber(control.context_token_threshold) ?? DEFAULTS.sdkThreshold;
}

/** Sets the threshold of the SDK's compaction. */
export function setSdkThreshold(config: unknown, threshold: number): Json {
  const control = isObject(config) && isObject(config.compaction_control) ? config.compaction_control : {};
  return {
    ...(isObject(config) ? config : {}),
    compaction_control: { ...control, context_token_threshold: threshold },
  };
}

const KNOWN_FIELDS: Record<EditType, readonly string[]> = {
  clear_thinking_20251015: ["type", "keep"],
  clear_tool_uses_20250919: ["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"],
  compact_20260112: ["type", "trigger"],
};
const KNOWN_TOP = ["edits", "compaction_control", "compaction", "at", "context_reaches"];

/** Parts of a setting that the form has no field for, each as a path; shown so that nothing acts unseen. */
export function beyondForm(config: unknown): string[] {
  if (!isObject(config)) return [];
  const top = Object.keys(config).filter((field) => !KNOWN_TOP.includes(field));
  const seen = new Set<string>();
  const inside = editsOf(config).flatMap((edit, at) => {
    const type = EDITS.find((known) => isEdit(known)(edit));
    if (!type || !isObject(edit) || seen.has(type)) return [`edits.${at}`];
    seen.add(type);
    return Object.keys(edit)
      .filter((field) => !KNOWN_FIELDS[type].includes(field))
      .map((field) => `edits.${at}.${field}`);
  });
  return [...top, ...inside];
}

/** The part of a message that is about one field of an edit; the API names it `edits.0.TYPE.FIELD`. Null where none is. */
export function about(problem: Message | null, type: EditType, field: string): Message | null {
  const name = `${type}.${field}`;
  const path = problem?.args.path;
  if (!problem?.text.includes(name)) return null;
  const from = (text: string) => text.slice(text.indexOf(name));
  const args = typeof path === "string" ? { ...problem.args, path: from(path) } : problem.args;
  return { ...problem, args, text: from(problem.text) };
}

/** Tokens at which a setting begins to act; null where it says so otherwise or not at all. */
export function triggerTokens(config: unknown): number | null {
  const tools = editOf(config, "clear_tool_uses_20250919");
  if (tools) {
    const trigger = toolTrigger(tools);
    return trigger.type === "input_tokens" ? trigger.value : null;
  }
  const kind = compactionKind(config);
  if (kind === "server") return valueOf(editOf(config, "compact_20260112")?.trigger) ?? DEFAULTS.compactTrigger;
  if (kind === "on_demand") return onDemand(config).context_reaches;
  return kind === "sdk" ? sdkThreshold(config) : null;
}

/** Why a text is no setting: it is other JSON, or none from a place on. */
export type SettingProblem = { is: "no_object" } | { is: "no_json"; at: TextPlace };

/** Reads a setting from text. */
export function parseSetting(text: string): { config: Json } | { problem: SettingProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: { is: "no_json", at: whereJsonStops(text) } };
  }
  if (!isObject(value)) return { problem: { is: "no_object" } };
  // As it stands in a request, and as it stands in the documentation.
  return { config: isObject(value.context_management) ? value.context_management : value };
}

/** A setting as text. */
export function printSetting(config: unknown): string {
  return JSON.stringify(config, null, 2);
}

/** A new variant begins as what most people would try first. */
export const FIRST_CONFIG: Json = {
  edits: [
    {
      type: "clear_tool_uses_20250919",
      trigger: { type: "input_tokens", value: 60_000 },
      keep: { type: "tool_uses", value: 5 },
      clear_at_least: { type: "input_tokens", value: 15_000 },
      exclude_tools: ["memory"],
    },
  ],
};

/** True if two settings are the same, whatever the order of their fields. */
export function sameSetting(a: Variant["config"], b: Variant["config"]): boolean {
  const ordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(ordered);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, ordered(value[key])]),
    );
  };
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}
