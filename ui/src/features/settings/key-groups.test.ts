import { describe, expect, it } from "vitest";
import { keyGroups } from "./key-groups";

const grouped = (...keys: string[]) =>
  keyGroups(keys.map((one) => ({ keys: one }))).map(({ purpose, keys: own }) => [purpose, own.map((one) => one.keys)]);

describe("the list of all keys", () => {
  it("has what the screen does first and the way to other screens last", () => {
    expect(grouped("mod+k", "?", "g i", "g ,", "j", "]", "a", "shift+a")).toEqual([
      ["act", ["a", "shift+a"]],
      ["move", ["j", "]"]],
      ["anywhere", ["mod+k", "?"]],
      ["go", ["g i", "g ,"]],
    ]);
  });

  it("has no part without a key", () => {
    expect(grouped("?")).toEqual([["anywhere", ["?"]]]);
    expect(grouped()).toEqual([]);
  });
});
