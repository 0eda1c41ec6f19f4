/** Where the programs under test are. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Top of the source tree. */
export const TREE = fileURLToPath(new URL("../../..", import.meta.url));
const TARGET = resolve(TREE, process.env.CARGO_TARGET_DIR ?? "target");

function built(name) {
  const path = join(TARGET, "debug", name);
  if (!existsSync(path)) throw new Error(`${path} is not there: cargo build --workspace`);
  return path;
}

/** The terminal program. */
export const retrace = () => process.env.RETRACE_BIN ?? built("retrace");
/** The desktop app. */
export const desktop = () => process.env.RETRACE_DESKTOP_BIN ?? built("retrace-desktop");

/** A browser of the Chromium family. */
export function chromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const places = (process.env.PATH ?? "").split(delimiter);
  const found = names.flatMap((name) => places.map((place) => join(place, name))).find((path) => existsSync(path));
  if (!found) throw new Error("No Chromium: scripts/install-packages test");
  return found;
}

/** Runs the terminal program on a machine with `--json`. Gives its exit status, and what it printed, an object a line. */
export function runRetrace(machine, ...args) {
  return new Promise((resolve, reject) => {
    const done = (error, output) => {
      if (error && typeof error.code !== "number") return reject(error);
      const lines = output.split("\n").filter(Boolean);
      resolve({ status: error?.code ?? 0, printed: lines.map((line) => JSON.parse(line)) });
    };
    execFile(retrace(), ["--json", ...args], { env: machine.environment() }, done);
  });
}
