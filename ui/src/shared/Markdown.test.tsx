import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { DocumentLine, Hidden } from "@/bindings";
import Markdown from "./Markdown";
import { markdownParts } from "./markdown";
import { renderPart } from "./testing";

const line = (text: string, hidden: Hidden[] = []): DocumentLine => ({ text, spans: [], hidden });
const show = (...texts: string[]) => renderPart(<Markdown lines={texts.map((text) => line(text))} />).container;

describe("rendered Markdown", () => {
  it("renders Markdown", () => {
    show("# Title", "", "- one", "- **two**");
    expect(screen.getByRole("heading", { name: "Title" })).toBeInTheDocument();
    expect(screen.getAllByRole("listitem")).toHaveLength(2);
  });

  it("keeps HTML as letters", () => {
    const page = show(
      "<script>alert(1)</script>",
      "",
      'text <img src=x onerror="alert(1)"> <b>bold</b>',
      "",
      "<iframe src=//evil.example></iframe>",
    );
    expect(page.querySelector("script,img,iframe,b")).toBeNull();
    expect(page).toHaveTextContent("alert(1)");
    expect(page).toHaveTextContent("//evil.example");
  });

  it("loads no image and shows its address", () => {
    const page = show("![a cat](https://evil.example/cat.png)", "", "![](data:image/svg+xml;base64,AAAA)");
    expect(page.querySelector("img,picture,object,source")).toBeNull();
    expect(page).toHaveTextContent("a cat");
    expect(page).toHaveTextContent("https://evil.example/cat.png");
  });

  it("makes links inert and shows where they point, javascript: included", () => {
    const page = show(
      "[click](javascript:alert%281%29)",
      "",
      "[site](https://example.com/x) <https://auto.example>",
      "",
      "www.bare.example",
    );
    expect(page.querySelector("a,[href]")).toBeNull();
    expect(page).toHaveTextContent("javascript:alert%281%29");
    expect(page).toHaveTextContent("https://example.com/x");
    expect(page).toHaveTextContent("https://auto.example");
  });

  it("has no controls", () => {
    const page = show("- [x] done", "- [ ] open");
    expect(page.querySelector("input,button")).toBeNull();
    expect(page).toHaveTextContent("☑");
  });

  it("cannot hide characters", () => {
    const hidden = { at: 3, length: 1, code: "U+202E", kind: "bidi_control" as const };
    const { container } = renderPart(<Markdown lines={[line("abc\u202edef", [hidden])]} />);
    expect(container).toHaveTextContent("abc⟦U+202E⟧def");
    expect(container.textContent).not.toContain("\u202e");
  });
});

describe("front matter", () => {
  it("stands apart", () => {
    expect(markdownParts(["---", "name: x", "---", "body"].map((text) => line(text)))).toEqual({
      frontMatter: "name: x",
      body: "body",
    });
  });

  it("is only what is closed and comes first", () => {
    expect(markdownParts(["---", "name: x"].map((text) => line(text))).frontMatter).toBeNull();
    expect(markdownParts(["a", "---", "b", "---"].map((text) => line(text))).frontMatter).toBeNull();
  });
});
