/**
 * Kinds of memory that a list can be narrowed to, each a word: `index`, `topic:feedback`, `team`. They are the program's
 * (`KindFilter` in its model), so that what is counted here and there is the same. Pure.
 */
import type { KindCount, MemoryKind } from "@/bindings";

const CLASSES = ["index", "topic", "daily_log", "instructions", "proposal", "other"];
/** Types of topics that agents write; others stand behind them. */
const TYPES = ["user", "feedback", "project", "reference"];
/** Scopes that are worth a choice; an auto memory's own is that of nearly all. */
const SCOPES = ["team", "agent_user", "agent_project", "agent_local"];
const TOPIC = "topic:";

/** The type of a topic that a kind names; null for any other kind. */
export function topicType(kind: string): string | null {
  return kind.startsWith(TOPIC) ? kind.slice(TOPIC.length) : null;
}

/** A text as a kind; nothing where it is none. */
export function readKind(text: string | null): string | undefined {
  const known = text !== null && (CLASSES.includes(text) || SCOPES.includes(text) || !!topicType(text));
  return known ? text : undefined;
}

/** Every kind that a memory is of. */
export function kindsOf({ class: memoryClass, memory_type: type, scope }: MemoryKind): string[] {
  return [
    memoryClass,
    ...(memoryClass === "topic" && type ? [`${TOPIC}${type}`] : []),
    ...(scope !== null && SCOPES.includes(scope) ? [scope] : []),
  ];
}

/** Number of memories of each kind. */
export function countKinds(memories: readonly { kind: MemoryKind }[]): KindCount[] {
  const counts = new Map<string, number>();
  for (const kind of memories.flatMap((memory) => kindsOf(memory.kind))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

function rank(kind: string): string {
  const type = topicType(kind);
  const [first, second] =
    type === null ? [[...CLASSES, ...SCOPES].indexOf(kind), 0] : [CLASSES.indexOf("topic"), 1 + TYPES.indexOf(type)];
  // A type that is not known comes after those that are.
  return [first, type !== null && second === 0 ? TYPES.length + 1 : second, kind]
    .map((part) => `${part}`.padStart(2))
    .join(" ");
}

/** Kinds in the order in which they are offered: classes with the types of topics below topics, then whose they are. */
export function inOrder(kinds: readonly KindCount[]): KindCount[] {
  const ranked = kinds.map((known) => ({ known, rank: rank(known.kind) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)).map(({ known }) => known);
}

/** The kind `by` places from the chosen one, round and round; nothing, which is all kinds, stands before the first. */
export function kindBeside(kinds: readonly KindCount[], chosen: string | undefined, by: number): string | undefined {
  const round = [undefined, ...kinds.map(({ kind }) => kind)];
  // The chosen kind may be counted no more.
  const at = Math.max(0, round.indexOf(chosen));
  return round[(at + by + round.length) % round.length];
}
