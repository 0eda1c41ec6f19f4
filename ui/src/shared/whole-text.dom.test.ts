import { afterEach, beforeEach, expect, test } from "vitest";
import { showWholeTexts } from "./whole-text";

let stop: () => void;
beforeEach(() => {
  stop = showWholeTexts();
});
afterEach(() => {
  stop();
  document.body.replaceChildren();
});

/** An element in a part that is `shown` pixels wide and would need `needed`; jsdom lays nothing out. */
function shortened(text: string, needed: number, shown: number): { part: HTMLElement; inner: HTMLElement } {
  const part = document.createElement("div");
  part.style.overflow = "hidden";
  part.style.textOverflow = "ellipsis";
  Object.defineProperty(part, "scrollWidth", { value: needed, configurable: true });
  Object.defineProperty(part, "clientWidth", { value: shown });
  const inner = document.createElement("span");
  Object.defineProperty(part, "innerText", { get: () => inner.textContent });
  inner.textContent = text;
  part.append(inner);
  document.body.append(part);
  return { part, inner };
}
const pointAt = (element: Element) => element.dispatchEvent(new Event("pointerover", { bubbles: true }));

test("a shortened text is the title of what shortens it, and no longer once it fits", () => {
  const { part, inner } = shortened("a-rather-long-name.md", 300, 100);
  pointAt(inner);
  expect(part.title).toBe("a-rather-long-name.md");
  Object.defineProperty(part, "scrollWidth", { value: 100 });
  pointAt(inner);
  expect(part.hasAttribute("title")).toBe(false);
});

test("a text that fits has no title, and a title that is there stays", () => {
  const fits = shortened("short.md", 100, 100);
  pointAt(fits.inner);
  expect(fits.part.hasAttribute("title")).toBe(false);
  const own = shortened("a-rather-long-name.md", 300, 100);
  own.part.title = "/home/robin/a-rather-long-name.md";
  pointAt(own.inner);
  expect(own.part.title).toBe("/home/robin/a-rather-long-name.md");
});

test("the title of a very long text ends", () => {
  const { part, inner } = shortened("word ".repeat(5000), 300, 100);
  pointAt(inner);
  expect(part.title.length).toBeLessThan(500);
});

test("a field of choices says which one is chosen", () => {
  const field = document.createElement("select");
  field.append(new Option("as recorded: claude-sonnet-4-5-20250929"));
  document.body.append(field);
  pointAt(field);
  expect(field.title).toBe("as recorded: claude-sonnet-4-5-20250929");
});
