/**
 * Every dialog and every menu, opened as a person opens it: axe finds nothing serious in it, and nothing critical. Which
 * there are is read from the source of the window; one that this walk did not open fails it.
 */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { acts, dialogs, menus } from "../harness/dialogs.mjs";
import { Checks } from "../harness/axe.mjs";
import { Misplaced } from "../harness/layout.mjs";
import { CHANGED_CONVENTIONS, SECRET, WEBSHOP } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { commit } from "../harness/repository.mjs";
import { RUN_TITLE, writeRun } from "../harness/transcripts.mjs";
import { until } from "../harness/wait.mjs";
import { brokenRule, confirmRule } from "./rules.mjs";

/** An index whose end no session loads. */
const LONG_INDEX = `# Infrastructure\n\n- [Deploys](deploys.md) — when and how\n${"- one fact more\n".repeat(203)}`;
const PROPOSED = "logs/2020/01/2020-01-05.md";

/** Beginning of the title of the dialog that shows the preview of a command. */
const ACTS = {
  accept_memories: "Accept:",
  allow_finding: "Allow:",
  expire: "Remove:",
  move_entry: "Move:",
  restore: "Restore:",
  rollback: "Roll back:",
  strip_characters: "Remove:",
  undo: "Undo:",
};

/** The smallest windows; the last is the usual one at 200 %. */
const SMALL = [
  [800, 600],
  [680, 430],
];
const USUAL = [1360, 860];

/** What axe finds, and what does not hold in a small window. */
class Looks {
  constructor(app) {
    this.axe = new Checks(app);
    this.misplaced = new Misplaced(app);
    this.app = app;
  }

  /** Looks at the page as it is; `where` names it in what is noted. */
  async at(where) {
    await this.axe.at(where);
    for (const [width, height] of SMALL) {
      await this.app.driver.resize(width, height);
      await this.misplaced.at(`${where} at ${width}`);
    }
    await this.app.driver.resize(...USUAL);
  }

  /** Looks at a menu that is open, and opens it anew in each small window: one that stays open has lost its button there. */
  async menu(where, opener) {
    await this.axe.at(where);
    for (const [width, height] of SMALL) {
      await this.app.press("Escape");
      await this.app.gone('[role="menu"]');
      await this.app.driver.resize(width, height);
      await this.app.click(opener);
      await this.app.see('[role="menu"]');
      await this.misplaced.at(`${where} at ${width}`);
    }
    await this.app.press("Escape");
    await this.app.gone('[role="menu"]');
    await this.app.driver.resize(...USUAL);
    await this.app.click(opener);
    await this.app.see('[role="menu"]');
  }

  /** Fails when anything was noted. */
  areClean() {
    this.axe.areClean();
    this.misplaced.isEmpty();
  }
}

/** Runs in the page: keeps what outside of every dialog and menu had the focus last. */
function rememberFocus() {
  const over = '[role="dialog"], [role="alertdialog"], [role="menu"], .toasts';
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && !target.closest(over)) window.__focused = target;
  });
}

/** Runs in the page: true if the focus is there again, or where that was drawn anew. */
function isBack() {
  const [now, before] = [document.activeElement, window.__focused];
  if (!before || before === now) return true;
  if (before.isConnected && !before.disabled && before.checkVisibility()) return false;
  return now !== null && now !== document.body;
}

/** Runs in the page: true if a dialog says how it is closed by key, and its button what it is pressed with. */
function saysItsKeys(id) {
  const dialog = document.querySelector(`[data-testid="${id}"]`)?.closest('[role="dialog"], [role="alertdialog"]');
  if (!dialog) return false;
  const said = Array.from(dialog.querySelectorAll("kbd"), (key) => key.textContent);
  const focused = document.activeElement;
  const confirms = focused?.matches('[data-testid$="-confirm"]') && dialog.contains(focused);
  return said.some((key) => /^esc/i.test(key)) && (!confirms || focused.querySelector("kbd") !== null);
}

/** Opens things one after the other, and looks at each. */
class Opener {
  opened = new Set();
  previewed = new Set();
  /** Dialogs that do not say their keys. */
  silent = [];

  constructor(app) {
    this.app = app;
    this.checks = new Looks(app);
  }

  /** A dialog that is open: looks at it, and leaves it open. */
  async check(id, where = id) {
    await this.app.see(id);
    await this.app.settled();
    if (!(await this.app.driver.run(saysItsKeys, id))) this.silent.push(where);
    await this.checks.at(where);
    this.opened.add(id);
  }

  async close(id) {
    await this.app.press("Escape");
    await this.app.gone(id);
    await this.#returned(id);
  }

  /** The focus comes back to where it was before the dialog. */
  async #returned(id) {
    await until(
      `the focus to return after ${id}`,
      () => this.app.driver.run(isBack),
      () => this.app.driver.run(() => `${document.activeElement?.outerHTML.slice(0, 200)} instead of ${window.__focused?.outerHTML.slice(0, 200)}`),
    );
  }

  /** Clicks on something that opens a dialog, looks, and closes it. */
  async through(opener, id, text = "") {
    await this.app.click(opener, text);
    await this.check(id);
    await this.close(id);
  }

  /** The preview of a command that is open: looks at it, and closes it. */
  async act(command) {
    await this.app.see("act-dialog", ACTS[command]);
    await this.check("act-dialog", `the preview of ${command}`);
    this.previewed.add(command);
    await this.close("act-dialog");
  }

  /** Opens a menu, looks at it, and leaves it open. */
  async menu(id, opener = id) {
    await this.app.click(opener);
    await this.app.see('[role="menu"]');
    await this.checks.menu(id, opener);
    this.opened.add(id);
  }
}

/** The dialogs of the memories, the timeline and health: acts, and what leads to them. */
async function ofMemories(one, machine) {
  const { app } = one;
  const name = "checkout-conventions.md";
  await app.choose("store-select", "infra");
  await app.click("memory-row", "MEMORY.md");
  await app.click("cut-chip");
  await app.see("index-actions", "Line 201");
  await app.press("m");
  await one.check("topic-picker");
  await app.fill("topic-name", "older facts");
  await app.see("topic-new", "older-facts.md");
  await app.press("Enter");
  await one.act("move_entry");
  await one.through("as-table", "mark-table");

  await app.choose("store-select", "webshop");
  await app.click("memory-row", "MEMORY.md");
  await app.see("memory-title", "MEMORY.md");
  await app.click("use-toggle");
  await app.see("memory-worth");
  await one.checks.at("the use of a memory");
  await one.through("open-loads", "loads-sheet");
  await app.click("use-toggle");
  await app.click("memory-row", name);
  await app.see("memory-title", name);
  machine.write(join(machine.webshop, name), CHANGED_CONVENTIONS);
  await app.see("version-row", "v2");
  await app.click("version-row", "v1");
  await app.click("rollback-button");
  await one.act("rollback");
  await app.driver.run(() => document.querySelector('[data-testid="time-axis"]').focus());
  await app.press("Home");
  await app.click("restore-button");
  await one.act("restore");
  await app.press("End");

  // A file that moved on while the preview was open is a conflict.
  await app.click("version-row", "v1");
  await app.click("rollback-button");
  await app.see("act-file", name);
  machine.write(join(machine.webshop, name), `${CHANGED_CONVENTIONS}\n- Written while somebody looked.\n`);
  await app.click("act-confirm");
  await app.see("conflict", "Written while somebody looked");
  await one.check("act-dialog", "a conflict");
  await one.close("act-dialog");
  await app.see("version-row", "v3");
  await app.click("version-row", "v1");
  await app.click("rollback-button");
  await app.click("act-confirm");
  await app.see("toast-action", "Undo");
  await app.settled();
  await one.checks.at("what an act says when it is done");

  await app.click("nav-timeline");
  await app.click("timeline-row", "rolled back");
  await app.click("undo-operation");
  await one.act("undo");

  await app.click("nav-health");
  await app.click("finding-row", "limits/index-cut");
  await app.click("finding-allow");
  await one.act("allow_finding");
  await one.menu("finding-more");
  await app.click("finding-off");
  await one.check("rule-off-dialog");
  await one.close("rule-off-dialog");
  await app.click("finding-row", "hidden/bidi");
  await app.click("finding-strip_character");
  await one.act("strip_characters");
  await app.click("view-expiry");
  await app.see("expiry-row", PROPOSED);
  await app.click('[data-testid="expiry-row"] .checkbox');
  await app.click("expire");
  await one.act("expire");
}

/** The inbox: what stands in its pane instead of the change, and what is said after each act. */
async function ofTheInbox(one, machine) {
  const { app } = one;
  const file = (name) => join(machine.webshop, name);
  machine.write(file("testing.md"), `${WEBSHOP["testing.md"]}- Snapshots are written by hand.\n`);
  machine.write(file("secrets.md"), `key ${SECRET}\n`);
  machine.write(file("search.md"), "# Search\n\n- Titles weigh three times as much as texts.\n");
  await app.click("nav-inbox");
  for (const name of ["secrets.md", "search.md"]) await app.see("inbox-row", name);
  await app.click("inbox-row", "testing.md");
  await app.see("item-title", "testing.md");
  await one.menu("more-for-item");
  await app.press("Escape");
  await app.gone('[role="menu"]');
  await app.click('[data-testid="inbox-row"][aria-selected="true"] [data-testid="row-menu"]');
  await app.see('[role="menu"]', "Reviewed up to here");
  await one.checks.at("the menu of a row");
  await app.press("Escape");
  await app.gone('[role="menu"]');
  await app.click("item-why");
  await app.settled();
  await one.checks.at("an item with who wrote it");
  await app.click("edit");
  await app.see("editor");
  await app.settled();
  await one.checks.at("the editor of an item");
  await app.click("edit-close");
  machine.write(file("testing.md"), "# Testing\n\n- All of it is flaky.\n");
  await app.see("stale", "changed after you opened it");
  await app.settled();
  await one.checks.at("an item that changed again");
  await app.press("k", "k", "k", "Shift+J", "Shift+J");
  await app.see("range");
  await one.checks.at("a range of changes");
  await app.click("approve-group");
  await app.see("approve-errors", "secrets.md");
  await one.check("approve-sheet");
  await app.click("approve-cancel");
  await app.click("inbox-row", "testing.md");
  await app.see("item-title", "testing.md");
  machine.write(file("testing.md"), "# Testing\n\n- None of it is flaky.\n");
  await app.see("stale", "changed after you opened it");
  await app.press("Shift+A");
  await app.see("skipped", "testing.md");
  await one.checks.at("what was left out of many");
  await app.click("inbox-row", "testing.md");
  await app.press("n");
  await app.click("reject");
  await app.see("toast", "Rolled back: testing.md");
  await one.checks.at("what the inbox says after a rollback");
}

/** The redaction, from what is searched for to its receipt. */
async function ofTheRedaction(one) {
  const { app } = one;
  await app.click("nav-redactions");
  await app.fill("redact-secret", SECRET);
  await app.click("redact-find");
  await app.see("match");
  await app.settled();
  await one.checks.at("the preview of a redaction");
  await app.click("redact-places");
  await one.check("redact-dialog");
  await app.click("redact-confirm");
  await app.see("receipt-place");
  await app.settled();
  await one.checks.at("a receipt");
}

/** The stores of this machine. */
async function ofTheStores(one) {
  const { app } = one;
  const opener = '[data-testid="store-menu"][aria-label*="infra"]';
  const item = async (id) => {
    await app.click(opener);
    await app.click(id);
  };
  await app.click("nav-stores");
  await app.see("store-row", "infra");
  await one.menu("store-menu", opener);
  await one.through("store-rules", "rules");
  await item("store-earlier");
  await app.see('[data-testid="earlier-git"] [data-testid="earlier-found"]', "would be imported");
  await one.check("earlier-history");
  await one.close("earlier-history");
  await item("store-remove");
  await one.check("remove-dialog");
  await one.close("remove-dialog");
  await item("store-share");
  await one.check("served-sheet");
  await one.close("served-sheet");
  await item("store-unmount");
  await one.check("unmount-dialog");
  await app.click("unmount-confirm");
  await app.gone("unmount-dialog");
  await item("store-mount");
  await one.check("mount-store");
  await one.close("mount-store");
}

/** The hosted stores, their dreams, and two stores side by side. */
async function ofHostedStores(one, host) {
  const { app } = one;
  await app.click("view-hosted");
  await app.click("open-mounts");
  await app.click("mount-add");
  await one.check("mounts-sheet");
  await one.close("mounts-sheet");
  await app.click("add-hosted-store");
  await one.check("add-hosted");
  await app.fill("host-url", host.origin);
  await app.click("list-hosted");
  await one.check("hosted-choice");
  await app.click('[data-testid="hosted-found"] .checkbox');
  await app.click("mirror-chosen");
  await app.see("mirror-row", "mirrored");
  await one.menu("mirror-menu");
  await one.through("mirror-archive", "archive-hosted-dialog");
  await app.click("mirror-menu");
  await one.through("mirror-remove", "stop-mirroring-dialog");
  await app.click("view-dreams");
  await one.through("new-dream-button", "new-dream");
  await app.click("view-compare");
  await app.choose("compare-from", "webshop");
  await app.choose("compare-to", "desk");
  await app.see("compare-row");
  await app.click("accept-chosen");
  await one.act("accept_memories");
}

/** The context lab. */
async function ofTheLab(one) {
  const { app } = one;
  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.click("view-settings");
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
  await one.through("open-confirm", "confirm-sheet");
  await one.through("open-export", "export-sheet");
  await one.through("open-sweep", "sweep-sheet");
  await one.through("open-turn", "turn-sheet");
  await one.through("all-memory-prices", "memory-prices");
  await one.menu("variant-menu");
  await app.press("Escape");
  await app.gone('[role="menu"]');
}

/** The rules, and the guards made of them. */
async function ofTheRules(one) {
  const { app } = one;
  await confirmRule(app);
  await app.click("make-guard");
  await app.see("guard-test");
  await one.check("guard-sheet");
  await app.click('[data-testid="guard-confirm"]:not([disabled])');
  await app.see("rule-guard", "in place");
  await app.settled();
  await one.checks.at("a rule with a guard");
  await app.click("guard-take-off");
  await app.see('[data-testid="guard-line"]');
  await one.check("guard-off-sheet");
  await one.close("guard-off-sheet");
}

/** A store whose directory was replaced by another one. */
async function ofAMovedStore(one, machine) {
  const { app } = one;
  await app.click("nav-stores");
  await app.click("view-local");
  await app.see("store-row", "webshop");
  renameSync(machine.webshop, `${machine.webshop}-before`);
  machine.write(join(machine.webshop, "of-somebody-else.md"), "# Another directory\n");
  await app.click("scan-all");
  await app.see("store-row", "another directory");
  await app.click('[data-testid="store-menu"][aria-label*="webshop"]');
  await app.click("store-relocate");
  await one.check("relocate-dialog");
  await one.close("relocate-dialog");
}

async function opensEveryDialog({ app, machine, host }) {
  const one = new Opener(app);
  await app.driver.run(rememberFocus);
  writeRun(machine, dirname(machine.webshop));
  machine.write(join(machine.infra, "MEMORY.md"), LONG_INDEX);
  machine.write(join(machine.infra, PROPOSED), "- Moved the cluster.\n");
  commit(machine, machine.infra, "As it was");
  machine.write(join(machine.infra, "deploys.md"), "# Deploys\n\n- Deploy whenever\u202e you like.\n");
  brokenRule(machine);
  await firstRun(app);
  await ofMemories(one, machine);
  await ofTheInbox(one, machine);
  await ofTheRedaction(one);
  await ofTheStores(one);
  await ofHostedStores(one, host);
  await ofTheLab(one);
  await ofTheRules(one);
  await ofAMovedStore(one, machine);
  await app.driver.run(() => document.activeElement?.blur());
  await app.press("?");
  await one.check("key-help");
  await one.close("key-help");
  await app.press("Control+k");
  await one.check("palette");
  await one.close("palette");

  one.checks.areClean();
  assert.deepEqual(one.silent, [], "every dialog says its keys");
  assert.deepEqual([...one.opened].sort(), [...dialogs(), ...menus()].sort(), "every dialog and menu there is was opened");
  assert.deepEqual([...one.previewed].sort(), acts(), "the preview of every act was opened");
}

/** The walk of this file. It needs a host, and a driver whose theme can be chosen. */
export const everyDialog = { name: "axe finds nothing serious in any dialog, and each holds in a small window", steps: opensEveryDialog };
