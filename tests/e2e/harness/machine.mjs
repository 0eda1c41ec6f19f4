/**
 * A machine of its own for each walk: a home directory with agent memory in it, and directories for what the app keeps.
 * Everything in it is invented.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { until } from "./wait.mjs";

/** Claude Code's name of the folder of a project: every sign that is no letter or digit becomes a hyphen. */
const slug = (path) => path.replace(/[^0-9A-Za-z]/g, "-");

/** A machine. */
export class Machine {
  /** @param {string} [root] where to build it; a new temporary directory when absent */
  constructor(root = mkdtempSync(join(tmpdir(), "retrace-"))) {
    this.root = root;
    this.home = join(root, "home");
    this.config = join(this.home, ".claude");
    this.data = join(root, "data");
    mkdirSync(this.config, { recursive: true });
  }

  /** Adds a project that Claude Code was used in. Gives its memory directory. */
  project(name) {
    const directory = join(this.home, "src", name);
    mkdirSync(directory, { recursive: true });
    const folder = join(this.config, "projects", slug(directory));
    const line = { type: "user", cwd: directory, sessionId: SESSION, timestamp: "2026-11-20T09:00:00.000Z", message: { role: "user", content: "go on" } };
    this.write(join(folder, `${SESSION}.jsonl`), `${JSON.stringify(line)}\n`);
    const memory = join(folder, "memory");
    mkdirSync(memory, { recursive: true });
    return memory;
  }

  /** Writes a file as agents do: at once and as a whole. */
  write(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** The environment of a program on this machine. */
  environment(more = {}) {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      USER: "robin",
      LANG: "C.UTF-8",
      TZ: "UTC",
      CLAUDE_CONFIG_DIR: this.config,
      RETRACE_DATA_DIR: this.data,
      XDG_DATA_HOME: join(this.root, "xdg/data"),
      XDG_CONFIG_HOME: join(this.root, "xdg/config"),
      XDG_CACHE_HOME: join(this.root, "xdg/cache"),
      XDG_RUNTIME_DIR: this.runtime(),
      ...more,
    };
  }

  runtime() {
    const directory = join(this.root, "run");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  /** Files that the app may have written and that hold `text`: its data directory and what its window keeps. */
  filesHolding(text) {
    const wanted = Buffer.from(text);
    const places = [this.data, join(this.root, "xdg"), join(this.root, "browser")];
    return places.flatMap(filesBelow).filter((path) => bytesOf(path).includes(wanted));
  }

  /** Removes it. Helpers of the web view may write for a moment after the window is gone. */
  async remove() {
    await until("the machine is removed", () => {
      rmSync(this.root, { recursive: true, force: true });
      return true;
    });
  }
}

/** The session that wrote the memories. */
export const SESSION = "5f2c9a1e-7c1d-4f0b-9d53-0c2f6f1f8ae1";

function filesBelow(directory) {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

function bytesOf(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    // Temporary files come and go.
    if (error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
