import { expect, it } from "vitest";
import { masked, secretsIn, withoutCut, withoutSecrets } from "./secrets";

const KEY = "sk_live_0123456789abcdefghij";
const LINES = ["# Keys", `- 🔑 the key is ${KEY}.`, "BEGIN", "middle", "END tail"];
const at = (line: number) => LINES[line - 1];
const place = (line: number, column: number, end_line: number, end_column: number, rule = "secret/stripe") => ({
  rule,
  start: 0,
  line,
  column,
  end_line,
  end_column,
});

it("finds secrets by line and character, over several lines too", () => {
  const column = [...LINES[1]!].join("").indexOf(KEY);
  const start = [...LINES[1]!.slice(0, column)].length + 1;
  expect(secretsIn([place(2, start, 2, start + KEY.length)], at)).toEqual([KEY]);
  expect(secretsIn([place(3, 1, 5, 4)], at)).toEqual(["middle", "BEGIN", "END"]);
  expect(secretsIn([place(2, start, 2, start + KEY.length, "hidden/bidi")], at)).toEqual([]);
});

it("shows as many characters, and few of the secret's", () => {
  expect([...masked(KEY)]).toHaveLength([...KEY].length);
  expect(masked(KEY)).toMatch(/^sk_l•+ij$/);
  expect(masked("hunter2")).toBe("•••••••");
  const line = withoutSecrets({ text: `${KEY} and ${KEY}`, old: 1 }, [KEY]);
  expect(line.text).not.toContain("0123");
  expect(line).toMatchObject({ old: 1 });
  expect(withoutSecrets(line, [KEY])).toBe(line);
});

it("keeps a secret out of a part of a line, also where the part cuts it", () => {
  expect(withoutCut(`is ${KEY} now`, [KEY])).not.toContain("0123");
  expect(withoutCut(`…${KEY.slice(9)} now…`, [KEY])).toBe(`…${"•".repeat(KEY.length - 9)} now…`);
  expect(withoutCut(`the key is ${KEY.slice(0, 12)}…`, [KEY])).toBe(`the key is ${"•".repeat(12)}…`);
  expect(withoutCut("ij is a word", [KEY])).toBe("ij is a word");
});
