/**
 * Starts a desktop app on a machine of its own and waits until it has drawn its first screen, then says so.
 *
 *   node tests/e2e/first-paint.mjs BINARY
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { App } from "./harness/app.mjs";
import { start, stop } from "./harness/process.mjs";
import { machineWithMemories } from "./harness/session.mjs";
import { until } from "./harness/wait.mjs";
import { photograph, startScreen, WindowDriver } from "./harness/window.mjs";

/** Colours on a screen with nothing but a background are a handful; text alone makes more by its smooth edges. */
const COLOURS_OF_TEXT = 32;

async function coloursOf(picture) {
  const child = start("identify", ["-format", "%k", "png:-"], { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (part) => (text += part));
  child.stdin.end(picture);
  const [code] = await once(child, "close");
  assert.equal(code, 0, "identify");
  return Number(text);
}

const [binary] = process.argv.slice(2);
assert.ok(binary, "usage: node tests/e2e/first-paint.mjs BINARY");
const machine = machineWithMemories();
const screen = await startScreen();
try {
  // As a person starts it: without a driver, seen on the screen itself.
  const child = start(binary, [], { env: machine.environment({ DISPLAY: screen.name, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1" }), stdio: "inherit" });
  try {
    await until("the window to draw something", async () => {
      assert.equal(child.exitCode, null, "the app ended");
      return (await coloursOf(await photograph(screen))) > COLOURS_OF_TEXT;
    });
  } finally {
    await stop(child);
  }
  assert.equal(child.exitCode, 0, "asked to end, the app ends cleanly");
  // And once more driven, to read what it drew.
  const driver = await WindowDriver.open(binary, machine, screen);
  try {
    const text = await new App(driver).see("first-run");
    console.log(`The window opened and drew: ${text.split("\n")[0]}`);
  } finally {
    await driver.close();
  }
} finally {
  await screen.stop();
  await machine.remove();
}
