/** Presence over made-up runs: the first run lost the lines in a compaction, the second had them cut, the third had them all. */
import type { LaneFile, LaneSpan, Presence, PresenceLane, PresenceSpan, Reach, ReachReq, ReachRow } from "@/bindings";
import type { FakeRun } from "./lab-run";
import type { FakeLog } from "./log";
import { refuse } from "./log";

const LIMIT = 200;

function spansOf(at: number, requests: number, version: string, line: number, lines: number): PresenceSpan[] {
  const span = (from: number, to: number, present: boolean, change: Partial<PresenceSpan>): PresenceSpan => ({
    from,
    to,
    present,
    lines: present ? lines : 0,
    grade: "proved",
    cause: null,
    cut_after: null,
    version_id: present ? version : null,
    as_line: present ? line : null,
    ...change,
  });
  const cut = line > LIMIT;
  const half = Math.floor(requests / 2);
  if (cut && at !== 0) return [span(0, requests - 1, false, { cause: "cut", cut_after: LIMIT })];
  if (at === 0) return [span(0, half, true, {}), span(half + 1, requests - 1, false, { cause: "compacted" })];
  return [span(0, requests - 1, true, { grade: at === 1 ? "recorded" : "inferred" })];
}

/** The answer of `reach` for a memory of the fake. */
export function fakeReach(log: FakeLog, runs: readonly FakeRun[], request: Partial<ReachReq>): Reach {
  const { target = "", from = null } = request;
  const to = request.to ?? from;
  const colon = target.indexOf(":");
  const store = log.store(target.slice(0, colon));
  const path = target.slice(colon + 1);
  const head = log.heads(store).get(path) ?? refuse("not_found", "There is no such memory.", path);
  const count = (head.text ?? "").split("\n").length - 1;
  const rows = runs.map((run, at): ReachRow => {
    const spans = spansOf(at, run.requests, head.id, from ?? 1, (to ?? count) - (from ?? 1) + 1);
    const present = spans.some((span) => span.present);
    return {
      transcript: run.id,
      session: run.id,
      title: run.title,
      project: run.project,
      agent: null,
      description: null,
      started_at: `2026-11-${20 - at}T10:00:00Z`,
      ended_at: null,
      requests: run.requests,
      present,
      cause: spans.at(-1)?.cause ?? null,
      compactions: at === 0 ? [Math.floor(run.requests / 2) + 1] : [],
      spans,
    };
  });
  const present = rows.filter((row) => row.present).length;
  const cut = rows.length - present;
  const proved = runs[0]?.requests ?? 0;
  return {
    store_id: store.id,
    memory_id: head.memory_id,
    path,
    version_id: head.id,
    total_lines: count,
    from,
    to,
    tokens: 9,
    sessions: rows.length,
    subagents: 0,
    present,
    inferred: cut > 0 ? 0 : 1,
    elsewhere: 0,
    absent: cut > 0 ? [{ cause: "cut", sessions: cut, cut_after: LIMIT }] : [],
    lost: present > 0 ? [{ cause: "compacted", sessions: 1, cut_after: null }] : [],
    requests: { proved, recorded: 0, inferred: 0, unknown: 0 },
    lines: Array.from({ length: count }, (_, at) => (at < LIMIT ? rows.length : 1)),
    moves: [],
    rows,
    remarks: [],
  };
}

/** The answer of `presence` for a run of the fake: two files that it loaded at its start. */
export function fakePresence(runs: readonly FakeRun[], session: string, at: number | null): Presence {
  const run = runs.find(({ id }) => id === session) ?? refuse("not_found", "There is no such transcript.", session);
  const source = (path: string, store: string | null, spans: PresenceSpan[]) => ({
    path,
    file: `${run.project}/${path}`,
    store_id: store,
    version_id: null,
    grade: "proved" as const,
    lines: [[1, 12]] as [number, number][],
    tokens: 90,
    absent: [],
    total_lines: 12,
    spans,
  });
  const whole = spansOf(2, run.requests, "", 1, 12);
  return {
    transcript: run.id,
    request: at ?? run.requests - 1,
    requests: run.requests,
    proved: run.recorded ? run.requests : 0,
    time: null,
    compactions: [],
    agent: null,
    tokens: 180,
    sources: [source("CLAUDE.md", null, whole), source("MEMORY.md", null, whole)],
  };
}

/** The answer of `presence_lane` for a run of the fake: instructions throughout, memory until the middle, and what was read late. */
export function fakeLane(log: FakeLog, runs: readonly FakeRun[], session: string): PresenceLane {
  const store = log.store("harbour").id;
  const run = runs.find(({ id }) => id === session) ?? refuse("not_found", "There is no such transcript.", session);
  const last = run.requests - 1;
  const half = Math.floor(run.requests / 2);
  const file = (path: string, store_id: string | null, ...spans: LaneSpan[]): LaneFile => ({
    path,
    file: `${run.project}/${path}`,
    store_id,
    requests: spans.reduce((sum, { from, to }) => sum + to - from + 1, 0),
    spans,
  });
  return {
    transcript: run.id,
    requests: run.requests,
    compactions: [half],
    files: [
      file("CLAUDE.md", null, { from: 0, to: last, lines: 12, tokens: 90, grade: "proved" }),
      file("MEMORY.md", store, { from: 0, to: half - 1, lines: 40, tokens: 700, grade: "inferred" }),
      file("berth-rules.md", store, { from: last, to: last, lines: 3, tokens: 31, grade: "recorded" }),
    ],
    left_out: 0,
  };
}
