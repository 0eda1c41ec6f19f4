/** Who wrote what, as far as the fake log says: there are no transcripts behind it. */
import { verbatim } from "./verbatim";
import type { ActorView, Origin, OriginNote, Session, SessionWrites } from "@/bindings";
import { type FakeLog, type FakeVersion, refuse } from "./log";

const UNKNOWN: OriginNote = {
  confidence: "unknown",
  session_id: null,
  title: null,
  model: null,
  role: null,
  transcript: null,
  turn: null,
  prompt: null,
};

function noteOf(actor: ActorView | null): OriginNote {
  if (actor?.type !== "session_actor") return UNKNOWN;
  return { ...UNKNOWN, confidence: actor.evidence as OriginNote["confidence"], session_id: actor.session_id };
}

/** Who wrote a version. */
export function origin({ id, created_by }: FakeVersion): Origin {
  const note = noteOf(created_by);
  return {
    version_id: id,
    note,
    put_back: null,
    evidence: [
      verbatim(note.session_id === null ? "No transcript has a call that fits." : "The writer said so when it wrote."),
    ],
    agent: null,
    project: null,
    agent_name: null,
    started_at: null,
    ended_at: null,
    write: null,
    prompt: null,
    around: [],
    candidates: [],
  };
}

/** Writes of a session. */
export function sessionWrites(log: FakeLog, session: string): SessionWrites {
  const written = log.versions.filter(({ created_by }) => noteOf(created_by).session_id === session);
  if (written.length === 0) refuse("not_found", "No session of this id is known.", session);
  return {
    session_id: session,
    title: null,
    agent: null,
    project: null,
    models: [],
    started_at: null,
    ended_at: null,
    transcript: null,
    versions: written.reverse().map((version) => ({
      store: log.store(version.store_id).name,
      confidence: noteOf(version.created_by).confidence,
      turn: null,
      version,
    })),
    unrecorded: [],
  };
}

/** A session as a story: without transcripts, what it wrote after prompts that nobody knows. */
export function sessionStory(log: FakeLog, session: string): Session {
  const writes = sessionWrites(log, session);
  return {
    ...writes,
    first_prompt: null,
    client_version: null,
    branch: null,
    requests: 0,
    main_requests: 0,
    proved_requests: 0,
    peak: null,
    peak_kind: null,
    peak_request: null,
    cost_usd: null,
    cost_is_lower_bound: false,
    client_cost_usd: null,
    prompts: [],
    other_versions: writes.versions.map(({ version }) => version.id).reverse(),
    unreviewed: [],
    events: [],
    files: [],
    agents: [],
    problem: verbatim("The session has no transcript on this machine."),
  };
}
