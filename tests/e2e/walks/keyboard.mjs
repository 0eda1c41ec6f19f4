/**
 * Without a pointer: every dialog that a person can come to by keys alone is opened with them, closed with Escape, and the
 * focus is then on what opened it. Tab never leaves a dialog that is open.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { CHANGED_CONVENTIONS } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { RUN_TITLE, writeRun } from "../harness/transcripts.mjs";
import { until } from "../harness/wait.mjs";
import { brokenRule } from "./rules.mjs";

/** More than any dialog has parts that Tab comes to. */
const ONCE_ROUND = 12;

/** Runs in the page: `dialog`, `message` for what lies over every dialog, or `page`. */
function placeOfFocus(id) {
  const dialog = document.querySelector(`[data-testid="${id}"]`)?.closest('[role="dialog"], [role="alertdialog"]');
  if (dialog?.contains(document.activeElement)) return "dialog";
  return document.activeElement?.closest(".toasts") ? "message" : "page";
}

/** Tab goes round within the dialog, and through the messages that lie over it. */
async function holdsTheFocus(app, id) {
  const place = () => app.driver.run(placeOfFocus, id);
  for (let step = 0; step < ONCE_ROUND; step += 1) {
    await app.press("Tab");
    await until(`the focus to stay in ${id}`, async () => (await place()) !== "page");
  }
  await until(`the focus to come back into ${id}`, async () => {
    if ((await place()) === "dialog") return true;
    await app.press("Tab");
    return (await place()) === "dialog";
  });
}

/** Opens a dialog with Enter on what is reached with Tab, and closes it. */
async function throughEnter(app, opener, id) {
  await app.tabTo(opener);
  await app.press("Enter");
  await app.see(id);
  await app.settled();
  await holdsTheFocus(app, id);
  await app.press("Escape");
  await app.gone(id);
  await until(`the focus to return to ${opener} after ${id}`, () => app.holdsFocus(opener));
}

/** Opens a dialog with a key while something has the focus, and closes it. */
async function throughKey(app, from, key, id) {
  await app.tabTo(from);
  await app.press(key);
  await app.see(id);
  await app.settled();
  await holdsTheFocus(app, id);
  await app.press("Escape");
  await app.gone(id);
  await until(`the focus to return to ${from} after ${id}`, () => app.holdsFocus(from));
}

/** An item of a menu, by the arrow keys; the dialog it opens gives the focus back to the menu's button. */
async function throughMenu(app, opener, item, id) {
  await app.tabTo(opener);
  await app.press("Enter");
  await app.see('[role="menu"]');
  await until(`${item} in the menu`, async () => {
    if (await app.holdsFocus(item)) return true;
    await app.press("ArrowDown");
    return app.holdsFocus(item);
  });
  await app.press("Enter");
  await app.see(id);
  await app.press("Escape");
  await app.gone(id);
  await until(`the focus to return to ${opener} after ${id}`, () => app.holdsFocus(opener));
}

/** Goes to a screen through the navigation. */
async function goTo(app, link, ready) {
  await app.tabTo(link);
  await app.press("Enter");
  await app.see(ready);
  await app.settled();
}

async function byKeysAlone({ app, machine }) {
  brokenRule(machine);
  writeRun(machine, dirname(machine.webshop));
  await firstRun(app);

  await throughKey(app, "nav-memories", "?", "key-help");
  await throughKey(app, "nav-memories", "Control+k", "palette");

  machine.write(join(machine.webshop, "checkout-conventions.md"), CHANGED_CONVENTIONS);
  await app.choose("store-select", "webshop");
  await app.see("memory-row", "checkout-conventions");
  await app.driver.run(() => document.querySelector('[role="tree"]').focus());
  // No more letters than it takes: on a loaded machine each may come too late to belong to those before it.
  await app.press("c", "h");
  await app.see("memory-title", "checkout-conventions.md");
  await app.see("version-row", "v2");
  await throughEnter(app, "rollback-button", "act-dialog");
  await throughEnter(app, "as-table", "mark-table");
  await app.driver.run(() => document.querySelector('[role="tree"]').focus());
  await app.press("Home");
  await app.see("memory-title", "MEMORY.md");
  await app.tabTo("use-toggle");
  await app.press("Enter");
  await throughEnter(app, "open-loads", "loads-sheet");

  await goTo(app, "nav-rules", "rule-proposal");
  await app.tabTo("rule-confirm");
  await app.press("Enter");
  await app.see("make-guard");
  await throughEnter(app, "make-guard", "guard-sheet");
  await app.press("Enter");
  await app.see('[data-testid="guard-confirm"]:not([disabled])');
  await app.tabTo("guard-confirm");
  await app.press("Enter");
  await app.gone("guard-sheet");
  await throughEnter(app, "guard-take-off", "guard-off-sheet");

  await goTo(app, "nav-stores", "store-row");
  await throughMenu(app, "store-menu", "store-rules", "rules");
  await throughMenu(app, "store-menu", "store-remove", "remove-dialog");

  await goTo(app, "nav-context", "transcript-row");
  await app.see("transcript-row", RUN_TITLE);
  await app.tabTo(".picker");
  await app.press("Home");
  await app.see("recommended-what");
  await throughEnter(app, "open-turn", "turn-sheet");
  assert.ok(await app.count("lane"));
  await throughEnter(app, "all-memory-prices", "memory-prices");
  await app.tabTo("view-answer");
  await app.press("ArrowRight", "Enter");
  await app.see("open-confirm");
  for (const [opener, id] of [["open-confirm", "confirm-sheet"], ["open-export", "export-sheet"], ["open-sweep", "sweep-sheet"]]) await throughEnter(app, opener, id);
}

/** Walks of this file. */
export const keyboard = [{ name: "the focus returns after every dialog that keys open", steps: byKeysAlone }];
