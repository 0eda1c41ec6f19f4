/**
 * Every screen and every tab of it, in both themes (`harness/axe.mjs`): axe finds nothing serious, and nothing critical. What is looked at
 * comes from the navigation itself, so that a new screen is looked at as well. What opens over them is in `dialogs.mjs`.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { Checks } from "../harness/axe.mjs";
import { firstRun } from "../harness/session.mjs";
import { RUN_TITLE, writeRun } from "../harness/transcripts.mjs";
import { brokenRule, confirmRule } from "./rules.mjs";

/** Test ids of what the navigation leads to. */
const screens = (app) => app.driver.run(() => Array.from(document.querySelectorAll('[data-testid^="nav-"]'), (link) => link.dataset.testid));

/** Looks at the tabs and views of the screen that is open, one after the other. */
async function everyTab(app, where, checks) {
  const choices = () =>
    app.driver.run(() =>
      Array.from(document.querySelectorAll('main [role="tab"], main [data-testid^="view-"], main [data-testid^="tab-"]'), (one) => one.dataset.testid ?? one.id).filter(Boolean),
    );
  // The theme is the driver's: choosing one here would take the other off all that follows.
  const themes = ["view-light", "view-dark"];
  for (const choice of [...new Set(await choices())]) {
    if (themes.includes(choice)) continue;
    // Another choice may have taken this one off.
    const css = `[data-testid="${choice}"], [id="${choice}"]`;
    if (!(await app.count(css))) continue;
    await app.click(css);
    await app.settled();
    await checks.at(`${where}, ${choice}`);
  }
}

async function looksEverywhere({ app, machine }) {
  const checks = new Checks(app);
  writeRun(machine, dirname(machine.webshop));
  const rule = brokenRule(machine);
  await app.see("first-run");
  await app.see("found-row");
  await checks.at("first run");
  await firstRun(app);
  // Something to review, with something wrong in it.
  machine.write(join(machine.infra, "later.md"), "# Later\n\nSee [[nothing]] and [a file](gone.md).\u200b\n");
  await app.see("memory-row", "later");
  const all = await screens(app);
  assert.ok(all.length >= 6, `the navigation leads somewhere: ${all}`);
  for (const screen of all) {
    await app.click(screen);
    // Until the address is taken up, the screen before stands there, and nothing on it waits.
    await app.see(`[data-testid="${screen}"][aria-current="page"]`);
    await app.settled();
    await checks.at(screen);
    await everyTab(app, screen, checks);
  }
  await app.click("nav-memories");
  await app.click("memory-row", "later");
  await app.see("memory-title", "later");
  await app.settled();
  await checks.at("a memory");
  await everyTab(app, "a memory", checks);
  await app.click("tab-content");
  await app.click("use-toggle");
  await app.see("memory-worth");
  await checks.at("the use of a memory");
  await confirmRule(app);
  await app.click('[data-testid="ledger-row"] a');
  await app.see("rule-case");
  await app.settled();
  await checks.at("a rule with its evidence");
  await app.driver.run((next) => (location.hash = next), `#/session?session=${rule.session}`);
  await app.see("session-prompt");
  await app.settled();
  await checks.at("a session");
  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.see("recommended-what");
  await app.settled();
  await checks.at("a run's answer");
  await app.click("view-table");
  await app.see("request-table");
  await checks.at("the table of a run's answer");
  await app.click("open-turn");
  await app.see("turn-message");
  await app.settled();
  await checks.at("what the model saw");
  await app.press("Escape");
  await app.gone("turn-sheet");
  await app.click("view-settings");
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
  await checks.at("the lab");
  await app.click("nav-stores");
  await app.click("view-compare");
  await app.choose("compare-from", "webshop");
  await app.choose("compare-to", "infra");
  await app.see("compare-row");
  await app.settled();
  await checks.at("two stores");
  checks.areClean();
}

/** Walks of this file. They need a driver whose theme can be chosen. */
export const accessibility = [{ name: "axe finds nothing serious on any screen", steps: looksEverywhere }];
