/** The words of the inbox in the language of the window. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type {
  ContentKind,
  InboxItem,
  ItemVerb,
  MemoryClass,
  MemoryKind,
  Severity,
  SkippedItem,
  SkipReason,
} from "@/bindings";
import { fileName } from "@/shared/text";

export { byRule, findingTone } from "@/shared/findings";

/** Change of a memory since it was last reviewed, with its sign. */
export const VERBS: Record<ItemVerb, { word: MessageDescriptor; sign: string }> = {
  created: { word: msg`created`, sign: "+" },
  changed: { word: msg`changed`, sign: "~" },
  moved: { word: msg`moved`, sign: "→" },
  deleted: { word: msg`deleted`, sign: "−" },
};

const CLASSES: Record<MemoryClass, MessageDescriptor | null> = {
  index: msg`index`,
  topic: msg`topic`,
  daily_log: msg`daily log`,
  instructions: msg`instructions`,
  proposal: msg`proposal`,
  other: null,
};

const CONTENTS: Record<ContentKind, MessageDescriptor | null> = {
  text: null,
  binary: msg`not text`,
  too_large: msg`too large to record`,
  redacted: msg`redacted`,
};

/** Severity of a finding. */
export const SEVERITIES: Record<Severity, MessageDescriptor> = {
  error: msg`error`,
  warning: msg`warning`,
  note: msg`note`,
};

const SKIPPED: Record<SkipReason, MessageDescriptor> = {
  findings: msg`It has errors.`,
  stale: msg`It changed after you opened it.`,
  imported: msg`It was imported; the newest version is what is reviewed.`,
  already_reviewed: msg`It is reviewed already.`,
  base_redacted: msg`The version to restore is redacted.`,
  base_too_large: msg`The version to restore was too large to record.`,
  too_large: msg`Its content is too large to record, so it is not replaced.`,
};

/** Kind of the memory; empty where that is not known. */
export function kindOf(kind: MemoryKind): (MessageDescriptor | string)[] {
  const word = CLASSES[kind.class];
  return [...(word ? [word] : []), ...(kind.memory_type ? [kind.memory_type] : [])];
}

/** Why an item shows no lines, if so. */
export function contentWords(item: InboxItem): MessageDescriptor | null {
  return item.content_kind && CONTENTS[item.content_kind];
}

/** Why an item was left as it is. */
export function skippedWords({ reason }: Pick<SkippedItem, "reason">): MessageDescriptor {
  return SKIPPED[reason];
}

/** The name of an item: that of its file; null when it was redacted. */
export function nameOf(item: Pick<InboxItem, "path">): string | null {
  return item.path === null ? null : fileName(item.path);
}
