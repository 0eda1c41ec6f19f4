/** Asks axe what of a page keeps people out. Only what it calls serious or critical counts here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const COUNTS = ["serious", "critical"];
/** Rules whose answer depends on colours: the dark theme is looked at with these alone, everything else is the same in it. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Runs in the page, where axe is. Gives what it found and for how many rules it looked. Left out is where React Aria says
 * things to screen readers: for some seconds it names what may be gone from the page by then.
 */
async function audit([counts, only]) {
  const options = { resultTypes: ["violations"], ...(only && { runOnly: only }) };
  const { violations, passes } = await window.axe.run({ exclude: [["[data-live-announcer]"]] }, options);
  const found = violations.filter(({ impact }) => counts.includes(impact));
  return {
    rules: passes.length + violations.length,
    found: found.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ target, html, any, all, none }) => ({
        target: target.join(" "),
        html: html.slice(0, 160),
        why: [...any, ...all, ...none].map(({ message }) => message).join(" "),
      })),
    })),
  };
}

/** Looks at the page as it is. Gives what axe finds that is serious or critical. `where` is for the message, `only` names rules. */
async function findings(app, where, only) {
  const { driver } = app;
  if (!(await driver.run(() => "axe" in window))) await driver.run(`() => { ${SOURCE}\n; return true; }`);
  // A part that fades in is checked when it is there.
  await driver.run(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))).then(() => true));
  const { rules, found } = await driver.run(audit, [COUNTS, only]);
  assert.ok(rules > (only ? 0 : 10), `axe looked at ${where}`);
  return found;
}

/** Many checks: notes what axe finds, and goes on. One pass over all is worth more than the first failure. */
export class Checks {
  #problems = [];

  /** @param {import("./app.mjs").App} app */
  constructor(app) {
    this.app = app;
  }

  /** Looks at the page as it is, light and dark; `where` names it in what is noted. */
  async at(where) {
    this.#note(`${where}, light`, await findings(this.app, where));
    await this.app.driver.theme(true);
    this.#note(`${where}, dark`, await findings(this.app, where, OF_COLOURS));
    await this.app.driver.theme(false);
  }

  #note(where, found) {
    for (const { id, impact, nodes } of found)
      this.#problems.push(...nodes.map(({ target, html, why }) => `${where}: ${impact} ${id}\n    ${target}\n    ${html}\n    ${why}`));
  }

  /** Fails when anything was noted. */
  areClean() {
    assert.equal(this.#problems.length, 0, `${this.#problems.length} found\n${this.#problems.join("\n")}`);
  }
}
