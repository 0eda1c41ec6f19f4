import { describe, expect, it } from "vitest";
import type { MemoryKind } from "@/bindings";
import { countKinds, inOrder, kindBeside, kindsOf, readKind } from "./kinds";

const kind = (known: Partial<MemoryKind>): MemoryKind => ({
  class: "topic",
  memory_type: null,
  scope: null,
  agent: null,
  day: null,
  ...known,
});
const counted = (...kinds: string[]) => kinds.map((one) => ({ kind: one, count: 1 }));

describe("kinds", () => {
  it("are a memory's class, the type of a topic, and whose it is", () => {
    expect(kindsOf(kind({ memory_type: "feedback", scope: "team" }))).toEqual(["topic", "topic:feedback", "team"]);
    expect(kindsOf(kind({ class: "index", memory_type: "user", scope: "project" }))).toEqual(["index"]);
    expect(kindsOf(kind({ class: "daily_log", scope: "agent_local" }))).toEqual(["daily_log", "agent_local"]);
  });

  it("are counted and put in order", () => {
    const memories = ["project", "own words", "user", "project"].map((type) => ({ kind: kind({ memory_type: type }) }));
    const all = [...memories, { kind: kind({ class: "index", scope: "team" }) }, { kind: kind({ class: "other" }) }];
    expect(inOrder(countKinds(all)).map((one) => `${one.kind} ${one.count}`)).toEqual([
      "index 1",
      "topic 4",
      "topic:user 1",
      "topic:project 2",
      "topic:own words 1",
      "other 1",
      "team 1",
    ]);
  });

  it("are read from an address, where any type is one", () => {
    for (const word of ["index", "other", "agent_user", "topic:x y"]) expect(readKind(word)).toBe(word);
    for (const word of [null, "", "topic:", "project", "all"]) expect(readKind(word)).toBeUndefined();
  });

  it("follow each other round and round", () => {
    const some = counted("index", "topic");
    expect([undefined, "index", "topic"].map((at) => kindBeside(some, at, 1))).toEqual(["index", "topic", undefined]);
    expect(kindBeside(some, undefined, -1)).toBe("topic");
    expect(kindBeside(some, "team", 1), "one that is counted no more is none of them").toBe("index");
    expect(kindBeside([], "team", 1)).toBeUndefined();
  });
});
