/** Begin and end of every walk, whichever driver it runs on. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "./app.mjs";
import { Machine } from "./machine.mjs";
import { INFRA, WEBSHOP } from "./memories.mjs";
import { TREE } from "./programs.mjs";

const OUTPUT = join(TREE, "tests/e2e/output");

/** Result of steps that ended the app. */
export const ENDED = Symbol("ended");

/** A machine with two projects that have memory. */
export function machineWithMemories(root) {
  const machine = new Machine(root);
  const webshop = machine.project("webshop");
  const infra = machine.project("infra");
  for (const [name, text] of Object.entries(WEBSHOP)) machine.write(join(webshop, name), text);
  for (const [name, text] of Object.entries(INFRA)) machine.write(join(infra, name), text);
  return Object.assign(machine, { webshop, infra });
}

/** Records what was found and opens the memories, as on a first run. */
export async function firstRun(app) {
  await app.see("first-run");
  await app.see("found-row", "webshop");
  await app.click("record-found");
  // What is found is shown below the way on; nothing is recorded any more then.
  await app.see("opening");
  await app.gone('[data-testid="first-run"] p[role="status"]');
  await app.click("first-run-open");
  await app.see("memory-title");
}

/**
 * Runs a walk: `prepare` makes what is there before, `open` starts the app on a machine and gives a driver. Afterwards nothing may have been complained about;
 * steps that end the app look at that before, and give `ENDED`.
 * When something fails, a picture of what was on screen is kept in `tests/e2e/output`.
 */
export async function walk(name, open, steps, prepare = async () => {}) {
  const machine = machineWithMemories();
  try {
    await prepare(machine);
    const driver = await open(machine);
    const app = new App(driver);
    try {
      if ((await steps({ app, machine })) !== ENDED) assert.deepEqual(await app.complaints(), []);
    } catch (error) {
      await keepPicture(driver, name);
      throw error;
    } finally {
      await driver.close();
    }
  } finally {
    await machine.remove();
  }
}

/** Where the picture of a failed walk is kept. */
export const pictureOf = (driver, name) => join(OUTPUT, `${driver}-${name.replace(/\W+/g, "-")}.png`);

async function keepPicture(driver, name) {
  try {
    mkdirSync(OUTPUT, { recursive: true });
    const file = pictureOf(driver.name, name);
    writeFileSync(file, await driver.seen());
    console.error(`What was on screen: ${file}`);
  } catch (error) {
    console.error(`No picture of it: ${error.message}`);
  }
}
