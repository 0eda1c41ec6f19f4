import { expect, it } from "vitest";
import { hiddenIn, spelled } from "./hidden";
import { fileName, folderOf } from "./text";

const found = (line: string) => hiddenIn(line).map(({ at, length, code, kind }) => `${at}+${length} ${code} ${kind}`);

it("finds what a reader would not see, in scalar values", () => {
  expect(found("plain\ttext ~")).toEqual([]);
  expect(found("a\u200bb\u202ec")).toEqual(["1+1 U+200B zero_width", "3+1 U+202E bidi_control"]);
  expect(found("😀\u00ad")).toEqual(["1+1 U+00AD soft_hyphen"]);
  expect(found("\u001b[31m")).toEqual(["0+1 U+001B control"]);
  expect(found("x\u{e0041}\u{e0042}")).toEqual(["1+1 U+E0041 tag", "2+1 U+E0042 tag"]);
  expect(found("\u3164")).toEqual(["0+1 U+3164 other_format"]);
});

it("joins neighbours of the same sign", () => {
  expect(found("\u200b\u200b\u200bx")).toEqual(["0+3 U+200B zero_width"]);
});

it("leaves an emoji its selector and its joiners", () => {
  expect(found("👩‍💻 ❤️ 1️⃣")).toEqual([]);
  expect(found("a\ufe0f")).toEqual(["1+1 U+FE0F variation_selector"]);
});

it("spells out what is hidden in a name", () => {
  expect(spelled("notes, ünïcödé 👩‍💻.md")).toBe("notes, ünïcödé 👩‍💻.md");
  expect(spelled("\u202egpj.exe")).toBe("‹U+202E›gpj.exe");
  expect(spelled("a\u200b\u200bb\n\tc")).toBe("a‹U+200B›‹U+200B›b‹U+000A›‹U+0009›c");
  expect(fileName("a\u2028b/c\u202ed.md")).toBe("c‹U+202E›d.md");
  expect(folderOf("a\u2028b/c\u202ed.md")).toBe("a‹U+2028›b");
});
