/** Why instruction and memory files come into the context of sessions, in words. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LoadReason, ReasonCount, RecallScope } from "@/bindings";

/** Why a file was loaded, where nothing says which file brought it. */
export const REASONS: Record<LoadReason, MessageDescriptor> = {
  session_start: msg`when the session began`,
  include: msg`imported by another file`,
  nested_traversal: msg`with a file of its directory`,
  path_glob_match: msg`by its path patterns`,
  compact: msg`again after a compaction`,
  refresh: msg`loaded again`,
  hook: msg`added by a hook`,
  recall: msg`recalled`,
  synthesis: msg`written by a model from memories`,
  mention: msg`mentioned by a person`,
  read: msg`read by the model`,
};

/** Whose memory a recalled one is. */
export const RECALLED_FROM: Record<RecallScope, MessageDescriptor> = {
  personal: msg`personal memory`,
  team: msg`memory of the team`,
  organization: msg`memory of the organization`,
};

/** Sums of several files by reason, the most frequent first. */
export function reasonSums(counts: readonly (readonly ReasonCount[])[]): ReasonCount[] {
  const sums = new Map<LoadReason, number>();
  for (const { reason, sessions } of counts.flat()) sums.set(reason, (sums.get(reason) ?? 0) + sessions);
  return [...sums].map(([reason, sessions]) => ({ reason, sessions })).sort((a, b) => b.sessions - a.sessions);
}
