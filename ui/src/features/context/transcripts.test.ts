import { expect, it } from "vitest";
import type { TranscriptRow } from "@/bindings";
import { projectName, projectsOf } from "@/shared/runs";
import { firstOf, inOrder, listRows, matching, rowOf, sharedNames } from "./transcripts";

const row = (id: string, title: string | null, project: string | null, subagents: string[] = []) =>
  ({ id, title, project, subagents, models: ["claude-sonnet-4-5"] }) as unknown as TranscriptRow;
const ROWS = [
  row("a1", "Fix the tide test", "/home/ada/harbour", ["a1/agent"]),
  row("b2", null, "/home/ada/lighthouse"),
  row("c3", "  ", null),
];

it("finds by every word, in title, project, id and model", () => {
  const ids = (query: string, project: string | null = null) => matching(ROWS, query, project).map(({ id }) => id);
  expect(ids("TIDE fix")).toEqual(["a1"]);
  expect(ids("lighthouse sonnet")).toEqual(["b2"]);
  expect(ids("  ")).toEqual(["a1", "b2", "c3"]);
  expect(ids("", "/home/ada/harbour")).toEqual(["a1"]);
  expect(ids("nothing")).toEqual([]);
});

it("knows projects and names", () => {
  expect(projectsOf(ROWS)).toEqual(["/home/ada/harbour", "/home/ada/lighthouse"]);
  expect(["/home/ada/harbour/", "-home-ada"].map(projectName)).toEqual(["harbour", "-home-ada"]);
});

it("finds the row of a session by its subagents too", () => {
  expect(rowOf(ROWS, "a1/agent")?.id).toBe("a1");
  expect(rowOf(ROWS, "zz")).toBeNull();
  expect(
    listRows(ROWS, ({ title }) => title ?? "").map(({ key, position, siblings }) => [key, position, siblings]),
  ).toEqual([
    ["a1", 1, 3],
    ["b2", 2, 3],
    ["c3", 3, 3],
  ]);
});

it("puts runs in the order of cost, peak or date, the newest of equal ones first", () => {
  const sized = (id: string, cost_usd: number | null, peak: number | null, client_cost_usd: number | null = null) =>
    ({ id, cost_usd, peak, client_cost_usd }) as unknown as TranscriptRow;
  const rows = [sized("a", 1, 900), sized("b", null, null), sized("c", null, 500, 3), sized("d", 1, 2000)];
  const ids = (order: Parameters<typeof inOrder>[1]) =>
    inOrder(rows, order)
      .map(({ id }) => id)
      .join("");
  expect(ids("date")).toBe("abcd");
  expect(ids("cost")).toBe("cadb");
  expect(ids("peak")).toBe("dacb");
});

it("opens on the first of the list in its order that has something to show, not on the newest", () => {
  const run = (id: string, cost_usd: number | null, requests = 9) =>
    ({ id, cost_usd, requests, peak: null, client_cost_usd: null }) as unknown as TranscriptRow;
  const rows = [run("newest", null), run("dearest", 23.95), run("empty", 99, 0), run("cheap", 1)];
  expect(firstOf(rows, "cost")).toBe("dearest");
  expect(firstOf(rows, "date")).toBe("newest");
  expect(firstOf([run("empty", null, 0)], "cost")).toBe("empty");
  expect(firstOf([], "cost")).toBeNull();
});

it("knows the names that several runs have", () => {
  expect([...sharedNames(["a", "b", "a", "c", "b"])]).toEqual(["a", "b"]);
});
