/** Instruction files: their states in words, and what to call them. Pure. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Instruction } from "@/bindings";
import { fileName, folderOf } from "@/shared/text";

const STATES: Record<string, { word: MessageDescriptor; dot: "on" | "warn" | "off" | "accent" }> = {
  loaded: { word: msg`loaded at the start`, dot: "on" },
  on_demand: { word: msg`loaded on demand`, dot: "accent" },
  excluded: { word: msg`left out by a setting`, dot: "off" },
  shadowed: { word: msg`another stands in for it`, dot: "off" },
  already_loaded: { word: msg`loaded already`, dot: "off" },
  missing: { word: msg`missing`, dot: "warn" },
  cycle: { word: msg`imports itself`, dot: "warn" },
  too_deep: { word: msg`too many imports away`, dot: "warn" },
  not_approved: { word: msg`outside, not approved`, dot: "warn" },
  outside: { word: msg`link leads out`, dot: "warn" },
  too_large: { word: msg`too large`, dot: "warn" },
  unreadable: { word: msg`cannot be read`, dot: "warn" },
  off: { word: msg`switched off`, dot: "off" },
};

/** State of loading, in words; the mark beside them only repeats it. */
export function stateOf(file: Pick<Instruction, "state">): {
  word: MessageDescriptor | string;
  dot: "on" | "warn" | "off" | "accent";
} {
  return STATES[file.state] ?? { word: file.state, dot: "off" };
}

const SCOPES: Record<string, MessageDescriptor> = {
  managed: msg`the administrator's`,
  user: msg`yours, for all projects`,
  project: msg`the project's`,
  local: msg`yours, for this project`,
};

/** Who gives the instructions. */
export function scopeWords(scope: string): MessageDescriptor | string {
  return SCOPES[scope] ?? scope;
}

const AGENTS: Record<string, MessageDescriptor> = {
  "claude-code": msg`Claude Code`,
  codex: msg`Codex and others (AGENTS.md)`,
  gemini: msg`Gemini CLI`,
};

/** Whose instructions. */
export function agentWords(agent: string): MessageDescriptor | string {
  return AGENTS[agent] ?? agent;
}

/** Name and folder of a file; the folder relative to the session's directory where it lies in it. */
export function placeOf(path: string, directory: string | null): { name: string; folder: string } {
  const inside = directory !== null && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
  return { name: fileName(path), folder: folderOf(inside) };
}

/** True if its text can be shown. */
export function isReadable(file: Pick<Instruction, "lines">): boolean {
  return file.lines !== null;
}
