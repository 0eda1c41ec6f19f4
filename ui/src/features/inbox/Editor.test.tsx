import { render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Editor, lineEndOf } from "./Editor";

// jsdom has no layout and calls itself Safari, which needs a detour to find the selection in a shadow tree.
document.execCommand = () => true;
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;

describe("line ends", () => {
  it("are kept where there is one kind", () => {
    expect(lineEndOf("a\r\nb\r\n")).toBe("\r\n");
    for (const text of ["", "a", "a\nb\n", "a\r\nb\n", "a\r\nb\rc\r\n", "\na\r\n"]) expect(lineEndOf(text)).toBe("\n");
  });
});

describe("the editor", () => {
  it("brings its own style sheets, which no policy refuses, and shows what is hidden", async () => {
    render(
      <Editor text={"# A\n\nb\u200bc\n"} label="Final text" onChange={vi.fn()} onSave={vi.fn()} onCancel={vi.fn()} />,
    );
    const root = screen.getByTestId("editor").shadowRoot!;
    await waitFor(() => expect(root.querySelector(".cm-hidden-mark")).toHaveTextContent("U+200B"));
    expect(root.querySelector('[aria-label="Final text"]')).toHaveAttribute("contenteditable", "true");
    expect(document.head.querySelector("style:not([data-vite-dev-id])")).toBeNull();
  });

  it("is left by Escape", () => {
    const onCancel = vi.fn();
    render(<Editor text="a" label="Final text" onChange={vi.fn()} onSave={vi.fn()} onCancel={onCancel} />);
    const content = screen.getByTestId("editor").shadowRoot!.querySelector<HTMLElement>(".cm-content")!;
    content.focus();
    content.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", bubbles: true, composed: true, cancelable: true }),
    );
    expect(onCancel).toHaveBeenCalledOnce();
  });
});
