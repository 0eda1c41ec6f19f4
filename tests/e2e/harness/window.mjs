/**
 * Drives the real window: a screen in memory, WebKit's own driver, and nothing in between.
 *
 * Traps this avoids: the driver types no signs outside ASCII reliably, so text is inserted by the page's own editing;
 * a picture taken before two frames were drawn can be blank; one driver process serves one session.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { collectComplaints } from "./app.mjs";
import { start, stop } from "./process.mjs";
import { until } from "./wait.mjs";

/** Starts a screen in memory. */
export async function startScreen(size = "1360x860x24") {
  const args = ["-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp", "-noreset"];
  const child = start("Xvfb", args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await new Promise((resolve, reject) => {
    child.stdio[3].once("data", (data) => resolve(String(data).trim()));
    child.once("exit", (code) => reject(new Error(`Xvfb ended with ${code}`)));
    child.once("error", reject);
  });
  return { name: `:${number}`, stop: () => stop(child) };
}

/** A picture of a whole screen takes a fraction of a second; where none comes in this time, none will. */
const PHOTOGRAPH_MS = 10_000;

/** A picture of a whole screen, window or not, as PNG. */
export async function photograph(screen) {
  const options = { stdio: ["ignore", "pipe", "inherit"], timeout: PHOTOGRAPH_MS, killSignal: "SIGKILL" };
  const child = spawn("import", ["-window", "root", "-display", screen.name, "png:-"], options);
  const parts = [];
  child.stdout.on("data", (part) => parts.push(part));
  const [code, signal] = await once(child, "close");
  if (code !== 0) throw new Error(`import ended with ${code ?? signal}`);
  return Buffer.concat(parts);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Keys that have a name, as WebDriver writes them. */
const KEYS = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", Home: "\uE011", End: "\uE010", ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015", Backspace: "\uE003", Delete: "\uE017", PageUp: "\uE00E", PageDown: "\uE00F" };
const MODIFIERS = { Control: "\uE009", Shift: "\uE008", Alt: "\uE00A" };

/** Environment that the desktop app needs to show its window on a screen, without help from a graphics processor. */
export const windowEnvironment = (screen) => ({
  DISPLAY: screen.name,
  GDK_BACKEND: "x11",
  NO_AT_BRIDGE: "1",
  GTK_A11Y: "none",
  MESA_SHADER_CACHE_DISABLE: "true",
  WEBKIT_SKIA_ENABLE_CPU_RENDERING: "1",
});

/** The window of the desktop app, driven. */
export class WindowDriver {
  name = "window";
  #base;
  #session;
  #driver;
  #screen;

  /** Opens the app on `machine`; `more` is added to its environment. */
  static async open(binary, machine, screen, more = {}) {
    const port = await freePort();
    const window = new WindowDriver();
    window.#base = `http://127.0.0.1:${port}`;
    window.#driver = start("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: ["ignore", "ignore", "inherit"],
      env: machine.environment({ ...windowEnvironment(screen), TAURI_WEBVIEW_AUTOMATION: "true", ...more }),
    });
    window.#screen = screen;
    try {
      await until("the driver answers", async () => (await fetch(`${window.#base}/status`)).ok);
      const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args: [] } } };
      const { sessionId } = await window.#ask("POST", "/session", { capabilities });
      window.#session = `/session/${sessionId}`;
      await until("the page is there", () => window.run(() => document.readyState === "complete"));
      // Nothing can be set up before the page's own scripts run; the browser's walks see what happens that early.
      await window.run(collectComplaints);
      return window;
    } catch (error) {
      await stop(window.#driver);
      throw error;
    }
  }

  async #ask(method, path, body) {
    const sent = method === "POST" ? JSON.stringify(body ?? {}) : undefined;
    const answer = await fetch(this.#base + path, { method, body: sent });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value?.error} ${value?.message}`);
    return value;
  }

  async #element(css) {
    const found = await this.#ask("POST", `${this.#session}/element`, { using: "css selector", value: css });
    return `${this.#session}/element/${Object.values(found)[0]}`;
  }

  /** Runs a function in the page; what it takes and gives has to be JSON. */
  run(work, ...args) {
    return this.#ask("POST", `${this.#session}/execute/sync`, { script: `return (${work})(...arguments)`, args });
  }

  /** Clicks an element as a person does: one that is just moving, or is drawn anew, once it stands still. */
  async click(css) {
    let failed;
    const clicked = async () => {
      await this.run((selector) => {
        window.__pressed = null;
        const note = ({ target }) => (window.__pressed = target.closest?.(selector) !== null);
        document.addEventListener("pointerdown", note, { capture: true, once: true });
      }, css);
      failed = await this.#ask("POST", `${await this.#element(css)}/click`).then(
        () => undefined,
        (error) => error,
      );
      // The driver presses where the element was when it looked; one that had moved by then was not pressed.
      if (!failed) return (await this.run(() => window.__pressed).catch(() => null)) !== false;
      if (!/not interactable|stale element/.test(failed.message)) return true;
      // WebKit cannot press what touches the edge of the part that scrolls.
      await this.run((selector) => document.querySelector(selector)?.scrollIntoView({ block: "center" }), css);
      return false;
    };
    await until(`${css} to stand still`, clicked);
    if (failed) throw failed;
  }

  /** Replaces what a field holds. */
  async fill(css, text) {
    await this.run(
      (selector, value) => {
        const field = document.querySelector(selector);
        field.focus();
        field.select();
        document.execCommand("insertText", false, value);
      },
      css,
      text,
    );
  }

  /** Presses a key or a chord such as `Control+k`. */
  async press(chord) {
    const parts = chord.split("+");
    const values = parts.map((part) => MODIFIERS[part] ?? KEYS[part] ?? part);
    const down = values.map((value) => ({ type: "keyDown", value }));
    const up = values.map((value) => ({ type: "keyUp", value })).reverse();
    await this.#ask("POST", `${this.#session}/actions`, { actions: [{ type: "key", id: "keyboard", actions: [...down, ...up] }] });
  }

  /** Gives the window another size, in pixels. */
  async resize(width, height) {
    await this.#ask("POST", `${this.#session}/window/rect`, { width, height });
  }

  /** Picture of the window at this moment, as PNG. Unlike `picture` it comes whatever state page and driver are in. */
  seen() {
    return photograph(this.#screen);
  }

  /**
   * A picture of the page as PNG. Where the web view draws without layers (`src-tauri/src/window.rs`) the driver never gives
   * one; WEBKIT_FORCE_COMPOSITING_MODE brings them back.
   */
  async picture() {
    await this.#ask("POST", `${this.#session}/execute/async`, {
      script: "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(null)))",
      args: [],
    });
    return Buffer.from(await this.#ask("GET", `${this.#session}/screenshot`), "base64");
  }

  /** Complaints of the page and the program, apart from what the page itself collects. */
  problems() {
    return [];
  }

  /** Asks the app itself to end, as the end of a desktop session does, and waits until it has. */
  async quit() {
    process.kill(this.app(), "SIGTERM");
    await this.ended();
  }

  /** The app's process; nothing when it has ended. */
  app() {
    const { pid } = this.#driver;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return children.map(Number).find((child) => !readFileSync(`/proc/${child}/stat`, "utf8").includes(") Z "));
  }

  /** Waits until the app has ended. */
  async ended() {
    await until("the app to end", () => this.app() === undefined);
  }

  /** Closes the window. */
  async close() {
    if (this.#driver.exitCode !== null || this.#driver.signalCode !== null) return;
    const app = this.app();
    // The session may be gone already, when the app ended by itself.
    if (this.#session) await this.#ask("DELETE", this.#session).catch(() => undefined);
    // An app that stays when its window is closed would outlive its driver.
    if (app !== undefined && this.app() === app) process.kill(app, "SIGTERM");
    await this.ended();
    await stop(this.#driver);
  }
}
