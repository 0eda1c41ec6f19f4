import { describe, expect, it } from "vitest";
import type { ContextShow, Simulation } from "@/bindings";
import {
  areaPath,
  lineOf,
  linePath,
  marksOf,
  moveCursor,
  requestTicks,
  scalesOf,
  spread,
  thin,
  ticksBetween,
  ticksOf,
  topOf,
} from "./chart";

const PLOT = { left: 10, right: 110, top: 0, bottom: 100 };

describe("scales", () => {
  it("place the first and the last request at the edges, and find them again", () => {
    const { x, y, indexAt } = scalesOf(PLOT, 11, 50);
    expect([x(0), x(10), y(0), y(50)]).toEqual([10, 110, 100, 0]);
    for (let index = 0; index < 11; index += 1) expect(indexAt(x(index))).toBe(index);
    expect([indexAt(-50), indexAt(999)]).toEqual([0, 10]);
  });

  it("bear one request", () => {
    const { x, indexAt } = scalesOf(PLOT, 1, 0);
    expect(x(0)).toBe(10);
    expect(indexAt(60)).toBe(0);
  });

  it("have round ticks up to above the top", () => {
    expect(ticksOf(190_000)).toEqual([0, 50_000, 100_000, 150_000, 200_000]);
    expect(ticksOf(0)[0]).toBe(0);
    expect(requestTicks(143)).toEqual([0, 71, 142]);
    expect(requestTicks(1)).toEqual([0]);
  });

  it("show limits that lie near, and leave out those far above", () => {
    expect(topOf([[10, 50]], [60, 200, null])).toBe(60);
    expect(topOf([[10, 50]], [81])).toBe(50);
  });
});

describe("lines", () => {
  it("are thinned to what can be seen, without losing a peak", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [at / 100, at === 5_050 ? 0 : 50 + (at % 3)] as const);
    const thinned = thin(many);
    expect(thinned.length).toBeLessThan(450);
    expect(thinned.some(([, y]) => y === 0)).toBe(true);
    expect(thinned[0]).toEqual(many[0]);
    expect(thinned.at(-1)).toEqual(many.at(-1));
  });

  it("are paths, also for none and for one", () => {
    const scales = scalesOf(PLOT, 2, 10);
    expect(linePath([], scales)).toBe("");
    expect(linePath([5], scales)).toBe("M10 50h4");
    expect(linePath([0, 1], scalesOf(PLOT, 2, 3))).toBe("M10 100L110 66.7");
    expect(areaPath([0, 0], [10, 10], scales)).toBe("M10 0L110 0L110 100L10 100Z");
  });
});

const show = {
  requests: [
    { classes: { system: 5, instructions: 10, memory: 5, not_recorded: 30 } },
    { classes: { system: 5, instructions: 10, memory: 5, not_recorded: -3 } },
  ],
  events: [{ before_request: 1 }],
} as unknown as ContextShow;

it("finds round numbers between two for an axis that uses its room", () => {
  expect(ticksBetween(104_386, 148_687)).toEqual([120_000, 140_000]);
  expect(ticksBetween(16.76, 26.09)).toEqual([17.5, 20, 22.5, 25]);
  expect(ticksBetween(3, 3)).toEqual([3]);
});

it("marks what is newly cleared, what is compacted and what is needed again", () => {
  const simulation = {
    requests: [
      { index: 0, cleared_tool_use_ids: [], cleared_tool_inputs: [], cleared_thinking_turns: 0 },
      { index: 1, cleared_tool_use_ids: ["t"], cleared_tool_inputs: [], cleared_thinking_turns: 1 },
      { index: 2, cleared_tool_use_ids: [], cleared_tool_inputs: [], cleared_thinking_turns: 2 },
      { index: 3, cleared_tool_use_ids: [], cleared_tool_inputs: [], cleared_thinking_turns: 2 },
    ],
    compactions: [{ request: 3 }],
    regrets: [{ needed_at: 2 }, { needed_at: 2 }],
  } as unknown as Simulation;
  expect(marksOf(show, lineOf(simulation)).map(({ mark, index }) => `${index} ${mark}`)).toEqual([
    "1 recorded",
    "1 clearing",
    "2 thinking",
    "2 regret",
    "3 compaction",
  ]);
  expect(marksOf(show, null)).toHaveLength(1);
});

it("moves the cursor by keys, with Shift from mark to mark, and never out of the run", () => {
  const marks = [{ mark: "clearing", index: 4 } as const, { mark: "regret", index: 9 } as const];
  const press = (key: string, shift = false, at = 5) => moveCursor(at, 20, key, shift, marks);
  expect([press("ArrowRight"), press("ArrowLeft"), press("Home"), press("End")]).toEqual([6, 4, 0, 19]);
  expect([press("ArrowRight", true), press("ArrowLeft", true), press("ArrowRight", true, 9)]).toEqual([9, 4, 9]);
  expect([press("PageUp"), press("PageDown", false, 1), press("ArrowRight", false, 19)]).toEqual([7, 0, 19]);
  expect(press("x")).toBeNull();
});

it("spreads labels that would lie over each other", () => {
  expect(spread([10, 12, 50], 14)).toEqual([10, 24, 50]);
  expect(spread([12, 10], 14)).toEqual([24, 10]);
});
