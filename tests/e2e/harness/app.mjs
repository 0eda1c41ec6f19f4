/** The app as a person meets it, over either driver: finds things by `data-testid`, and waits until they are there. */
import assert from "node:assert/strict";
import { until } from "./wait.mjs";

/** More than any screen has parts that Tab comes to. */
const MOST_PARTS = 500;

/** Runs in the page: keeps what it complains about, where [`App.complaints`] finds it. */
export function collectComplaints() {
  const kept = (window.__complaints = []);
  const keep = (text) => kept.push(text);
  document.addEventListener("securitypolicyviolation", (event) =>
    keep(`content security policy: ${event.violatedDirective} refuses ${event.blockedURI || "inline"} ${event.sourceFile}:${event.lineNumber}`),
  );
  // Sizes that changed while sizes were reported: the browser says so, and reports those with the next frame.
  const late = (event) => event.message.startsWith("ResizeObserver loop completed");
  window.addEventListener("error", (event) => late(event) || keep(`error: ${event.message} ${event.filename}:${event.lineno}`));
  window.addEventListener("unhandledrejection", (event) => keep(`unhandled rejection: ${event.reason}`));
}

/** The selector of a test id; anything that is no plain word is a selector already. */
const select = (id) => (/^[\w-]+$/.test(id) ? `[data-testid="${id}"]` : id);

/** The app. Everywhere, `id` is a `data-testid` or a CSS selector. */
export class App {
  /** @param {import("./window.mjs").WindowDriver | import("./browser.mjs").BrowserDriver} driver */
  constructor(driver) {
    this.driver = driver;
  }

  /** Texts of all elements there are at this moment. */
  texts(id) {
    return this.driver.run((css) => Array.from(document.querySelectorAll(css), (element) => element.innerText), select(id));
  }

  /** Number of elements at this moment. */
  async count(id) {
    return (await this.texts(id)).length;
  }

  /** Waits until an element is there, and with `text` until one holds it. Gives its whole text. */
  async see(id, text = "") {
    const is = (shown) => (text instanceof RegExp ? text.test(shown) : shown.includes(text));
    const found = await until(
      `${id}${text ? ` with ${text}` : ""}`,
      async () => {
        const shown = (await this.texts(id)).find(is);
        return shown === undefined ? null : { shown };
      },
      async () => (await this.texts(id)).join(" | ") || (await this.texts(":root")).join().slice(0, 2000),
    );
    return found.shown;
  }

  /** Waits until no such element is there, or with `text` none that holds it. */
  async gone(id, text = "") {
    await until(
      `no ${id}${text ? ` with ${text}` : ""}`,
      async () => !(await this.texts(id)).some((shown) => shown.includes(text)),
      async () => (await this.texts(id)).join(" | "),
    );
  }

  /** Waits until what was asked for is there: no skeleton is left. */
  settled() {
    return this.gone('.skeleton, [data-testid="skeleton"], [aria-busy="true"]');
  }

  /**
   * Clicks an element once it is there and can be used; with `text` the first that holds it. One that is drawn anew before it
   * could be pressed is searched for again.
   */
  async click(id, text = "") {
    for (let left = 4; ; left -= 1) {
      const css = await this.#mark(id, text);
      try {
        return await this.driver.click(css);
      } catch (error) {
        const stands = await this.driver.run((marked) => document.querySelector(marked) !== null, css);
        if (stands || left === 0) throw error;
      }
    }
  }

  /** Replaces what a text field holds. */
  async fill(id, text) {
    await this.driver.fill(await this.#mark(id, ""), text);
  }

  /** Chooses an entry of a native list of choices by its label. */
  async choose(id, label) {
    await until(`${label} in ${id}`, () =>
      this.driver.run(
        (css, wanted) => {
          const list = document.querySelector(css);
          const option = Array.from(list?.options ?? []).find(({ text }) => text.includes(wanted));
          if (!option) return false;
          const { set } = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value");
          set.call(list, option.value);
          list.dispatchEvent(new Event("change", { bubbles: true }));
          return true;
        },
        select(id),
        label,
      ),
    );
  }

  /** Presses keys, one after the other; a chord is written `Control+k`. */
  async press(...keys) {
    for (const key of keys) await this.driver.press(key);
  }

  /** Goes from part to part with Tab until an element has the focus. */
  async tabTo(id) {
    await this.see(id);
    // Counted in presses, not in seconds: a loaded machine takes long for each.
    for (let left = MOST_PARTS; !(await this.holdsFocus(id)); left -= 1) {
      assert.ok(left > 0, `${id} is not reached with Tab`);
      await this.press("Tab");
    }
  }

  /** True if an element has the focus, or holds what has it. */
  holdsFocus(id) {
    return this.driver.run((css) => document.querySelector(css)?.contains(document.activeElement) ?? false, select(id));
  }

  /** Hidden failures: errors of the page, refused loads. Empty when all is well. */
  async complaints() {
    const page = await this.driver.run(() => {
      const unused = Array.from(document.querySelectorAll("style")).filter(({ sheet, textContent }) => textContent && !sheet);
      return [...(window.__complaints ?? []), ...unused.map(({ textContent }) => `a style was refused: ${textContent.slice(0, 80)}`)];
    });
    return [...page, ...this.driver.problems()];
  }

  /** Waits for a usable element and marks it, so that the driver's own look-up finds that one. */
  async #mark(id, text) {
    await until(
      `${id}${text ? ` with ${text}` : ""} that can be used`,
      () =>
        this.driver.run(
          (css, wanted) => {
            for (const old of document.querySelectorAll("[data-e2e]")) old.removeAttribute("data-e2e");
            const element = Array.from(document.querySelectorAll(css)).find(
              (each) => each.innerText.includes(wanted) && !each.matches(":disabled, [aria-disabled=true], [data-pending]") && each.getClientRects().length > 0,
            );
            element?.setAttribute("data-e2e", "");
            element?.scrollIntoView({ block: "nearest" });
            return Boolean(element);
          },
          select(id),
          text,
        ),
      async () => (await this.texts(id)).join(" | "),
    );
    return "[data-e2e]";
  }
}
