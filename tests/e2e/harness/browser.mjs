/** Drives the same pages in Chromium, served by `retrace serve` or by a hub. */
import { chromium } from "playwright-core";
import { collectComplaints } from "./app.mjs";
import { chromium as chromiumPath } from "./programs.mjs";
import { serve } from "./serve.mjs";

/** Nothing that reaches out, and nothing a machine without a screen lacks. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/**
 * Longest wait for an element to stand still, in milliseconds. One that was drawn anew never does: it has lost its
 * mark.
 */
const CLICK_LIMIT = 10_000;

/** One browser for all walks of a program; each has a context of its own, which keeps nothing of another. */
let running = null;

/** Ends it; the next walk starts another. */
export async function closeBrowser() {
  await (await running)?.close();
  running = null;
}

/** A page of `retrace serve`, or of a hub, in a browser, driven. */
export class BrowserDriver {
  name = "browser";
  #problems = [];
  #server;
  #machine;
  #context;
  #page;
  /** While the server is away on purpose, that it cannot be reached is no complaint. */
  #away = false;

  /** Opens the app on `machine`. Options: `dark`, `scale`, `size`, and `at`, the address of a hub that serves the page instead. */
  static async open(machine, { dark = false, scale = 1, size = { width: 1360, height: 860 }, at = null } = {}) {
    const driver = new BrowserDriver();
    driver.#machine = machine;
    driver.#server = at === null ? await serve(machine) : { address: at, stop: async () => {} };
    try {
      running ??= chromium.launch({ executablePath: chromiumPath(), headless: true, args: FLAGS });
      driver.#context = await (await running).newContext({
        viewport: size,
        deviceScaleFactor: scale,
        colorScheme: dark ? "dark" : "light",
        locale: "en-GB",
        timezoneId: "UTC",
        // A certificate that the hub of a test made for itself.
        ignoreHTTPSErrors: at !== null && at.startsWith("https:"),
      });
      const page = await driver.#context.newPage();
      driver.#page = page;
      page.on("pageerror", (error) => driver.#problems.push(`page error: ${error.message}`));
      page.on("console", (message) => {
        // A command that was refused with reason is an answer like others; the browser logs it all the same.
        const refused = /status of (4\d\d|503)/.test(message.text()) && message.location().url.includes("/api/");
        const unreached = driver.#away && /net::ERR_/.test(message.text());
        if (message.type() === "error" && !refused && !unreached) driver.#problems.push(`console: ${message.text()} ${message.location().url}`);
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(new URL(driver.#server.address).origin)) driver.#problems.push(`request to ${request.url()}`);
      });
      await page.addInitScript(collectComplaints);
      await page.goto(driver.#server.address);
      return driver;
    } catch (error) {
      await driver.close();
      throw error;
    }
  }

  /** From now on the server is away on purpose. */
  expectsNothing() {
    this.#away = true;
  }

  /** Ends the server under the open page. */
  async goAway() {
    this.#away = true;
    await this.#server.stop();
  }

  /** Starts it again, at the same address. What the browser still says of before is let pass. */
  async comeBack() {
    this.#server = await serve(this.#machine, new URL(this.#server.address).port);
  }

  /** The cookies that the browser keeps. */
  cookies() {
    return this.#context.cookies();
  }

  /** True if another page of this browser gets an answer from an address. */
  async answers(address) {
    const page = await this.#context.newPage();
    try {
      await page.goto(address);
      return true;
    } catch {
      return false;
    } finally {
      await page.close();
    }
  }

  /** Loads the page anew, as by its button. */
  reload() {
    return this.#page.reload();
  }

  /** Runs a function in the page; what it takes and gives has to be JSON. */
  run(work, ...args) {
    return this.#page.evaluate(`(${work})(...${JSON.stringify(args)})`);
  }

  /** Clicks an element as a person does, once it stands still. */
  click(css) {
    return this.#page.click(css, { timeout: CLICK_LIMIT });
  }

  /** Replaces what a field holds. */
  fill(css, text) {
    return this.#page.fill(css, text);
  }

  /** Presses a key or a chord such as `Control+k`. */
  press(chord) {
    return this.#page.keyboard.press(chord);
  }

  /** Gives the window another size, in pixels. */
  resize(width, height) {
    return this.#page.setViewportSize({ width, height });
  }

  /** Takes the dark theme or the light one, as the system would. */
  theme(dark) {
    return this.#page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  }

  /** A picture of the page as PNG. */
  picture() {
    return this.#page.screenshot({ animations: "disabled" });
  }

  /** Picture of the window at this moment, as PNG. */
  seen() {
    return this.picture();
  }

  /** Complaints of the page. */
  problems() {
    return this.#problems;
  }

  /** Closes the browser and the server. */
  async close() {
    await this.#context?.close();
    await this.#server.stop();
  }
}
