/** Who wrote what, as far as the fake log says: there are no transcripts behind it. */
import type { ActorView, Origin, OriginNote, Session, SessionWrites } from "@/bindings";
import { anyRecorded } from "./fixtures";
import { type FakeLog, type FakeVersion, refuse } from "./log";
import { verbatim } from "./verbatim";

const UNKNOWN = anyRecorded("origin");

function noteOf(actor: ActorView | null): OriginNote {
  if (actor?.type !== "session_actor") return UNKNOWN.note;
  return { ...UNKNOWN.note, confidence: actor.evidence as OriginNote["confidence"], session_id: actor.session_id };
}

/** Who wrote a version. */
export function origin({ id, created_by }: FakeVersion): Origin {
  const note = noteOf(created_by);
  const evidence = note.session_id === null ? UNKNOWN.evidence : [verbatim("The writer said so when it wrote.")];
  return { ...UNKNOWN, version_id: id, note, evidence };
}

/** Writes of a session. */
export function sessionWrites(log: FakeLog, session: string): SessionWrites {
  const written = log.versions.filter(({ created_by }) => noteOf(created_by).session_id === session);
  if (written.length === 0) refuse("not_found", "No session of this id is known.", session);
  const versions = written.reverse().map((version) => ({
    store: log.store(version.store_id).name,
    confidence: noteOf(version.created_by).confidence,
    turn: null,
    version,
  }));
  return { ...anyRecorded("session_writes"), session_id: session, versions };
}

/** A session as a story: without transcripts, what it wrote after prompts that nobody knows. */
export function sessionStory(log: FakeLog, session: string): Session {
  const writes = sessionWrites(log, session);
  const other_versions = writes.versions.map(({ version }) => version.id).reverse();
  const problem = verbatim("The session has no transcript on this machine.");
  return { ...anyRecorded("session"), ...writes, other_versions, problem };
}
