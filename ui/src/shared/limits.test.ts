import { describe, expect, it } from "vitest";
import { findCut, isLimitedIndex, MAX_BYTES, MAX_LINES } from "./limits";

const lines = (count: number, text = "entry") => Array.from({ length: count }, (_, at) => `${text} ${at + 1}`);

describe("the cut of an index", () => {
  it("is not there up to the limit, whatever blank lines follow", () => {
    expect(findCut([])).toBeNull();
    expect(findCut(lines(MAX_LINES))).toBeNull();
    expect(findCut([...lines(MAX_LINES), "", "  "])).toBeNull();
  });

  it("comes after line 200", () => {
    expect(findCut(lines(MAX_LINES + 1))).toEqual({ afterLine: 200, lost: 1, limit: "lines" });
    expect(findCut(lines(261))).toEqual({ afterLine: 200, lost: 61, limit: "lines" });
  });

  it("comes at the last line end before the byte limit, when that is earlier", () => {
    // 100 bytes a line with its end: line 250 would end at 25,000, but 200 lines come first; 500 bytes a line do not.
    const long = Array.from({ length: 60 }, () => "x".repeat(499));
    expect(findCut(long)).toEqual({ afterLine: 50, lost: 10, limit: "bytes" });
    expect(findCut(long.slice(0, 50))).toBeNull();
  });

  it("counts bytes, not characters", () => {
    const wide = Array.from({ length: 100 }, () => "é".repeat(150));
    expect(findCut(wide)?.afterLine).toBe(Math.floor(MAX_BYTES / 301));
  });

  it("says so when not even the first line fits", () => {
    expect(findCut(["x".repeat(MAX_BYTES + 1), "y"])).toEqual({ afterLine: 0, lost: 2, limit: "bytes" });
  });

  it("does not count front matter and block comments", () => {
    const front = ["---", "name: index", "---"];
    expect(findCut([...front, ...lines(MAX_LINES)])).toBeNull();
    expect(findCut([...front, ...lines(MAX_LINES + 1)])?.afterLine).toBe(203);
    expect(findCut(["<!-- one", "two", "three -->", ...lines(MAX_LINES)])).toBeNull();
    expect(findCut([...lines(MAX_LINES), "<!-- a comment at the end -->"])).toBeNull();
  });

  it("counts a comment in a line of text, in a fence, and one that is never closed", () => {
    expect(findCut([...lines(MAX_LINES), "text <!-- not a block -->"])?.lost).toBe(1);
    expect(findCut(["```", "<!-- x -->", "```", ...lines(MAX_LINES)])?.afterLine).toBe(200);
    expect(findCut(["<!-- open", ...lines(MAX_LINES)])?.afterLine).toBe(200);
    expect(findCut(["---", ...lines(MAX_LINES)])?.afterLine).toBe(200);
  });

  it("concerns MEMORY.md of the agents that cut it", () => {
    expect(isLimitedIndex("MEMORY.md", "claude-auto")).toBe(true);
    expect(isLimitedIndex("team/MEMORY.md", "claude-agent")).toBe(true);
    expect(isLimitedIndex("notes.md", "claude-auto")).toBe(false);
    expect(isLimitedIndex("MEMORY.md", "plain")).toBe(false);
  });
});
