/**
 * Every screen and every tab of it, and what opens over them, in both themes: axe finds nothing serious, and nothing
 * critical. What is looked at comes from the navigation itself, so that a new screen is looked at as well.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { accessible } from "../harness/axe.mjs";
import { firstRun } from "../harness/session.mjs";
import { RUN_TITLE, writeRun } from "../harness/transcripts.mjs";

/** Test ids of what the navigation leads to. */
const screens = (app) => app.driver.run(() => Array.from(document.querySelectorAll('[data-testid^="nav-"]'), (link) => link.dataset.testid));

/** Waits until what was asked for is there: no skeleton is left. */
const settled = (app) => app.gone('.skeleton, [data-testid="skeleton"], [aria-busy="true"]');

/** Looks at the tabs and views of the screen that is open, one after the other. */
async function everyTab(app, where, problems) {
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
    await settled(app);
    await noted(app, `${where}, ${choice}`, problems);
  }
}

/** Notes what axe finds, and goes on: one look at all is worth more than the first failure. */
async function noted(app, where, problems) {
  try {
    await accessible(app, where);
  } catch (error) {
    if (error.code !== "ERR_ASSERTION") throw error;
    problems.push(...error.actual.flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, why }) => `${where}: ${impact} ${id}\n    ${target}\n    ${html}\n    ${why}`)));
  }
}

/** Opens something over the screen by keys, looks, and closes it. */
async function over(app, keys, id, where, problems) {
  await app.press(...keys);
  await app.see(id);
  await settled(app);
  await noted(app, where, problems);
  await app.press("Escape");
  await app.gone(id);
}

async function looksEverywhere({ app, machine }) {
  const problems = [];
  writeRun(machine, dirname(machine.webshop));
  await app.see("first-run");
  await app.see("found-row");
  await noted(app, "first run", problems);
  await firstRun(app);
  // Something to review, with something wrong in it.
  machine.write(join(machine.infra, "later.md"), "# Later\n\nSee [[nothing]] and [a file](gone.md).\u200b\n");
  await app.see("memory-row", "later");
  const all = await screens(app);
  assert.ok(all.length >= 6, `the navigation leads somewhere: ${all}`);
  for (const screen of all) {
    await app.click(screen);
    await settled(app);
    await noted(app, screen, problems);
    await everyTab(app, screen, problems);
  }
  await app.click("nav-memories");
  await app.click("memory-row", "later");
  await app.see("memory-title", "later");
  await settled(app);
  await noted(app, "a memory", problems);
  await everyTab(app, "a memory", problems);
  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
  await noted(app, "the lab", problems);
  for (const [opener, sheet] of [
    ["open-confirm", "confirm-sheet"],
    ["open-export", "export-sheet"],
    ["open-sweep", "sweep-sheet"],
    ["open-turn", "turn-sheet"],
  ]) {
    await app.click(opener);
    await app.see(sheet);
    await settled(app);
    await noted(app, sheet, problems);
    await app.press("Escape");
    await app.gone(sheet);
  }
  await app.click("nav-stores");
  await app.click("view-hosted");
  for (const [opener, sheet] of [
    ["add-hosted-store", "add-hosted"],
    ["open-mounts", "mounts-sheet"],
  ]) {
    await app.click(opener);
    await app.see(sheet);
    await noted(app, sheet, problems);
    await app.press("Escape");
    await app.gone(sheet);
  }
  await app.click("view-compare");
  await app.choose("compare-from", "webshop");
  await app.choose("compare-to", "infra");
  await app.see("compare-row");
  await settled(app);
  await noted(app, "two stores", problems);
  await app.driver.run(() => document.activeElement?.blur());
  await over(app, ["?"], '[role="dialog"]', "all keys", problems);
  await over(app, ["Control+k"], '[role="dialog"]', "the palette", problems);
  assert.equal(problems.length, 0, `${problems.length} found\n${problems.join("\n")}`);
}

/** Walks of this file. They need a driver whose theme can be chosen; `browser.test.mjs` takes them in both. */
export const accessibility = [{ name: "axe finds nothing serious on any screen", steps: looksEverywhere }];
