/** Who wrote what an operation recorded, and where. One operation may have caught the writes of several. Pure. */
import type { ActorView, Operation, OriginNote, Version } from "@/bindings";
import { sizeOf } from "./rows";

/** A writer, with what is known of the session where it is one. */
export interface Wrote {
  actor: ActorView | null;
  origin: OriginNote | null;
}

/** Who wrote an operation: one, several sessions, or several of whom some are unknown or are no session. */
export type Writers = ({ kind: "one" } & Wrote) | { kind: "sessions" | "several"; writers: readonly Wrote[] };

const keyOf = (actor: ActorView | null) =>
  actor?.type === "session_actor" ? `session ${actor.session_id}` : JSON.stringify(actor);

/** The session's note, where the actor is that session. */
function noteOf(actor: ActorView | null, version: Version | undefined): OriginNote | null {
  const origin = version?.origin ?? null;
  return actor?.type === "session_actor" && origin?.session_id === actor.session_id ? origin : null;
}

/** Who wrote an operation. What names no writer of its own has those of its changes. */
export function writersOf(operation: Operation): Writers {
  const { created_by: actor, versions } = operation;
  if (actor !== null) return { kind: "one", actor, origin: noteOf(actor, versions[0]) };
  const writers = new Map<string, Wrote>();
  for (const version of versions) {
    const by = version.put_back ? version.put_back.written_by : version.created_by;
    const key = keyOf(by);
    if (!writers.has(key)) writers.set(key, { actor: by, origin: noteOf(by, version) });
  }
  // Changes beyond the first of a long operation may be anybody's.
  if (sizeOf(operation) > versions.length) writers.set(keyOf(null), { actor: null, origin: null });
  const all = [...writers.values()];
  if (all.length === 1) return { kind: "one", ...all[0]! };
  if (all.length === 0) return { kind: "one", actor: null, origin: null };
  const known = all.filter((one) => one.actor !== null);
  return {
    kind:
      known.length === all.length && known.every(({ actor: by }) => by?.type === "session_actor")
        ? "sessions"
        : "several",
    writers: known,
  };
}

/** Stores that an operation changed: its own, or those of its changes. */
export function storesOf({ store_id: store, versions }: Operation): string[] {
  return store === null ? [...new Set(versions.map(({ store_id }) => store_id))] : [store];
}
