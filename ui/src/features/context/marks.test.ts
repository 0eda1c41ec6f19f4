import { describe, expect, test } from "vitest";
import { bareLine, markAt, marksOf } from "./marks";

describe("lines of a memory in a request", () => {
  test("are known without the number of a reading", () => {
    expect(bareLine("12\t- a fact ")).toBe("- a fact");
    expect(bareLine("     3→- a fact")).toBe("- a fact");
    expect(bareLine("12 apples")).toBe("12 apples");
  });

  test("the line that was asked about goes before others", () => {
    const marks = marksOf(["# Index", "", "- one", "- two"], 4, "MEMORY.md");
    expect(marks.has("3\t- one")).toBe(true);
    expect(marks.has("")).toBe(false);
    expect(markAt(["x", "- one", "- two"], marks)).toBe(2);
    expect(markAt(["x", "- one"], marks)).toBe(1);
    expect(markAt(["x"], marks)).toBe(-1);
  });
});
