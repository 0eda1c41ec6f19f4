/** What is wrong with how a page is laid out: text cut off, parts out of reach, labels broken, texts over each other. */
import assert from "node:assert/strict";

/**
 * Runs in the page, and looks at it as it is. Gives a line for each thing it finds:
 *
 * - `cut`: text that a part of the page cuts off. Only names and contents may be, with an ellipsis and the whole text as a
 *   title; labels of buttons, tabs, headings and chips never. A name that is a button says so with `data-name`.
 * - `outside`: a text or a control beyond the window or beyond the part it stands in, with no way to scroll to it.
 * - `sideways`: a text or a control that is reached only by scrolling to the side. Tables and code may be wide, but not a table
 *   that says with `data-whole` that its figures are read beside each other.
 * - `broken`: a button, tab or heading over several lines, or a column so narrow that words stand below each other.
 * - `overlap`: two texts in the same place.
 * - `low`: a part that scrolls and is too small to read in.
 */
export async function misplaced() {
  const frame = () => new Promise((next) => requestAnimationFrame(() => next()));
  await frame();
  await frame();
  /** Pixels by which a box may pass another: rounding, and the space that fonts keep above and below. */
  const SLACK = 2;
  const LABELS = 'button, [role="button"], [role="tab"], [role="radio"], [role="menuitem"], .chip, .segment, nav a, h1, h2, h3, th, label, legend, dt';
  const ONE_LINE = 'button, [role="button"], [role="tab"], [role="radio"], .chip, .segment, nav a';
  const NAMES = '[data-name], [role="option"], [role="row"], [role="gridcell"], [role="treeitem"], th[scope="row"], .mono, code';
  const CONTROLS = 'button, a[href], input, select, textarea, [role="button"], [role="tab"], [role="radio"], [role="slider"], [role="switch"], canvas';
  const WIDE = 'table, [role="table"], pre, [data-testid="diff"], [data-testid="document"], [data-wide]';
  const mayBeWide = (element) => element.closest(WIDE) !== null && element.closest("[data-whole]") === null;
  const found = new Set();
  const width = document.documentElement.clientWidth;
  const height = document.documentElement.clientHeight;
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const hiddenParts = ".visually-hidden, [data-live-announcer], option, script, style, noscript, title";
  const drawn = (element) => {
    if (element.closest(hiddenParts)) return false;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    for (let part = element; part && part !== document.body; part = part.parentElement) {
      if (styleOf(part).position === "absolute" && part.offsetWidth <= 1 && part.offsetHeight <= 1 && !(part instanceof SVGElement)) return false;
    }
    return true;
  };
  const nameOf = (element) => {
    const classes = String(element.getAttribute("class") ?? "").split(" ").filter(Boolean).slice(0, 2);
    const id = element.closest("[data-testid]")?.dataset.testid;
    return `${[element.tagName.toLowerCase(), ...classes].join(".")}${id ? ` in ${id}` : ""}`;
  };
  const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 48);
  const add = (kind, element, text, detail) => found.add(`${kind} ${nameOf(element)} “${short(text)}”${detail ? ` ${detail}` : ""}`);

  /** The part that an absolute or fixed element is placed in; parts between are no bounds for it. */
  const above = (element) => {
    const { position } = styleOf(element);
    if (position === "fixed") return null;
    if (position !== "absolute") return element.parentElement;
    for (let part = element.parentElement; part; part = part.parentElement) {
      const { position: its, transform } = styleOf(part);
      if (its !== "static" || transform !== "none") return part;
    }
    return null;
  };
  /** Follows a box outwards through all that bounds it. Gives what is left to see, and what cuts it on the way. */
  const follow = (element, given) => {
    const box = { left: given.left, right: given.right, top: given.top, bottom: given.bottom };
    const out = { box, cut: null, sideways: null, outside: false, scrolled: false };
    for (let part = element; part && part !== document.documentElement; part = above(part)) {
      const style = styleOf(part);
      if (style.display === "inline" || style.display === "contents" || part instanceof SVGElement) continue;
      const [x, y] = [style.overflowX, style.overflowY];
      if (x === "visible" && y === "visible") continue;
      const rect = part.getBoundingClientRect();
      const [left, top] = [rect.left + part.clientLeft, rect.top + part.clientTop];
      const [right, bottom] = [left + part.clientWidth, top + part.clientHeight];
      if (x !== "visible") {
        const passes = box.right > right + SLACK || box.left < left - SLACK;
        // A flex container asks for an ellipsis in vain.
        const ellipsis = style.textOverflow === "ellipsis" && !/flex|grid/.test(style.display);
        if (passes && (x === "hidden" || x === "clip")) out.cut ??= { part, ellipsis };
        else if (passes) {
          if (box.left < left - part.scrollLeft - SLACK) out.outside = true;
          else out.sideways ??= part;
        }
        box.left = Math.min(Math.max(box.left, left), right);
        box.right = Math.max(Math.min(box.right, right), left);
      }
      if (y !== "visible") {
        // Text that is cut at its foot by less than a third of a line is whole to a reader.
        const slack = Math.max(SLACK, (given.bottom - given.top) / 3);
        const passes = box.bottom > bottom + slack || box.top < top - slack;
        if (passes && (y === "hidden" || y === "clip")) out.cut ??= { part, ellipsis: style.webkitLineClamp !== "none" };
        else if (passes) {
          if (box.top < top - part.scrollTop - slack) out.outside = true;
          out.scrolled = true;
        }
        box.top = Math.min(Math.max(box.top, top), bottom);
        box.bottom = Math.max(Math.min(box.bottom, bottom), top);
      }
    }
    if (box.right > width + SLACK || box.left < -SLACK || box.bottom > height + SLACK || box.top < -SLACK) out.outside = true;
    return out;
  };
  /** The whole text as a person finds it who points at an element that is shortened. */
  const wholeText = (element) => {
    const titled = () => element.closest("[title]")?.getAttribute("title") ?? "";
    if (!titled()) element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    return titled();
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element || !node.data.trim() || !drawn(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = Array.from(range.getClientRects()).filter((rect) => rect.width > 0.5 && rect.height > 0.5);
    if (rects.length === 0) continue;
    const label = element.closest(LABELS);
    const named = element.closest(NAMES);
    const svg = element.closest("svg");
    // A line that is cut off whole is not seen as one.
    const seen = rects.filter((rect) => {
      const { box, cut } = follow(element, rect);
      return !cut || box.bottom - box.top > rect.height / 2;
    });
    const lines = seen.reduce((tops, rect) => (tops.some((top) => Math.abs(top - rect.top) < rect.height / 2) ? tops : [...tops, rect.top]), []).length;
    for (const rect of rects) {
      const { box, cut, sideways, outside, scrolled } = follow(element, rect);
      if (cut) {
        if (!cut.ellipsis) add("cut", element, node.data, "without an ellipsis");
        else if (label && !named) add("cut", element, node.data, "though it is a label");
        else if (!wholeText(element)) add("cut", element, node.data, "without a title");
      } else if (outside) add("outside", element, node.data);
      else if (sideways && !mayBeWide(element)) add("sideways", element, node.data, `in ${nameOf(sideways)}`);
      if (box.right - box.left > 1 && box.bottom - box.top > 1 && !(scrolled && box.bottom - box.top < 4)) texts.push({ element, box, node, svg });
    }
    const length = node.data.trim().length;
    const wide = /[\u3000-\u9fff\uac00-\ud7af]/.test(node.data) ? 2 : 1;
    // A button that is laid out as a row of several texts is no label.
    const line = element.closest(ONE_LINE);
    if (line && !named && styleOf(line).display !== "grid" && lines > 1) add("broken", element, node.data, `over ${lines} lines`);
    else if (element.closest('h1, h2, h3, th:not([scope="row"])') && lines > 2) add("broken", element, node.data, `over ${lines} lines`);
    else if (lines > 3 && (length * wide) / lines < 9) add("broken", element, node.data, `over ${lines} lines`);
  }

  // What lies over the page covers it on purpose.
  const layer = (element) => {
    const over = element.closest('.popover, [role="dialog"], [role="alertdialog"], .toasts');
    if (over) return over;
    for (let part = element; part; part = part.parentElement) if (/fixed|sticky/.test(styleOf(part).position)) return part;
    return null;
  };
  for (const text of texts) text.layer = layer(text.element);
  texts.sort((a, b) => a.box.top - b.box.top);
  for (const [at, one] of texts.entries()) {
    for (let next = at + 1; next < texts.length && texts[next].box.top < one.box.bottom; next += 1) {
      const other = texts[next];
      if (other.layer !== one.layer || other.node === one.node) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const least = Math.min(one.box.bottom - one.box.top, other.box.bottom - other.box.top);
      if (wide > 3 && high > least * 0.45) add("overlap", one.element, one.node.data, `with “${short(other.node.data)}”`);
    }
  }

  for (const control of document.querySelectorAll(CONTROLS)) {
    if (!drawn(control)) continue;
    const rect = control.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1) continue;
    const { cut, outside, sideways } = follow(control.parentElement, rect);
    const label = control.getAttribute("aria-label") ?? control.textContent ?? "";
    if (cut && styleOf(control).display !== "inline" && !cut.ellipsis) add("cut", control, label, "as a control");
    else if (outside) add("outside", control, label, "as a control");
    else if (sideways && !mayBeWide(control)) add("sideways", control, label, `in ${nameOf(sideways)}`);
  }

  const pen = document.createElement("canvas").getContext("2d");
  const measured = (field, text) => {
    const style = styleOf(field);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    return pen.measureText(text).width - (field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
  };
  for (const field of document.querySelectorAll("select, input")) {
    if (!drawn(field)) continue;
    const text = field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? "") : field.value ? "" : (field.placeholder ?? "");
    if (text && measured(field, text) > SLACK && !wholeText(field)) add("cut", field, text, "in a field");
  }

  for (const part of document.querySelectorAll("body *")) {
    const style = styleOf(part);
    if (!/auto|scroll/.test(style.overflowY + style.overflowX) || part instanceof HTMLTextAreaElement || !drawn(part)) continue;
    const low = /auto|scroll/.test(style.overflowY) && part.scrollHeight > part.clientHeight + SLACK && part.clientHeight < 56;
    const thin = /auto|scroll/.test(style.overflowX) && part.scrollWidth > part.clientWidth + SLACK && part.clientWidth < 120;
    if (low || thin) add("low", part, "", `${part.clientWidth} by ${part.clientHeight}`);
  }
  return [...found];
}

/** Gathers what is found on many pages: each thing once, with where it was seen. */
export class Misplaced {
  #found = new Map();

  /** @param {import("./app.mjs").App} app */
  constructor(app) {
    this.app = app;
  }

  /** Looks at the page as it is; `where` names it. */
  async at(where) {
    for (const one of await this.app.driver.run(misplaced)) this.#found.set(one, [...(this.#found.get(one) ?? []), where]);
  }

  /** Fails when anything was noted. */
  isEmpty() {
    const lines = Array.from(this.#found, ([one, places]) => `${one}\n    ${places.length} times: ${places.slice(0, 6).join("; ")}`).sort();
    assert.equal(lines.length, 0, `${lines.length} found\n${lines.join("\n")}`);
  }
}
