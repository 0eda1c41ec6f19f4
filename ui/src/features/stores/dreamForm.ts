/** Form of a request for a dream, and the two sides of a dream that ended. Pure. */
import type { Dream } from "@/bindings";
import { charactersOf, MAX_CHARACTERS } from "./mountList";

/** Sessions that one dream may read. */
const MAX_SESSIONS = 100;

/** The ids in a text: by line, comma or space, each once, in order. */
export function sessionsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

/** Entered fields. */
export interface DreamForm {
  /** The store to read. */
  store: string;
  /** Sessions to read. */
  sessions: readonly string[];
  /** Model. */
  model: string;
  /** Instructions; empty for nothing. */
  instructions: string;
}

/** The form as it is being filled in. */
export interface DreamDraft extends Omit<DreamForm, "sessions"> {
  /** Sessions to read, as they were typed. */
  sessions: string;
  /** True to write into the store itself. */
  update: boolean;
  /** True to start without the queued changes. */
  without: boolean;
}

/** Nothing filled in. */
export const EMPTY_DREAM: DreamDraft = {
  store: "",
  sessions: "",
  model: "",
  instructions: "",
  update: false,
  without: false,
};

/** Parts of the form that the host would refuse. */
export function dreamProblems({ store, sessions, model, instructions }: DreamForm): (keyof DreamForm)[] {
  const bad: (keyof DreamForm)[] = [];
  if (store === "") bad.push("store");
  const count = sessions.length;
  if (count === 0 || count > MAX_SESSIONS || !sessions.every((id) => /^sesn_\w+$/.test(id))) bad.push("sessions");
  if (model.trim() === "") bad.push("model");
  if (charactersOf(instructions) > MAX_CHARACTERS) bad.push("instructions");
  return bad;
}

/** True if a dream still goes on. */
export function isOpen({ status }: Dream): boolean {
  return status === "pending" || status === "running";
}

/** Stores of the host that have to be mirrored before both sides can be compared with each other. */
export function missingSides(dream: Dream): string[] {
  const sides: [string | null, string | null][] = [
    [dream.input_remote_id, dream.input_store_id],
    [dream.output_remote_id, dream.output_store_id],
  ];
  return [...new Set(sides.flatMap(([remote, here]) => (remote !== null && here === null ? [remote] : [])))];
}

/**
 * The two sides of a dream, once both are mirrored. A dream that wrote into its own input is compared with what that was
 * before it began.
 */
export function sidesOf(dream: Dream): { from: string; to: string } | null {
  const { input_store_id: input, output_store_id: output } = dream;
  if (input === null) return null;
  if (dream.output_behavior === "update_existing" || dream.input_remote_id === dream.output_remote_id)
    return { from: `${input}@${dream.created_at}`, to: input };
  return output === null ? null : { from: input, to: output };
}
