import { expect, test } from "vitest";
import { afterVerb, namedFirst, pick } from "./entries";

test("an entry is found by its words as well as by its label", () => {
  const dark = { key: "dark", label: "テーマ：ダーク", words: "theme dark", run: () => undefined };
  expect(pick([dark], "theme da", 8)).toEqual([dark]);
  expect(pick([dark], "ダーク", 8)).toEqual([dark]);
  expect(pick([dark], "theme light", 8)).toEqual([]);
});

test("a verb needs a space behind it, and may be of the language of the window", () => {
  expect(afterVerb("restore infra", ["restore", "復元"])).toBe("infra");
  expect(afterVerb("復元 infra 昨日", ["restore", "復元"])).toBe("infra 昨日");
  expect(afterVerb("Restore ", ["restore"])).toBe("");
  expect(afterVerb("restored", ["restore"])).toBeNull();
});

test("the longest name that a text begins with is meant", () => {
  const names = [{ name: "web" }, { name: "web shop" }];
  expect(namedFirst("web shop yesterday", names)).toEqual({ named: names[1], rest: "yesterday" });
  expect(namedFirst("WEB 14:00", names)).toEqual({ named: names[0], rest: "14:00" });
  expect(namedFirst("webmail", names)).toBeNull();
});
