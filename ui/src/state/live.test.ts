import { describe, expect, it } from "vitest";
import { concerns } from "./live";

describe("what an event makes stale", () => {
  it("is what follows the log, and what shows live files", () => {
    for (const name of ["status", "timeline", "memories", "log", "activity", "search", "stores"])
      expect(concerns("advanced", [name, {}]), name).toBe(true);
    expect(concerns("advanced", ["document", { target: "memstore_1:a.md" }])).toBe(true);
    expect(concerns("advanced", ["document", { target: "memver_1" }])).toBe(false);
    expect(concerns("advanced", ["diff", { a: "memstore_1:a.md", b: "memver_1" }])).toBe(true);
    expect(concerns("advanced", ["diff", { a: "memver_1", b: null }])).toBe(false);
    expect(concerns("advanced", ["restore", { store: "s", at: "3", dry_run: true }])).toBe(true);
    expect(concerns("advanced", ["receipts", {}])).toBe(false);
  });

  it("is everything recorded, when content may be gone", () => {
    expect(concerns("receipts", ["document", { target: "memver_1" }])).toBe(true);
    expect(concerns("receipts", ["receipts", {}])).toBe(true);
  });

  it("is the list of stores when that changed, and nothing while work goes on", () => {
    expect(concerns("stores", ["stores", {}])).toBe(true);
    expect(concerns("stores", ["diff", { a: "memver_1" }])).toBe(false);
    expect(concerns("progress", ["status", {}])).toBe(false);
    expect(concerns("transcripts", ["transcripts", {}])).toBe(true);
    expect(concerns("transcripts", ["context_show", { transcript: "t" }])).toBe(false);
  });
});
