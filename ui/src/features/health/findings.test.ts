import { describe, expect, it } from "vitest";
import type { StoreFinding } from "@/bindings";
import { findingRows, rulesOf } from "./findings";

function found(rule: string, severity: string, store = "s1", path = "a.md"): StoreFinding {
  const place = { line: 1, column: 1, end_line: 1, end_column: 2, start: 0, end: 1 };
  return { store_id: store, memory_id: null, finding: { rule, severity, path, ...place, message: "m", remedy: "r" } };
}

const ALL = [
  found("secret/x", "error"),
  found("limits/index-cut", "warning"),
  found("links/wiki", "note"),
  found("links/wiki", "note"),
  found("links/import", "warning", "s2"),
];

describe("findings as rows", () => {
  it("are filtered by severity, rule or group, and store", () => {
    const rows = (level: Parameters<typeof findingRows>[1]["level"], rule = "", store?: string) =>
      findingRows(ALL, { level, rule, store }).length;
    expect([rows("serious"), rows("error"), rows("warning"), rows("note"), rows("all")]).toEqual([3, 1, 2, 2, 5]);
    expect([rows("all", "links"), rows("all", "links/wiki"), rows("all", "links", "s2")]).toEqual([3, 2, 1]);
  });

  it("have keys of their own, also where two are equal", () => {
    const keys = findingRows(ALL, { level: "all", rule: "", store: undefined }).map(({ key }) => key);
    expect(new Set(keys).size).toBe(5);
  });

  it("are counted by group and rule", () => {
    expect(rulesOf(ALL).slice(0, 4)).toEqual([
      { rule: "limits", count: 1 },
      { rule: "limits/index-cut", count: 1 },
      { rule: "links", count: 3 },
      { rule: "links/import", count: 1 },
    ]);
  });
});
