/** The words of the log in the language of the window. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ActorView, ChangeSource, HiddenKind, StoreKind, StoreState, Version, VersionOperation } from "@/bindings";
import { shorten } from "./text";

const KINDS: Record<StoreKind, MessageDescriptor> = {
  "claude-auto": msg`Claude Code auto memory`,
  "claude-agent": msg`Claude Code subagent`,
  "memory-tool": msg`Memory tool`,
  codex: msg`Codex`,
  gemini: msg`Gemini CLI`,
  letta: msg`Letta Code`,
  openclaw: msg`OpenClaw`,
  "basic-memory": msg`Basic Memory`,
  copilot: msg`Copilot`,
  cline: msg`Cline`,
  plain: msg`Directory`,
  remote: msg`Hosted store`,
};

/** Kinds that a directory can be added as. */
export const LOCAL_KINDS = (Object.keys(KINDS) as StoreKind[]).filter((kind) => kind !== "remote");

/** Whose memory a store holds. */
export function kindWords(kind: StoreKind): MessageDescriptor {
  return KINDS[kind];
}

/** State of a store. `dot` is the mark beside the word, which always stands with it. */
export const STATES: Record<StoreState, { word: MessageDescriptor; dot: "on" | "warn" | "off" }> = {
  recording: { word: msg`recording`, dot: "on" },
  paused: { word: msg`paused`, dot: "off" },
  missing: { word: msg`missing`, dot: "warn" },
  moved: { word: msg({ context: "state of a store", message: "another directory" }), dot: "warn" },
  denied: { word: msg`no permission`, dot: "warn" },
  limited: { word: msg`limited`, dot: "warn" },
};

/** Change of a version, with the sign that stands for it. */
export const OPERATIONS: Record<VersionOperation | "moved", { word: MessageDescriptor; sign: string }> = {
  created: { word: msg`created`, sign: "+" },
  modified: { word: msg`modified`, sign: "~" },
  deleted: { word: msg`deleted`, sign: "−" },
  moved: { word: msg`moved`, sign: "→" },
};

/** Change of a version; a version did; a version that only moved its memory is a move. */
export function operationOf(version: Pick<Version, "operation" | "previous_path">): VersionOperation | "moved" {
  return version.operation === "modified" && version.previous_path !== null ? "moved" : version.operation;
}

const SOURCES: Record<ChangeSource, MessageDescriptor> = {
  scan: msg`seen on disk`,
  rollback: msg`rolled back`,
  restore: msg`restored`,
  redact: msg`redacted`,
  api: msg`written through the API`,
  tool: msg`memory tool`,
  import: msg`imported`,
  rebuilt: msg`rebuilt from transcripts`,
};

/** Cause of a version or an operation. */
export function sourceWords(source: ChangeSource): MessageDescriptor {
  return SOURCES[source];
}

const EVIDENCE: Record<string, MessageDescriptor> = {
  stated: msg`stated by the writer`,
  exact_content: msg`a transcript holds exactly this content`,
  likely: msg`path and time fit, the content in part`,
  front_matter: msg`the file names the session`,
  time_only: msg`only the time fits`,
};

/** A doubt about the writer is shown beside the name, not only in a title. */
const DOUBTS: Record<string, MessageDescriptor> = {
  likely: msg`likely`,
  front_matter: msg`named in the file`,
  time_only: msg`by time alone`,
};

/** Who made a change. */
export interface ActorWords {
  /** Sort: a session, a person. */
  sort: MessageDescriptor;
  /** Its short id; empty for an unknown writer. */
  id: string;
  /** Its whole id, for a title. */
  full: string;
  /** Evidence for it, if that is a question. */
  evidence: MessageDescriptor | null;
  /** The same in a word, where it is less than sure. */
  doubt?: MessageDescriptor;
}

/** Words for who made a change; unknown is an honest answer. */
export function actorWords(actor: ActorView | null): ActorWords {
  switch (actor?.type) {
    case undefined:
      return { sort: msg`unknown writer`, id: "", full: "", evidence: null };
    case "session_actor": {
      const id = actor.session_id;
      return {
        sort: msg`session`,
        id: shorten(id, 4, 2),
        full: id,
        evidence: EVIDENCE[actor.evidence] ?? null,
        doubt: DOUBTS[actor.evidence],
      };
    }
    case "api_actor":
      return { sort: msg`API key`, id: shorten(actor.api_key_id, 6, 2), full: actor.api_key_id, evidence: null };
    case "user_actor":
      return { sort: msg`user`, id: actor.user_id, full: actor.user_id, evidence: null };
    case "service_account_actor":
      return {
        sort: msg`service account`,
        id: actor.service_account_id,
        full: actor.service_account_id,
        evidence: null,
      };
  }
}

const HIDDEN: Record<HiddenKind, MessageDescriptor> = {
  zero_width: msg`A character without width. Readers do not see it, models do.`,
  bidi_control: msg`Changes the order in which text is shown. What you read may not be what is there.`,
  tag: msg`A letter of an invisible alphabet. It can carry a whole message.`,
  soft_hyphen: msg`A hyphen that shows only at a line's end.`,
  control: msg`A control character.`,
  html_comment: msg`An HTML comment. Rendered Markdown does not show it.`,
  invalid_byte: msg`A byte that is not UTF-8.`,
  variation_selector: msg`Chooses another form of the character before it, and can carry hidden data.`,
  other_format: msg`A character without a glyph.`,
};

/** Kind of a hidden character, in words. */
export function hiddenWords(kind: HiddenKind): MessageDescriptor {
  return HIDDEN[kind];
}
