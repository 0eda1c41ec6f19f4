/**
 * The screen of the hub over a real one: this machine joins in the window, another one in its terminal. What it changed is
 * commented, proposed back and approved by keys; its redaction is approved as the second person, and outstanding until it syncs.
 * It is given another role and gets its own back.
 * Every view is looked at by axe in both themes, and in every size and language.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Checks } from "../harness/axe.mjs";
import { done } from "../harness/hub.mjs";
import { Misplaced } from "../harness/layout.mjs";
import { SECRET } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";
import { LANGUAGES, SIZES, speak } from "./layout.mjs";

/** What each view shows once it is there. */
export const VIEWS = [
  ["inbox", "hub-item"],
  ["proposals", "proposal"],
  ["redactions", "hub-redaction"],
  ["sessions", "hub-share"],
  ["machines", "hub-machine"],
  ["audit", "audit-row"],
];
/** Widths; the window at 200 % is left to `layout.mjs`. */
export const WIDTHS = SIZES.filter(([width]) => width >= 800);
const BERTHS = "# Berths\n\n- Ferries take berth 1 to 4.\n- Pilots wait at berth 9.\n";
const OLD_CODE = "# Gate\n\n- The code of the gate is harbour-gate-1974.\n";

/** Joins in the window, and syncs. */
async function joins(app, hub) {
  await app.click("nav-hub");
  await app.fill("hub-url", hub.url);
  await app.fill("hub-token", hub.token);
  await app.click("hub-join-confirm");
  await app.click("hub-sync");
  await app.see("toast", "Synced");
  await app.click("view-machines");
  await app.click("view-reviewer");
  await app.click("hub-make-token");
  return (await app.see('[data-testid="hub-made-token"] code')).trim();
}

/** The other machine changes memories, one of them so that a person is needed, and redacts one. */
export async function theOtherWorks(machine, hub, token) {
  await done(machine, "hub", "policy", "set", "two_person_redaction", "true");
  const other = await hub.join(token, "laptop-of-the-harbour-master", { "berths.md": BERTHS, "gate.md": OLD_CODE, "tides.md": "# Tides\n\n- Metres.\n" });
  other.machine.write(join(other.directory, "berths.md"), BERTHS.replace("berth 9", "berth 7"));
  other.machine.write(join(other.directory, "a-rather-long-name-of-a-memory-about-keys-of-the-office.md"), `# Keys\n\n- The key is ${SECRET} until the launch.\n`);
  other.machine.write(join(other.directory, "tides.md"), "# Tides\n\n- Feet.\n");
  await other.run("record", "--once");
  await other.run("sync");
  // This machine has the same text, so that the redaction reaches it.
  machine.write(join(machine.infra, "gate.md"), OLD_CODE);
  await done(machine, "record", "--once");
  await done(machine, "sync");
  await other.run("redact", "--find", "harbour-gate-1974", "--live", "--reason", "the code of the gate");
  await other.run("sync");
  return other;
}

/** Reviews by keys alone. */
export async function reviews(app) {
  await app.click("view-inbox");
  await app.tabTo('[role="listbox"]');
  await app.press("Home");
  await until("the change of the berths", async () => {
    if ((await app.texts("hub-pane")).some((text) => text.includes("berths.md"))) return true;
    await app.press("j");
    return false;
  });
  await app.see('[data-testid="hub-pane"] [data-tag="insert"]', "berth 7");
  await app.see("hub-propose-rollback");
  await app.press("c");
  assert.ok(await app.holdsFocus("hub-comment-text"));
  await app.driver.fill('[data-testid="hub-comment-text"]', "Who said so?");
  await app.press("Enter");
  await app.see("hub-comment", "Who said so?");
  await app.tabTo("hub-propose-rollback");
  await app.press("x");
  await app.see("toast", "carries it out or refuses it");
  await app.press("?");
  await app.see("key-help", "Propose rolling back");
  await app.press("Escape");
  await app.gone("key-help");
  await until("the focus to return after the list of keys", () => app.holdsFocus("hub-propose-rollback"));
  // The secret is named beside the content, and then on its row.
  await app.click("hub-item", "about-keys");
  await app.see("hub-finding", "key");
  await app.see('[data-testid="hub-item"][aria-selected="true"] .chip');
  const before = Number.parseInt(await app.see("hub-total"), 10);
  await app.click("hub-item", "tides.md");
  await app.see("hub-pane", "tides.md");
  await app.press("a");
  await app.see("hub-total", String(before - 1));
  await app.see("view-inbox", String(before - 1));
}

/** Approves as the second person; the other machines are outstanding then. */
export async function secondPerson(app) {
  await app.click("view-redactions");
  await app.see("hub-redaction", "the code of the gate");
  await app.click("approve-redaction");
  await app.gone("approve-redaction");
  await app.see('[data-testid="reach"][data-state="outstanding"]');
}

/** Gives the other machine another role and takes that back; the dialog is looked at in both themes and small windows. */
async function changesARole(app) {
  const checks = new Checks(app);
  const found = new Misplaced(app);
  const other = '[data-testid="hub-machine"]:has([aria-label*="harbour-master"])';
  await app.click("view-machines");
  await app.click(`${other} [data-testid="hub-role-change"]`);
  await app.click('[data-testid="hub-role-sheet"] [data-testid="view-auditor"]');
  await app.see("hub-role-means", "redactions of others stay outstanding there");
  await checks.at("hub, another role");
  for (const [width, height] of WIDTHS) {
    await app.driver.resize(width, height);
    await found.at(`hub, another role at ${width}`);
  }
  await app.driver.resize(1360, 860);
  checks.areClean();
  found.isEmpty();
  await app.click("hub-role-confirm");
  await app.gone("hub-role-sheet");
  await app.see(`${other} td`, "auditor");
  await app.click("toast-action");
  await app.see(`${other} td`, "reviewer");
  // The last owner stays one, and the window says why.
  await app.click('[data-testid="hub-machine"]:has(.chip-accent) [data-testid="hub-role-change"]');
  await app.click('[data-testid="hub-role-sheet"] [data-testid="view-writer"]');
  await app.see("hub-role-own");
  await app.click("hub-role-confirm");
  await app.see('[data-testid="hub-role-sheet"] [data-testid="failure"]', "owner");
  await app.press("Escape");
  await app.gone("hub-role-sheet");
}

/** Looks at every view in both themes, then in every language and size. `say` chooses the language. */
export async function looksEverywhere(app, views = VIEWS, say = speak) {
  const checks = new Checks(app);
  const found = new Misplaced(app);
  const go = async (view, ready) => {
    await app.driver.run((next) => (location.hash = next), `#/hub?view=${view}`);
    await app.see(ready);
    await app.settled();
  };
  for (const [view, ready] of views) {
    await go(view, ready);
    await checks.at(`hub, ${view}`);
  }
  for (const language of LANGUAGES) {
    await app.driver.resize(1360, 860);
    await say(app, language);
    for (const [view, ready] of views) {
      await go(view, ready);
      for (const [width, height] of WIDTHS) {
        await app.driver.resize(width, height);
        await found.at(`hub, ${view} in ${language} at ${width}`);
      }
    }
  }
  await say(app, "en");
  checks.areClean();
  found.isEmpty();
}

/** The hub's database was put back: said above every view, in each size and language, until an owner acknowledges it. */
async function isToldOfARestore(app, hub) {
  hub.postgres.sql(`INSERT INTO restored (org, found_at, kept_until, lost_until, tokens)
    SELECT DISTINCT org, ${Date.now()} * 1000, ${Date.now() - 7_200_000} * 1000, ${Date.now() - 60_000} * 1000, 2 FROM machines`);
  await app.press("g", "u");
  await app.click("hub-sync");
  await app.see("hub-restored", "2 one-time tokens were ended.");
  await looksEverywhere(app, [["machines", "hub-restored"]]);
  await app.press("g", "u");
  await app.click("hub-acknowledge");
  await app.gone("hub-restored");
}

async function overARealHub({ app, machine, hub, seen = async () => {} }) {
  await firstRun(app);
  const token = await joins(app, hub);
  await theOtherWorks(machine, hub, token);
  await app.press("g", "u");
  await reviews(app);
  await secondPerson(app);
  await changesARole(app);
  await looksEverywhere(app);
  await isToldOfARestore(app, hub);
  await seen(app);
  // Without the hub, what was shown stays, and a view that asks says so.
  await hub.goAway();
  await app.driver.run((next) => (location.hash = next), "#/hub?view=machines");
  await app.see("hub-machine");
  await app.click("hub-sync");
  await app.see("toast", "The hub cannot be reached");
}

/** The walk of this file. It needs a driver whose size and theme can be chosen, and a hub. */
export const hub = { name: "joins a hub, reviews together, and holds its layout there", steps: overARealHub };
