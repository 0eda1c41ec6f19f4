import { describe, expect, it } from "vitest";
import { isLimitedIndex } from "./limits";

describe("an index that is loaded up to a limit", () => {
  it("is MEMORY.md of the agents that cut it", () => {
    expect(isLimitedIndex("MEMORY.md", "claude-auto")).toBe(true);
    expect(isLimitedIndex("team/MEMORY.md", "claude-agent")).toBe(true);
    expect(isLimitedIndex("notes.md", "claude-auto")).toBe(false);
    expect(isLimitedIndex("MEMORY.md", "plain")).toBe(false);
  });
});
