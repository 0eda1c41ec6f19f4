/** Asks axe what of a page keeps people out. Only what it calls serious or critical counts here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const COUNTS = ["serious", "critical"];

/**
 * Runs in the page, where axe is. Gives what it found and for how many rules it looked. Left out is where React Aria says
 * things to screen readers: for some seconds it names what may be gone from the page by then.
 */
async function look(counts) {
  const { violations, passes } = await window.axe.run({ exclude: [["[data-live-announcer]"]] }, { resultTypes: ["violations"] });
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

/** Fails when axe finds something serious or critical on the page as it is. `where` is for the message. */
export async function accessible(app, where) {
  const { driver } = app;
  if (!(await driver.run(() => "axe" in window))) await driver.run(`() => { ${SOURCE}\n; return true; }`);
  // What fades in is judged when it is there.
  await driver.run(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))).then(() => true));
  const { rules, found } = await driver.run(look, COUNTS);
  assert.ok(rules > 10, `axe looked at ${where}`);
  assert.deepEqual(found, [], `axe on ${where}`);
}
