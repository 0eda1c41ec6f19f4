/** The one place that turns what went wrong into words and a tone. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Code } from "@/bindings";
import { ApiFailure, Unauthorized, Unreachable } from "@/host";

/** How bad it is: worth knowing, to be looked at, or broken. */
export type Tone = "notice" | "warning" | "failure";

/** What to say about it. */
export interface Words {
  /** What happened, in a few words. */
  title: MessageDescriptor;
  /** What the program said about it, in its own words, which are English; empty when it said nothing. */
  detail: string;
  /**
   * What to do next. In English that is the program's advice where it gave one; in other languages it is what the code
   * tells, and the program's own advice stands with the details.
   */
  next: MessageDescriptor | string;
  /** What it is about: a path, an id; empty when nothing is named. */
  subject: string;
  /** How it is meant. */
  tone: Tone;
}

type Entry = { title: MessageDescriptor; next: MessageDescriptor; tone: Tone };

const ENTRIES: Record<Code, Entry> = {
  invalid: { title: msg`That cannot be done`, next: msg`Correct it and try again.`, tone: "notice" },
  not_found: {
    title: msg`Not found`,
    next: msg`It may have been moved or removed. Look for it with Ctrl K.`,
    tone: "notice",
  },
  head_moved: {
    title: msg`The file changed in the meantime`,
    next: msg`Nothing was overwritten. Look at what is there now, then decide.`,
    tone: "warning",
  },
  store_unavailable: {
    title: msg`The directory cannot be reached`,
    next: msg`Check that it exists and may be read, then scan it again from Stores.`,
    tone: "warning",
  },
  content_redacted: {
    title: msg`That content was redacted`,
    next: msg`It cannot be brought back. Who changed it, when and why is still in the log.`,
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
  busy: {
    title: msg`The log is in use`,
    next: msg`Another process is writing. Try again in a moment.`,
    tone: "notice",
  },
  counter_unavailable: {
    title: msg`Exact counts cannot be had`,
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
  if (cause instanceof ApiFailure) {
    const { code, message, hint, subject } = cause.error;
    // A newer program may know codes that this page does not.
    const entry = ENTRIES[code] ?? ENTRIES.internal;
    const told = { title: entry.title, subject, tone: entry.tone };
    if (i18n.locale === "en") return { ...told, detail: message, next: hint || entry.next };
    return { ...told, detail: [message, hint].filter(Boolean).join(" "), next: entry.next };
  }
  if (cause instanceof Unauthorized) {
    const next = msg`Open the address that retrace serve printed.`;
    return { title: msg`This page has no key to the program`, detail: "", next, subject: "", tone: "failure" };
  }
  const detail = cause instanceof Error ? cause.message : "";
  if (cause instanceof Unreachable) {
    const next = msg`Check that it is still running. This page tries again by itself.`;
    return { title: msg`The program does not answer`, detail, next, subject: "", tone: "failure" };
  }
  return { title: ENTRIES.internal.title, detail, next: ENTRIES.internal.next, subject: "", tone: "failure" };
}
