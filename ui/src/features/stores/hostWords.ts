/** Names for hosts, queued changes and dreams, and what went wrong at a host. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Code, QueuedChange, QueueKind, QueueState, RemoteStore } from "@/bindings";
import { ApiFailure } from "@/host";

/** A mark beside a word. */
export type Tone = "on" | "warn" | "off" | "del" | "accent";

/** Effect of a queued change, with the sign that stands for it. */
export const CHANGES: Record<QueueKind, { word: MessageDescriptor; sign: string; tone: string }> = {
  create: { word: msg`creates`, sign: "+", tone: "created" },
  update: { word: msg`changes`, sign: "~", tone: "modified" },
  delete: { word: msg`deletes`, sign: "−", tone: "deleted" },
  redact: { word: msg`redacts`, sign: "█", tone: "moved" },
  archive: { word: msg`archives the store`, sign: "▣", tone: "moved" },
};

/** State of a queued change. */
export const CHANGE_STATES: Record<QueueState, { word: MessageDescriptor; dot: Tone }> = {
  waiting: { word: msg`waiting`, dot: "off" },
  conflict: { word: msg`conflict`, dot: "warn" },
  failed: { word: msg`refused`, dot: "del" },
};

/** State of a dream. */
export const DREAM_STATES: Record<string, { word: MessageDescriptor; dot: Tone }> = {
  pending: { word: msg`waiting to begin`, dot: "off" },
  running: { word: msg`running`, dot: "accent" },
  completed: { word: msg`completed`, dot: "on" },
  failed: { word: msg`failed`, dot: "del" },
  canceled: { word: msg`canceled`, dot: "off" },
};

/** State of a mirror: the most serious of what is known of it. */
export function mirrorState(row: RemoteStore): { word: MessageDescriptor; dot: Tone } {
  if (row.problem !== null) return { word: msg`not finished`, dot: "warn" };
  if (row.pulling) return { word: msg`cut off, goes on`, dot: "warn" };
  if (row.archived_at !== null) return { word: msg`archived at the host`, dot: "off" };
  return row.pulled_at === null ? { word: msg`never pulled`, dot: "off" } : { word: msg`mirrored`, dot: "on" };
}

/** Result of a call to a host. */
export interface HostWords {
  /** Short description of the failure. */
  title: MessageDescriptor;
  /** Next step, where the program says nothing. */
  next: MessageDescriptor;
  /** True if another key may help. */
  key: boolean;
}

const HOST_WORDS: Partial<Record<Code, HostWords>> = {
  key_refused: {
    title: msg`The host did not accept the key`,
    next: msg`Store another key for this host and try again.`,
    key: true,
  },
  store_unavailable: {
    title: msg`The host does not answer`,
    next: msg`Check the address and the connection. What is mirrored stays usable; what is queued stays queued.`,
    key: false,
  },
  host_limited: {
    title: msg`The host takes no more calls for now`,
    next: msg`Wait a moment. The next pull goes on where this one stopped.`,
    key: false,
  },
  not_found: {
    title: msg`The host does not have it`,
    next: msg`Check the address. What is mirrored of it stays here.`,
    key: false,
  },
};

/** The words for what went wrong at a host; null where the usual ones are right. */
export function hostWords(cause: unknown): HostWords | null {
  return cause instanceof ApiFailure ? (HOST_WORDS[cause.error.code] ?? null) : null;
}

/** Subject of a queued change: its path, or the store as a whole. */
export function changeTitle(change: QueuedChange): string {
  return change.path ?? change.store_name;
}
