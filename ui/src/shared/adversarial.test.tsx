/** Markdown that was made to be too much: it is shown as lines, with a sentence, and takes no screen away. */
import { screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { DocumentLine } from "@/bindings";
import Markdown from "./Markdown";
import { LIMITS, refusalOf, treeOf } from "./markdown-tree";
import { renderPart } from "./testing";

const MB = 1 << 20;
const linesOf = (text: string): DocumentLine[] =>
  text.split("\n").map((line) => ({ text: line, spans: [], hidden: [] }));

/** A list of `depth` levels, two columns each. */
const list = (depth: number, mark = "-") =>
  Array.from({ length: depth }, (_, at) => `${" ".repeat(at * 2)}${mark} x`).join("\n");

/** Texts of a number of letters that open something with each of them. */
const KINDS: Record<string, (letters: number) => string> = {
  "quotes in one line": (letters) => ">".repeat(letters),
  "quotes with blanks": (letters) => "> ".repeat(letters / 2),
  "list items in one line": (letters) => "- ".repeat(letters / 2),
  "numbered items in one line": (letters) => "1. ".repeat(letters / 3),
  "lists within each other": (letters) => list(Math.floor(Math.sqrt(letters))),
  stars: (letters) => "*".repeat(letters),
  "emphasis within emphasis": (letters) => `${"*a ".repeat(letters / 6)}${" a*".repeat(letters / 6)}`,
  brackets: (letters) => "[".repeat(letters),
  "brackets and back": (letters) => "[".repeat(letters / 2) + "](x)".repeat(letters / 8),
  images: (letters) => "![".repeat(letters / 2),
  tildes: (letters) => "~".repeat(letters),
  "angle brackets": (letters) => "<".repeat(letters),
  backticks: (letters) => "`".repeat(letters),
};

describe("hostile Markdown", () => {
  it.each(Object.entries(KINDS))("is shown as lines where it is a megabyte: %s", (_, make) => {
    renderPart(<Markdown lines={linesOf(make(MB))} />);
    expect(screen.getByTestId("not-rendered")).toHaveTextContent("so it is shown as lines");
  });

  it.each(Object.entries(KINDS))("of four kilobytes is rendered or shown as lines: %s", (_, make) => {
    const failed = vi.spyOn(console, "error");
    const { container } = renderPart(<Markdown lines={linesOf(make(4096))} />);
    expect(container.querySelector(".markdown, [data-testid='not-rendered']")).not.toBeNull();
    expect(failed).not.toHaveBeenCalled();
  });

  it("is refused before it is parsed where it is nested", () => {
    expect(refusalOf(">".repeat(4096))).toBe("nested");
    expect(refusalOf(`a\n${"- ".repeat(300)}x`)).toBe("nested");
    expect(refusalOf(list(LIMITS.depth + 2))).toBe("nested");
    expect(refusalOf("*".repeat(4096))).toBe("nested");
    expect(refusalOf("x".repeat(LIMITS.letters + 1))).toBe("large");
  });

  it("is refused after it is parsed where the tree is deeper or larger than its signs told", () => {
    expect(treeOf(`${"*a ".repeat(200)}${" a*".repeat(200)}`)).toEqual({ refused: "nested" });
    expect(treeOf(`${"|a".repeat(400)}|\n${"|-".repeat(400)}|\n${"|\n".repeat(400)}`)).toEqual({ refused: "large" });
    expect(treeOf("a\n\n".repeat(LIMITS.parts))).toEqual({ refused: "large" });
  });

  it("leaves alone what people write", () => {
    const usual = [
      "# Title",
      list(8),
      "> quoted\n> > twice",
      "---",
      "* * *",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "1. one\n2. two\n   - three",
      "x".repeat(5000),
      "*".repeat(80),
      `${" ".repeat(120)}indented`,
    ].join("\n\n");
    expect(refusalOf(usual)).toBeNull();
    expect(treeOf(usual)).toHaveProperty("tree");
    const { container } = renderPart(<Markdown lines={linesOf(usual)} />);
    expect(container.querySelector(".markdown li li li")).not.toBeNull();
    expect(container.querySelector(".markdown table td")).toHaveTextContent("1");
  });
});
