import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { LineText } from "./LineText";
import { renderPart } from "./testing";
import { MAX_PIECES, pieces, shorten, toBase64 } from "./text";

const shape = (text: string, marks: Parameters<typeof pieces>[1]) =>
  pieces(text, marks).map((piece) => [piece.text, piece.colour, piece.marked, piece.hidden?.code ?? null]);

describe("pieces of a line", () => {
  it("cover the line once, whatever overlaps", () => {
    expect(
      shape("- Never retry", {
        spans: [
          [0, 1, "list_marker"],
          [2, 7, "strong"],
        ],
        words: [[4, 9]],
      }),
    ).toEqual([
      ["-", "list_marker", false, null],
      [" ", null, false, null],
      ["Ne", "strong", false, null],
      ["ver", "strong", true, null],
      [" r", null, true, null],
      ["etry", null, false, null],
    ]);
  });

  it("count characters as the program does, also beyond the basic plane", () => {
    expect(shape("🦀🦀 done", { words: [[3, 7]] })).toEqual([
      ["🦀🦀 ", null, false, null],
      ["done", null, true, null],
    ]);
  });

  it("keep a comment's text and mark what hides in it", () => {
    const hidden = [
      { at: 2, length: 9, code: "<!--", kind: "html_comment" as const },
      { at: 6, length: 1, code: "U+200B", kind: "zero_width" as const },
    ];
    const found = pieces("a <!--\u200b-->", { hidden });
    expect(found.map(({ text, comment, hidden: mark }) => [text, comment, mark?.code ?? null])).toEqual([
      ["a ", false, null],
      ["<!--", true, null],
      ["\u200b", true, "U+200B"],
      ["-->", true, null],
    ]);
  });

  it("survive positions past the end", () => {
    expect(shape("ab", { words: [[1, 90]], spans: [[5, 9, "code"]] })).toEqual([
      ["a", null, false, null],
      ["b", null, true, null],
    ]);
    expect(pieces("", {})).toEqual([]);
  });
});

describe("a line on the screen", () => {
  it("marks every hidden character of a line that has very many, and stays small", () => {
    const count = 100_000;
    const text = "a\u200b".repeat(count);
    const hidden = Array.from({ length: count }, (_, at) => ({
      at: at * 2 + 1,
      length: 1,
      code: "U+200B",
      kind: "zero_width" as const,
    }));
    const found = pieces(text, { hidden });
    expect(found).toHaveLength(MAX_PIECES + 1);
    const last = found.at(-1)!;
    expect(last.text).not.toContain("\u200b");
    const spelt = last.text.split("‹U+200B›").length - 1;
    expect(found.filter((piece) => piece.hidden).length + spelt).toBe(count);
  });

  it("draws nothing of what lies behind the part that is drawn", () => {
    const count = 100_000;
    const hidden = Array.from({ length: count }, (_, at) => ({
      at: at * 2 + 1,
      length: 1,
      code: "U+200B",
      kind: "zero_width" as const,
    }));
    const { container } = renderPart(<LineText text={"a\u200b".repeat(count)} hidden={hidden} />);
    const drawn = container.textContent ?? "";
    expect(drawn.match(/a/g)!.length).toBeLessThan(15_000);
    expect(drawn.match(/U\+200B/g)).toHaveLength(10_000);
    expect(screen.getByTestId("line-rest")).toHaveTextContent("180,000 more characters, 90,000 of them hidden");
  });

  it("draws a long line in parts, and says how much of it is hidden", () => {
    const text = `${"x".repeat(19_999)}😀${"y\u200b".repeat(15_000)}`;
    const hidden = Array.from({ length: 15_000 }, (_, at) => ({
      at: 20_001 + at * 2,
      length: 1,
      code: "U+200B",
      kind: "zero_width" as const,
    }));
    const { container } = renderPart(<LineText text={text} hidden={hidden} />);
    const rest = screen.getByTestId("line-rest");
    expect(rest).toHaveTextContent("30,002 more characters, 15,000 of them hidden");
    expect(container.textContent).not.toContain("😀");
    fireEvent.click(rest);
    expect(container.textContent).toContain("😀y");
    expect(screen.getAllByTestId("hidden-mark").length).toBeGreaterThan(900);
    fireEvent.click(screen.getByTestId("line-rest"));
    expect(screen.queryByTestId("line-rest")).toBeNull();
  });

  it("shows hidden characters as marks with their code and meaning", () => {
    renderPart(
      <LineText text={"a\u200bb"} hidden={[{ at: 1, length: 1, code: "U+200B", kind: "zero_width" as const }]} />,
    );
    const mark = screen.getByTestId("hidden-mark");
    expect(mark).toHaveTextContent("U+200B");
    expect(mark.title).toContain("without width");
    expect(document.body.textContent).not.toContain("\u200b");
  });

  it("shows markup as letters", () => {
    const { container } = renderPart(<LineText text={'<img src="x" onerror="alert(1)"><script>alert(1)</script>'} />);
    expect(container.querySelector("img,script")).toBeNull();
    expect(container).toHaveTextContent("<script>alert(1)</script>");
  });
});

describe("short forms", () => {
  it("keep both ends", () => {
    expect(shorten("0123456789abcdef", 4, 2)).toBe("0123…ef");
    expect(shorten("short", 4, 2)).toBe("short");
  });

  it("base 64 is of the UTF-8 bytes", () => {
    expect(toBase64("é🦀")).toBe("w6nwn6aA");
    expect(atob(toBase64("x".repeat(100_000)))).toHaveLength(100_000);
  });
});
