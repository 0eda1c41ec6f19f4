/** A session as its page shows it. Pure. */
import type { Session, SessionAgent, SessionEvent, SessionPrompt, SessionVersion } from "@/bindings";

/** A prompt with what followed it. */
export interface Chapter {
  key: string;
  /** Null for what no prompt is known for. */
  prompt: SessionPrompt | null;
  changes: SessionVersion[];
  agents: SessionAgent[];
  events: SessionEvent[];
}

/** Prompts in order, each with its changes, subagents and compactions; what no prompt is known for comes first. */
export function chapters(session: Session): Chapter[] {
  const versions = new Map(session.versions.map((written) => [written.version.id, written]));
  const changesOf = (ids: readonly string[]) => ids.flatMap((id) => versions.get(id) ?? []);
  const of = (number: number | null) => ({
    agents: session.agents.filter(({ prompt }) => prompt === number),
    events: session.events.filter(({ prompt }) => prompt === number),
  });
  const before: Chapter = { key: "before", prompt: null, changes: changesOf(session.other_versions), ...of(null) };
  const told = session.prompts.map((prompt, number): Chapter => ({
    key: String(number),
    prompt,
    changes: changesOf(prompt.versions),
    ...of(number),
  }));
  const isEmpty = before.changes.length + before.agents.length + before.events.length === 0;
  return isEmpty ? told : [before, ...told];
}

/** When a chapter began, as far as that is known. */
export const startOf = ({ prompt, changes }: Chapter): string | null =>
  prompt?.at ?? changes[0]?.version.created_at ?? null;

/** Chapters at which another day begins, by their keys, each with its time; none where all is of one day. */
export function dayHeads(told: readonly Chapter[]): ReadonlyMap<string, string> {
  const heads = new Map<string, string>();
  let last = "";
  for (const chapter of told) {
    const at = startOf(chapter);
    if (at === null) continue;
    const day = new Date(at).toDateString();
    if (day !== last) heads.set(chapter.key, at);
    last = day;
  }
  return heads.size > 1 ? heads : new Map();
}

/** Changes with those that need a person first, each part in its order. */
export function gravestFirst<T>(changes: readonly T[], isGrave: (change: T) => boolean): T[] {
  return [...changes.filter(isGrave), ...changes.filter((change) => !isGrave(change))];
}

/** What a rollback of the session takes back, as far as it is sure; what was rebuilt stays. */
export function sureVersions({ versions }: Pick<Session, "versions">): SessionVersion[] {
  const sure = new Set(["stated", "exact_content", "likely"]);
  return versions.filter(({ version, confidence }) => sure.has(confidence) && !version.rebuilt);
}

/** Number of memories that versions are of. */
export const memoriesOf = (versions: readonly SessionVersion[]): number =>
  new Set(versions.map(({ version }) => version.memory_id)).size;

/** Number of stores that versions are in. */
export const storesOf = (versions: readonly SessionVersion[]): number =>
  new Set(versions.map(({ version }) => version.store_id)).size;

/** How a file stood in the requests of the main conversation. */
export type Standing =
  | { kind: "all" }
  | { kind: "none" }
  | { kind: "from"; request: number }
  | { kind: "until"; request: number }
  | { kind: "part"; requests: number; of: number };

/** How ranges of requests, first and last, lie among so many. */
export function standing(ranges: readonly (readonly [number, number])[], requests: number): Standing {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last || requests === 0) return { kind: "none" };
  const one = ranges.length === 1;
  const ends = last[1] === requests - 1;
  if (one && first[0] === 0 && ends) return { kind: "all" };
  if (one && ends) return { kind: "from", request: first[0] };
  if (one && first[0] === 0) return { kind: "until", request: last[1] };
  const sum = ranges.reduce((count, [from, to]) => count + to - from + 1, 0);
  return { kind: "part", requests: sum, of: requests };
}

/** Stretches without the file between and behind its ranges, from its first request on: what a compaction took. */
export function gaps(ranges: readonly (readonly [number, number])[], requests: number): [number, number][] {
  return ranges.flatMap(([, to], at): [number, number][] => {
    const next = ranges[at + 1]?.[0] ?? requests;
    return next - to > 1 ? [[to + 1, next - 1]] : [];
  });
}
