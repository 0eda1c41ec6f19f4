/**
 * Terms that a label uses and a person may not know. Their meanings stand in docs/GLOSSARY.md, too; a test compares the two.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** Meaning of each term, by its name in docs/GLOSSARY.md. */
export const GLOSSARY = {
  bidi: msg`A character that changes the direction of text: a reader sees another order than a model reads.`,
  "by time alone": msg`The session ran when the file changed; nothing else connects the two.`,
  clear_at_least: msg`Tokens that a clearing frees at least. Where it would free fewer, nothing is cleared and the cache stays valid.`,
  clear_tool_inputs: msg`Whether the inputs of tool calls are cleared together with their results.`,
  "exact content": msg`A transcript holds a write of exactly these bytes.`,
  exclude_tools: msg`Tools whose calls and results are never cleared.`,
  keep: msg`What stays when older content is cleared: the newest tool calls, or the newest turns with thinking.`,
  likely: msg`Path and time of a write in a transcript fit, and its content in part.`,
  "named in the file": msg`The front matter of the file names the session.`,
  orphan: msg`A memory that no index names: a session finds it only by listing the directory.`,
  "stated by the writer": msg`The client said who it is when it wrote.`,
  trigger: msg`Size from which a request is edited, in input tokens or tool calls.`,
  "zero-width": msg`A character that takes no room: a reader does not see it, a model does.`,
} satisfies Record<string, MessageDescriptor>;

/** A term of the glossary. */
export type TermName = keyof typeof GLOSSARY;

/** True if the glossary has a term. */
export function isTerm(name: string): name is TermName {
  return Object.hasOwn(GLOSSARY, name);
}
