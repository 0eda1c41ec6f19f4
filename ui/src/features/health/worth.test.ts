import { describe, expect, it } from "vitest";
import type { MemoryWorth } from "@/bindings";
import { rateOf } from "@/shared/worth";
import { inOrder } from "./worth";

const memory = (path: string, change: Partial<MemoryWorth>): MemoryWorth => ({
  store_id: "memstore_1",
  store: "notes",
  memory_id: `mem_${path}`,
  path,
  tokens_per_session: 10,
  cost_usd_per_session: null,
  sessions: 4,
  present: 2,
  rules: [],
  effect: "no_rule",
  ...change,
});

describe("the worth of memories", () => {
  const memories = [
    memory("idle", { effect: "no_better" }),
    memory("dear", { cost_usd_per_session: 0.5 }),
    memory("large", { tokens_per_session: 900, present: 0 }),
  ];
  it("keeps the program's order, or sorts by price or by sessions", () => {
    const paths = (order: Parameters<typeof inOrder>[1]) => inOrder(memories, order).map(({ path }) => path);
    expect(paths("effect")).toEqual(["idle", "dear", "large"]);
    expect(paths("cost")).toEqual(["dear", "large", "idle"]);
    expect(paths("present")).toEqual(["large", "idle", "dear"]);
  });
  it("has no rate below ten points", () => {
    expect(rateOf({ followed: 9, broken: 0 })).toBeNull();
    expect(rateOf({ followed: 5, broken: 5 })).toBe(0.5);
  });
});
