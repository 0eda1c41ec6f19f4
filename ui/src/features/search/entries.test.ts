import { expect, test } from "vitest";
import { afterVerb, fit, namedFirst, pick } from "./entries";

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

test("of several words each begins one, and whole words come first", () => {
  const feedback = "let's start working our way through the PR feedback cli/text-output-flag";
  expect(fit(feedback, "put back")).toBe(0);
  expect(fit(feedback, "feed out")).toBeGreaterThan(0);
  expect(fit("webhooks.md", "hook")).toBeGreaterThan(0);
  expect(fit("元に戻す 操作", "戻す 操作")).toBeGreaterThan(0);
  const entry = (label: string) => ({ key: label, label, run: () => undefined });
  const entries = ["reputation", "putting", "put", "output"].map(entry);
  expect(pick(entries, "put", 8).map(({ label }) => label)).toEqual(["put", "putting", "output", "reputation"]);
});
