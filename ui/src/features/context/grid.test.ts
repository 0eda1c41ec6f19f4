import { expect, it } from "vitest";
import { FIRST_GRID, gridOf, parseNumbers } from "./grid";

it("reads whole numbers however they are separated, thousands too", () => {
  expect(parseNumbers("30k, 50000 50000;7")).toEqual([30_000, 50_000, 7]);
  expect(parseNumbers("")).toEqual([]);
  for (const wrong of ["-3", "1.5", "many", "3kk", "99999999999999999999"]) expect(parseNumbers(wrong)).toBeNull();
});

it("makes a grid of what has several values, and a plain setting of the rest", () => {
  const made = gridOf({ triggers: "30k, 60k", keeps: "3", least: "0", exclude: "memory", thinking: "1, 2" });
  expect(made).toEqual({
    count: 4,
    grid: {
      edits: [
        { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: { grid: [1, 2] } } },
        {
          type: "clear_tool_uses_20250919",
          trigger: { type: "input_tokens", value: { grid: [30_000, 60_000] } },
          keep: { type: "tool_uses", value: 3 },
          exclude_tools: ["memory"],
        },
      ],
    },
  });
});

it("is none while a list cannot be read or a needed one is empty", () => {
  expect(gridOf(FIRST_GRID)?.count).toBe(48);
  expect(gridOf({ ...FIRST_GRID, triggers: "" })).toBeNull();
  expect(gridOf({ ...FIRST_GRID, least: "some" })).toBeNull();
});
