import { expect, test } from "vitest";
import type { Message } from "@/bindings";
import { placeOf, withinDirectory } from "./instructions";

const named = (by: string): Message => ({
  id: "loads.imported",
  args: { by, line: 5 },
  text: `${by} names it in line 5.`,
});

test("a path in the session's directory is told as it stands there", () => {
  expect(placeOf("/home/a/p/docs/b.md", "/home/a/p")).toEqual({ name: "b.md", folder: "docs" });
  expect(withinDirectory(named("/home/a/p/CLAUDE.md"), "/home/a/p")).toEqual(named("CLAUDE.md"));
});

test("another path stays whole", () => {
  for (const directory of ["/home/a/p", null]) {
    expect(withinDirectory(named("/home/a/other/CLAUDE.md"), directory)).toEqual(named("/home/a/other/CLAUDE.md"));
  }
});
