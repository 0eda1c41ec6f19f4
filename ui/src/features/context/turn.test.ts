import { expect, it } from "vitest";
import { firstLines } from "./TurnMessage";

const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);

it("shows the beginning of a block, the name alone of a tool, and what is around the words that are searched for", () => {
  expect(firstLines(lines, "text", "")).toHaveLength(14);
  expect(firstLines(lines.slice(0, 16), "text", "")).toHaveLength(16);
  expect(firstLines(lines, "tool", "")).toEqual([]);
  expect(firstLines(lines, "tool", "LINE 40")).toEqual(lines.slice(37, 51));
  expect(firstLines(lines, "text", "line 1")[0]).toBe("line 0");
  expect(firstLines(lines, "text", "absent")).toEqual([]);
});
