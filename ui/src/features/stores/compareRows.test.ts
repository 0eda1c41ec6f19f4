import { describe, expect, it } from "vitest";
import type { ComparedMemory, MemoryChange, StoreComparison } from "@/bindings";
import { acceptance, compareRows, isPutBack, storeOf, sumsOf, timeOf } from "./compareRows";

const memory = (path: string, change: MemoryChange, parts: Partial<ComparedMemory> = {}): ComparedMemory => ({
  path,
  change,
  moved_from: null,
  from_version_id: change === "created" ? null : `memver_from_${path}`,
  to_version_id: change === "deleted" ? null : `memver_to_${path}`,
  added: 2,
  removed: 1,
  tokens: 5,
  ...parts,
});

const COMPARISON: StoreComparison = {
  from_store_id: "memstore_a",
  to_store_id: "memstore_b",
  same: 3,
  memories: [
    memory("a.md", "created"),
    memory("b.md", "modified", { added: null, removed: null, tokens: null }),
    memory("c.md", "deleted", { tokens: -9 }),
    memory("new.md", "moved", { moved_from: "old.md" }),
  ],
};

describe("two stores side by side", () => {
  it("name a store and a time", () => {
    expect([storeOf("memstore_a@2031-04-02T09:00:00Z"), timeOf("memstore_a@7")]).toEqual(["memstore_a", "7"]);
    expect(timeOf("memstore_a")).toBeNull();
    expect(isPutBack("memstore_a@7", "memstore_a")).toBe(true);
  });

  it("are rows by change, and sums that leave out what is no text", () => {
    expect(compareRows(COMPARISON, new Set()).map(({ key }) => key)).toEqual(["a.md", "b.md", "c.md", "new.md"]);
    expect(compareRows(COMPARISON, new Set(["moved"])).map(({ key }) => key)).toEqual(["new.md"]);
    expect(sumsOf(COMPARISON.memories)).toEqual({
      changes: { created: 1, modified: 1, deleted: 1, moved: 1 },
      added: 6,
      removed: 3,
      tokens: 1,
    });
  });

  it("are taken over from the right into the left, a move with both its paths", () => {
    const act = acceptance("memstore_a", "memstore_b", COMPARISON, new Set(["c.md", "new.md"]), "two");
    expect(act).toEqual({
      command: "accept_memories",
      request: { from: "memstore_b", into: "memstore_a", paths: ["c.md", "new.md", "old.md"], delete: false },
      subject: "two",
      versions: { "c.md": null, "new.md": "memver_to_new.md", "old.md": null },
    });
  });

  it("are taken over as a whole with what goes", () => {
    const act = acceptance("memstore_a", "memstore_b", COMPARISON, null, "all");
    expect(act.request).toEqual({ from: "memstore_b", into: "memstore_a", paths: [], delete: true });
  });

  it("are put back where both are one store", () => {
    const act = acceptance("memstore_a@7", "memstore_a", COMPARISON, new Set(["a.md", "new.md"]), "back");
    expect(act).toMatchObject({
      request: { from: "memstore_a@7", into: "memstore_a", paths: ["a.md", "new.md", "old.md"] },
      versions: { "a.md": null, "new.md": null, "old.md": "memver_from_new.md" },
    });
  });
});
