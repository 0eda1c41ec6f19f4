/** Instruction files: their states in words, and what to call them. Pure. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type {
  Instruction,
  InstructionAgent,
  InstructionRules,
  InstructionScope,
  InstructionState,
  Message,
} from "@/bindings";
import { fileName, folderOf } from "@/shared/text";

type Shown = { word: MessageDescriptor; dot: "on" | "warn" | "off" | "accent" };

const STATES: Record<InstructionState, Shown> = {
  loaded: { word: msg`loaded at the start`, dot: "on" },
  on_demand: { word: msg`loaded on demand`, dot: "accent" },
  cut: { word: msg`cut`, dot: "warn" },
  over_limit: { word: msg`beyond the limit`, dot: "warn" },
  empty: { word: msg`empty`, dot: "off" },
  excluded: { word: msg`left out by a setting`, dot: "off" },
  shadowed: { word: msg`another stands in for it`, dot: "off" },
  already_loaded: { word: msg`loaded already`, dot: "off" },
  missing: { word: msg`missing`, dot: "warn" },
  cycle: { word: msg`imports itself`, dot: "warn" },
  too_deep: { word: msg`too many imports away`, dot: "warn" },
  not_approved: { word: msg`outside, not approved`, dot: "warn" },
  untrusted: { word: msg`project not trusted`, dot: "warn" },
  not_text: { word: msg`no text to import`, dot: "warn" },
  too_large: { word: msg`too large`, dot: "warn" },
  unreadable: { word: msg`cannot be read`, dot: "warn" },
  not_in_version: { word: msg`not in this version`, dot: "off" },
  off: { word: msg`switched off`, dot: "off" },
};

/** State of loading, in words; the mark beside them only repeats it. */
export function stateOf(file: Pick<Instruction, "state">): Shown {
  return STATES[file.state];
}

const SCOPES: Record<InstructionScope, MessageDescriptor> = {
  managed: msg`the administrator's`,
  user: msg`yours, for all projects`,
  project: msg`the project's`,
  local: msg`yours, for this project`,
};

/** Who gives the instructions. */
export function scopeWords(scope: InstructionScope): MessageDescriptor {
  return SCOPES[scope];
}

const AGENTS: Record<InstructionAgent, MessageDescriptor> = {
  "claude-code": msg`Claude Code`,
  codex: msg`Codex`,
  gemini: msg`Gemini CLI`,
  opencode: msg`opencode`,
};

/** Whose instructions. */
export function agentWords(agent: InstructionAgent): MessageDescriptor {
  return AGENTS[agent];
}

/** The version that is here, and the one whose rules are applied. */
export function rulesOf(rules: InstructionRules): MessageDescriptor {
  const { version, seen_with: seen } = rules;
  if (version === null) return msg`version unknown, rules as of ${seen}`;
  return msg`version ${version}, rules as of ${seen}`;
}

/** Name and folder of a file; the folder relative to the session's directory where it lies in it. */
export function placeOf(path: string, directory: string | null): { name: string; folder: string } {
  const inside = directory !== null && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
  return { name: fileName(path), folder: folderOf(inside) };
}

/** A reason with its paths as they stand in the session's directory. */
export function withinDirectory(reason: Message, directory: string | null): Message {
  const short = (value: unknown) =>
    typeof value === "string" && directory !== null && value.startsWith(`${directory}/`)
      ? value.slice(directory.length + 1)
      : value;
  return withArgs(reason, short);
}

/** A message with some of its arguments put otherwise, also in its English text. */
function withArgs(message: Message, change: (value: unknown) => unknown): Message {
  let { text } = message;
  const args: Message["args"] = {};
  for (const [name, value] of Object.entries(message.args)) {
    const changed = change(value);
    if (typeof value === "string" && typeof changed === "string") text = text.replaceAll(value, changed);
    args[name] = changed as Message["args"][string];
  }
  return { ...message, args, text };
}

/** True if its text can be shown. */
export function isReadable(file: Pick<Instruction, "lines">): boolean {
  return file.lines !== null;
}
