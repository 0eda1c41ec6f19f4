import { describe, expect, test } from "vitest";
import type { PresenceSpan, Reach, ReachRow } from "@/bindings";
import { causesOf, listed, requestOf } from "./reach";

const span = (from: number, to: number, change: Partial<PresenceSpan>): PresenceSpan => ({
  from,
  to,
  present: false,
  lines: 0,
  grade: "proved",
  cause: null,
  cut_after: null,
  version_id: null,
  as_line: null,
  ...change,
});

const row = (transcript: string, day: number, change: Partial<ReachRow>): ReachRow => ({
  transcript,
  session: transcript,
  title: null,
  project: null,
  agent: null,
  description: null,
  started_at: `2026-11-${String(day).padStart(2, "0")}T10:00:00Z`,
  ended_at: null,
  requests: 10,
  present: false,
  cause: "cut",
  compactions: [],
  spans: [span(0, 9, { cause: "cut", cut_after: 200 })],
  ...change,
});

const reach = (rows: ReachRow[], change: Partial<Reach> = {}): Reach => ({
  store_id: "s",
  memory_id: "m",
  path: "MEMORY.md",
  version_id: "v",
  total_lines: 260,
  from: 214,
  to: 214,
  tokens: 9,
  sessions: rows.length,
  subagents: 0,
  present: 0,
  inferred: 0,
  elsewhere: 0,
  absent: [],
  lost: [],
  requests: { proved: 0, recorded: 0, inferred: 0, unknown: 0 },
  lines: [],
  moves: [],
  rows,
  remarks: [],
  ...change,
});

describe("the list of Reach", () => {
  test("folds rows alike and opens them", () => {
    const rows = [9, 8, 7, 6, 5, 4].map((day) => row(`s${day}`, day, {}));
    const shown = listed(reach(rows), "all", new Set());
    expect(shown.map(({ kind }) => kind)).toEqual(["row", "row", "row", "folded"]);
    expect(listed(reach(rows), "all", new Set([shown[3]!.key]))).toHaveLength(6);
  });

  test("shows sessions that had it before those that had not", () => {
    const had = { present: true, cause: null, spans: [span(0, 9, { present: true, lines: 1 })] };
    const rows = [row("new", 9, {}), row("newer", 8, {}), row("had", 5, had)];
    expect(listed(reach(rows), "all", new Set()).map(({ key }) => key)).toEqual(["had", "new", "newer"]);
  });

  test("puts what moved the line between the sessions it divides, and leaves out other directories", () => {
    const rows = [
      row("new", 9, {}),
      row("old", 5, { present: true, cause: null, spans: [span(0, 9, { present: true, lines: 1 })] }),
      row("far", 4, { cause: "other_directory" }),
    ];
    const move = { version_id: "v2", number: 2, at: "2026-11-07T00:00:00Z", from: 187, to: 214 };
    const keys = listed(reach(rows, { moves: [move] }), "all", new Set()).map(({ key }) => key);
    expect(keys).toEqual(["new", "v2", "old"]);
    expect(listed(reach(rows), "present", new Set()).map(({ key }) => key)).toEqual(["old"]);
    expect(listed(reach(rows), "cut", new Set()).map(({ key }) => key)).toEqual(["new"]);
  });

  test("opens the last request that had the lines", () => {
    const spans = [span(0, 5, { present: true, lines: 1 }), span(6, 9, { cause: "compacted" })];
    expect(requestOf(row("a", 1, { spans }), false)).toBe(5);
    expect(requestOf(row("a", 1, {}), false)).toBe(9);
  });

  test("adds up causes of those that had it and those that had not", () => {
    const cause = (sessions: number) => ({ cause: "cut" as const, sessions, cut_after: 200 });
    const lost = [cause(1), { cause: "compacted" as const, sessions: 4, cut_after: null }];
    expect(causesOf(reach([], { absent: [cause(2)], lost }))).toEqual([
      { cause: "compacted", sessions: 4 },
      { cause: "cut", sessions: 3 },
    ]);
  });
});
