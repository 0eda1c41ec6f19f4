/** Looking back and going back: differences, rollback, undo, the time machine. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CHANGED_CONVENTIONS, WEBSHOP } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const NAME = "checkout-conventions.md";
const ORIGINAL = WEBSHOP[NAME];

/** Opens the conventions after they changed once, with both versions in the log. */
export async function openChangedConventions({ app, machine }) {
  await firstRun(app);
  await app.choose("store-select", "webshop");
  await app.click("memory-row", NAME);
  await app.see("memory-title", NAME);
  machine.write(join(machine.webshop, NAME), CHANGED_CONVENTIONS);
  await app.see("version-row", "v2");
}

/** Waits until a file holds `text`. */
const holds = (path, text) => until(`${path} to hold what was wanted`, () => readFileSync(path, "utf8") === text, () => readFileSync(path, "utf8"));

/** Waits until a directory has just these files, in any order. */
function isJust(directory, names) {
  const wanted = JSON.stringify([...names].sort());
  const there = () => JSON.stringify(readdirSync(directory).sort());
  return until(`${directory} to have just ${wanted}`, () => there() === wanted, there);
}

async function opensADifference({ app, machine }) {
  await openChangedConventions({ app, machine });
  await app.click("tab-diff");
  await app.see('[data-testid="diff-line"][data-tag="delete"]', "Retry failed payment calls");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Never retry failed payment calls");
  await app.see('[data-tag="insert"] mark', "useCheckout");
  await app.click("view-lines");
  await app.gone('[data-tag="insert"] mark');
  await app.click("view-rendered");
  await app.see("rendered", "Never retry failed payment calls");
  await app.click("view-words");
  await app.click("tab-history");
  await app.see("[role=tabpanel] table", "v2");
}

async function rollsBackAndUndoes({ app, machine }) {
  const file = join(machine.webshop, NAME);
  await openChangedConventions({ app, machine });
  await app.click("version-row", "v1");
  await app.click("rollback-button");
  await app.see("act-dialog", NAME);
  await app.see('[data-testid="act-dialog"] [data-tag="insert"]', "Retry failed payment calls");
  assert.equal(readFileSync(file, "utf8"), CHANGED_CONVENTIONS, "a preview writes nothing");
  await app.click("act-confirm");
  await holds(file, ORIGINAL);
  await app.see("version-row", "v3");
  await app.gone("act-dialog");
  await app.click("toast-action", "Undo");
  await holds(file, CHANGED_CONVENTIONS);
  await app.see("version-row", "v4");
  await isJust(machine.webshop, Object.keys(WEBSHOP));
}

async function rollsBackAnOperation({ app, machine }) {
  await openChangedConventions({ app, machine });
  await app.click("nav-timeline");
  await app.click("timeline-row", NAME);
  await app.click("rollback-operation");
  await app.see("act-dialog", NAME);
  await app.click("act-confirm");
  await holds(join(machine.webshop, NAME), ORIGINAL);
}

async function restoresAWholeDirectory({ app, machine }) {
  await openChangedConventions({ app, machine });
  rmSync(join(machine.webshop, "testing.md"));
  machine.write(join(machine.webshop, "search.md"), "# Search\n");
  await app.see("memory-row", "search.md");
  await app.gone("memory-row", "testing.md");

  // The first instant is the baseline.
  await app.driver.run(() => document.querySelector('[data-testid="time-axis"]').focus());
  await app.press("Home");
  await app.see("against-disk", "1 added");
  await app.see("memory-row", "testing.md");
  await app.gone("memory-row", "search.md");
  await app.click("restore-button");
  await app.see("act-file", NAME);
  await app.click("act-confirm");
  // The files are put back one after another, and what an exchange leaves over goes last.
  await isJust(machine.webshop, Object.keys(WEBSHOP));
  await holds(join(machine.webshop, NAME), ORIGINAL);
  await app.click("toast-action", "Undo");
  await holds(join(machine.webshop, NAME), CHANGED_CONVENTIONS);
  await until("the directory to be as before the restore", () => readdirSync(machine.webshop).includes("search.md"));
}

/** Walks of this file. */
export const history = [
  { name: "opens a difference in its three views", steps: opensADifference },
  { name: "rolls a memory back, and takes that back", steps: rollsBackAndUndoes },
  { name: "rolls an operation back from the timeline", steps: rollsBackAnOperation },
  { name: "restores a whole directory, and takes that back", steps: restoresAWholeDirectory },
];
