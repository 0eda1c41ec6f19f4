/**
 * Draws docs/images anew: every screen of the real window, light and dark, over invented memories.
 *
 *   node tests/e2e/screenshots.mjs [DIRECTORY]
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { App } from "./harness/app.mjs";
import { CHANGED_CONVENTIONS, SECRET } from "./harness/memories.mjs";
import { desktop, TREE } from "./harness/programs.mjs";
import { firstRun, machineWithMemories } from "./harness/session.mjs";
import { startScreen, WindowDriver } from "./harness/window.mjs";

const OUT = resolve(process.argv[2] ?? join(TREE, "docs/images"));
/** Part of every path on the pictures, so the same each time and short. */
const ROOT = "/tmp/demo";

assert.ok(!existsSync(ROOT), `${ROOT} exists already; the pictures are drawn there`);
mkdirSync(OUT, { recursive: true });
const screen = await startScreen();
try {
  for (const theme of ["light", "dark"]) await drawAll(theme);
} finally {
  await screen.stop();
}

async function drawAll(theme) {
  const machine = machineWithMemories(ROOT);
  try {
    const driver = await WindowDriver.open(desktop(), machine, screen);
    try {
      await drawScreens(new App(driver), machine, theme);
    } finally {
      await driver.close();
    }
  } finally {
    await machine.remove();
  }
}

async function drawScreens(app, machine, theme) {
  const draw = async (name) => {
    // No picture shows a message that is about to go, or a button under a pointer.
    await app.gone("[role=status] .spinner");
    writeFileSync(join(OUT, `${name}-${theme}.png`), await app.driver.picture());
  };
  const change = (path, text) => machine.write(join(machine.webshop, path), text);

  await app.driver.run((chosen) => {
    localStorage.setItem("retrace.theme", chosen);
    location.reload();
  }, theme);
  await app.see(`html[data-theme="${theme}"] [data-testid="found-row"]`, "webshop");
  await draw("first-run");
  await firstRun(app);

  await app.choose("store-select", "webshop");
  await app.click("memory-row", "checkout-conventions.md");
  await app.see("document-line", "smallest unit");
  for (const [path, text] of changes()) {
    change(path, text);
    await app.see("status-line", `${(versions += 1)} versions`);
  }
}
