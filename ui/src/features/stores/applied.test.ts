import { describe, expect, it } from "vitest";
import { diffTexts, documentLines } from "@/host/fake/text";
import { applied } from "./applied";

const lines = (text: string) => documentLines(text, false);
const texts = (all: ReturnType<typeof applied>) => all?.map(({ text }) => text) ?? null;

describe("a content after a difference", () => {
  const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
  it.each([
    ["a changed line", "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\nnine\n"],
    ["two places", "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\nnine\n"],
    ["an added end", `${before}ten\n`],
    ["nothing left", ""],
    ["no change", before],
  ])("is the new one: %s", (_what, after) => {
    const { hunks } = diffTexts(before, after, 1, false);
    expect(texts(applied(lines(before), hunks))).toEqual(lines(after).map(({ text }) => text));
  });

  it("is the whole of what was created", () => {
    const { hunks } = diffTexts("", "a\nb\n", 3, false);
    expect(texts(applied([], hunks))).toEqual(["a", "b"]);
  });

  it("is unknown when the difference is of another content", () => {
    const { hunks } = diffTexts(before, "one\n", 3, false);
    expect(applied(lines("something\nelse\n"), hunks)).toBeNull();
    expect(applied([], hunks)).toBeNull();
  });
});
