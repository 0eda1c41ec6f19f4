import { verbatim } from "@/host/fake/verbatim";
import { describe, expect, it } from "vitest";
import type { Severity, StoreFinding } from "@/bindings";
import { findingRows, rulesOf } from "./findings";

function found(rule: string, severity: Severity, store = "s1", path = "a.md"): StoreFinding {
  const place = { line: 1, column: 1, end_line: 1, end_column: 2, start: 0, end: 1 };
  return {
    store_id: store,
    memory_id: null,
    finding: { rule, severity, path, ...place, message: verbatim("m"), remedy: "r", remedies: [] },
  };
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
      findingRows(ALL, { level, rule, store }).reduce((sum, { count }) => sum + count, 0);
    expect([rows("serious"), rows("error"), rows("warning"), rows("note"), rows("all")]).toEqual([3, 1, 2, 2, 5]);
    expect([rows("all", "links"), rows("all", "links/wiki"), rows("all", "links", "s2")]).toEqual([3, 2, 1]);
  });

  it("say a rule once with its number, and open to the single ones", () => {
    const many = Array.from({ length: 258 }, () => found("links/missing-file", "warning"));
    const closed = findingRows([...many, ...ALL], { level: "all", rule: "", store: undefined });
    expect(closed.map(({ found: { finding }, count }) => `${count} ${finding.rule}`)).toEqual([
      "258 links/missing-file",
      "1 secret/x",
      "1 limits/index-cut",
      "2 links/wiki",
      "1 links/import",
    ]);
    const opened = findingRows(many, { level: "all", rule: "", store: undefined }, new Set([closed[0]!.key]));
    expect(opened).toHaveLength(259);
    expect(new Set(opened.map(({ key }) => key)).size).toBe(259);
    expect(opened[1]).toMatchObject({ level: 1, leaf: true });
  });

  it("have keys of their own, also where two are equal", () => {
    const filter = { level: "all", rule: "", store: undefined } as const;
    const groups = findingRows(ALL, filter).map(({ key }) => key);
    const keys = findingRows(ALL, filter, new Set(groups)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(6);
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
