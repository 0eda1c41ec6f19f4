import { describe, expect, it } from "vitest";
import { EVENT_TAGS, INVALIDATES, PROVIDES } from "@/bindings";
import type { CommandName } from "@/host";
import { concerns } from "./live";

/** A read with its answer, as the cache holds it. */
function read(name: CommandName, data: unknown = undefined) {
  return { queryKey: [name, {}], state: { data } } as unknown as Parameters<typeof concerns>[1];
}

const after = (type: keyof typeof EVENT_TAGS) => new Set(EVENT_TAGS[type]);
const afterCommand = (name: CommandName) => new Set(INVALIDATES[name]);

describe("what an event makes stale", () => {
  it("is what follows the log, and what shows live files", () => {
    for (const name of ["status", "timeline", "memories", "log", "activity", "search", "stores", "restore"] as const)
      expect(concerns(after("advanced"), read(name)), name).toBe(true);
    expect(concerns(after("advanced"), read("receipts"))).toBe(false);
  });

  it("is no answer that says that it shows versions only", () => {
    for (const name of ["document", "diff", "blame"] as const) {
      expect(concerns(after("advanced"), read(name, { live: true })), name).toBe(true);
      expect(concerns(after("advanced"), read(name, { live: false })), name).toBe(false);
      expect(concerns(after("receipts"), read(name, { live: false })), name).toBe(true);
    }
  });

  it("is everything recorded, when content may be gone", () => {
    for (const name of ["receipts", "show", "inbox", "origin", "context_turn", "variants"] as const)
      expect(concerns(after("receipts"), read(name)), name).toBe(true);
  });

  it("is the list of stores when that changed, and nothing while work goes on", () => {
    expect(concerns(after("stores"), read("stores"))).toBe(true);
    expect(concerns(after("stores"), read("diff", { live: true }))).toBe(false);
    expect(concerns(after("progress"), read("status"))).toBe(false);
    expect(concerns(after("transcripts"), read("transcripts"))).toBe(true);
    expect(concerns(after("transcripts"), read("context_show"))).toBe(false);
  });

  it("is what a session would load and what projects offer an agent, after whatever changes them", () => {
    for (const name of ["instructions", "instruction", "agent_snapshot"] as const) {
      for (const act of ["expire", "move_entry", "rollback", "undo", "relocate_store", "remove_store"] as const)
        expect(concerns(afterCommand(act), read(name)), `${name} after ${act}`).toBe(true);
      for (const event of ["advanced", "stores", "receipts"] as const)
        expect(concerns(after(event), read(name)), `${name} after ${event}`).toBe(true);
      expect(PROVIDES[name]).toContain("outside");
    }
  });
});

describe("what a command makes stale", () => {
  it("is nothing after a read", () => {
    for (const name of ["status", "inbox", "context_show"] as const) expect(INVALIDATES[name]).toEqual([]);
  });

  it("is never a read that calls a host, but for dreams after an act on them", () => {
    for (const name of Object.keys(INVALIDATES) as CommandName[]) {
      expect(concerns(afterCommand(name), read("hosted_stores")), name).toBe(false);
      expect(concerns(afterCommand(name), read("dreams")), name).toBe(/_dream$/.test(name) && name !== "plan_dream");
    }
  });
});
