/** The one place that turns what went wrong into words and a tone. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ApiError, Code, Message } from "@/bindings";
import { ApiFailure, Unauthorized, Unreachable } from "@/host";
import { knownIn } from "./sentences";

/** Severity: worth knowing, to be looked at, or broken. */
export type Tone = "notice" | "warning" | "failure";

/** Texts of a failure. */
export interface Words {
  /** Short description of the failure. */
  title: MessageDescriptor;
  /** Message of the program, in the language of the window where that is known; empty when it said nothing. */
  detail: string;
  /** The language of the detail: English where the window's own is not known, null for that of the window. */
  detailLanguage: "en" | null;
  /**
   * Next step: the program's advice where it gave one. Advice that is not known in the language of the window stands
   * with the details, and what the code tells comes in its place.
   */
  next: MessageDescriptor | string;
  /** Subject: a path, an id; empty when nothing is named. */
  subject: string;
  /** Tone. */
  tone: Tone;
}

type Entry = { title: MessageDescriptor; next: MessageDescriptor; tone: Tone };

const ENTRIES: Record<Code, Entry> = {
  invalid: { title: msg`That cannot be done`, next: msg`Correct it and try again.`, tone: "notice" },
  not_found: {
    title: msg`Not found`,
    next: msg`It may have been moved or removed. Search for it with Ctrl K.`,
    tone: "notice",
  },
  head_moved: {
    title: msg`The file changed in the meantime`,
    next: msg`Nothing was overwritten. Review the present version, then decide.`,
    tone: "warning",
  },
  before_recording: {
    title: msg`Nothing was recorded by then`,
    next: msg`Nothing was changed. Bring in earlier history from Stores, or choose a later time.`,
    tone: "notice",
  },
  store_unavailable: {
    title: msg`The directory cannot be reached`,
    next: msg`Check that it exists and may be read, then scan it again from Stores.`,
    tone: "warning",
  },
  content_redacted: {
    title: msg`That content was redacted`,
    next: msg`It cannot be restored. The log keeps who changed it, when and why.`,
    tone: "notice",
  },
  purge_pending: {
    title: msg`The redaction is not finished on disk`,
    next: msg`Another process still reads the log. Close it, then verify the receipt again.`,
    tone: "warning",
  },
  database_newer: {
    title: msg`The log was written by a newer version`,
    next: msg`Update this program. The log was not touched.`,
    tone: "failure",
  },
  database_damaged: {
    title: msg`The log is damaged`,
    next: msg`Make a copy of the data directory before anything else, then verify the log.`,
    tone: "failure",
  },
  cannot_write: {
    title: msg`Could not write`,
    next: msg`Check permissions and free space, then try again.`,
    tone: "failure",
  },
  not_recorded: {
    title: msg`Done, but not recorded`,
    next: msg`The next scan records what was changed. Do not repeat it.`,
    tone: "failure",
  },
  busy: {
    title: msg`The log is in use`,
    next: msg`Another process is writing. Try again in a moment.`,
    tone: "notice",
  },
  counter_unavailable: {
    title: msg`Exact counts are unavailable`,
    next: msg`Check the key and the connection. Everything counted offline works without them.`,
    tone: "notice",
  },
  key_refused: {
    title: msg`The host did not accept the key`,
    next: msg`Store another key for this host and try again.`,
    tone: "warning",
  },
  host_limited: {
    title: msg`The host takes no more calls for now`,
    next: msg`Wait a moment. The next pull goes on where this one stopped.`,
    tone: "notice",
  },
  internal: {
    title: msg`Something went wrong inside Retrace`,
    next: msg`Try again. If it stays, verify the log in Settings.`,
    tone: "failure",
  },
};

/** The words for anything that was thrown. */
export function wordsFor(cause: unknown): Words {
  if (cause instanceof ApiFailure) return wordsOf(cause.error);
  if (cause instanceof Unauthorized) {
    const next = msg`Open the address that retrace serve printed.`;
    const title = msg`This page has no key to the program`;
    return { title, detail: "", detailLanguage: null, next, subject: "", tone: "failure" };
  }
  const said = cause instanceof Error ? cause.message : "";
  const known = knownIn(i18n, withoutId(said));
  const told = { detail: known ?? said, detailLanguage: known === null ? ("en" as const) : null, subject: "" };
  if (cause instanceof Unreachable) {
    const next = msg`Check that it is still running. This page tries again by itself.`;
    return { title: msg`The program does not answer`, ...told, next, tone: "failure" };
  }
  return { title: ENTRIES.internal.title, ...told, next: ENTRIES.internal.next, tone: "failure" };
}

/** A text that came without an id: no catalogue has it. */
const withoutId = (text: string): Message => ({ id: "verbatim", args: {}, text });

/** Sentence and advice of an error, with their ids where it has some. */
export const messagesOf = ({ message, hint, messages }: Omit<ApiError, "code" | "subject">) =>
  messages ?? { message: withoutId(message), hint: withoutId(hint) };

function wordsOf(error: ApiError): Words {
  const { code, message, hint, subject } = error;
  const messages = messagesOf(error);
  // A newer program may know codes that this page does not.
  const entry = ENTRIES[code] ?? ENTRIES.internal;
  const [said, advice] = [knownIn(i18n, messages.message), knownIn(i18n, messages.hint)];
  const detail = [said ?? message, advice === null && hint].filter(Boolean).join(" ");
  return {
    title: entry.title,
    detail,
    detailLanguage: said === null || advice === null ? "en" : null,
    next: advice || entry.next,
    subject,
    tone: entry.tone,
  };
}
