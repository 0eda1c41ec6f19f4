/** The page of a session: reached from the inbox, the palette, the timeline and a line of a memory, and what it says. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../harness/agent.mjs";
import { CHANGED_CONVENTIONS, WEBSHOP } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const SESSION = "3c9a51d0-7e42-4b16-8f0d-6a5b4c3d2e1f";
const FIRST = "Write down how payments are tested.";
const SECOND = "No, we never call the payment API from a component.";

/** A session with two prompts that writes in two stores while the app looks. */
export function twoPrompts(machine) {
  const agent = new Agent(machine, "webshop", machine.webshop, SESSION);
  agent.hears(FIRST);
  agent.attaches({ type: "instructions", files: [{ path: join(agent.cwd, "CLAUDE.md"), type: "Project", content: "Prices are integers.\n" }] });
  agent.reads(join(agent.cwd, "src/checkout/prices.ts"));
  agent.attaches({ type: "nested_memory", path: join(agent.cwd, "src/checkout/CLAUDE.md"), content: { type: "Project", content: "No retries.\n" } });
  agent.writes("payment-tests.md", "# Payment tests\n\n- Against the sandbox alone.\n");
  agent.hears(SECOND);
  agent.writes("checkout-conventions.md", CHANGED_CONVENTIONS);
  return agent;
}

const hash = (app) => app.driver.run(() => window.location.hash);
const back = (app) => app.driver.run(() => window.history.back());

/** The page is there, called by the first prompt. */
async function isThePage(app) {
  await app.see("session-title", FIRST);
  assert.equal(await hash(app), `#/session?session=${SESSION}`);
  const [title] = await app.texts("session-title");
  assert.equal(title.includes(SESSION.slice(0, 8)), false, title);
}

async function isReachedFromEverywhere({ app, machine }) {
  await firstRun(app);
  twoPrompts(machine);

  // From the head of its group in the inbox, and from one of its changes.
  await app.press("g", "i");
  await app.click("inbox-head", FIRST);
  await app.see("item-title", FIRST);
  await app.press("s");
  await isThePage(app);
  await back(app);
  await app.see("item-title", FIRST);
  await app.click("item-session");
  await isThePage(app);

  // By its words in the palette.
  await app.press("g", "m");
  await app.press("Control+k");
  await app.see("palette");
  await app.fill("palette-input", "how payments are tested");
  await app.click("palette-item", FIRST);
  await isThePage(app);

  // From an operation of the timeline.
  await app.press("g", "t");
  await app.click("timeline-row", FIRST);
  await app.click("open-session");
  await isThePage(app);

  // From a line that it wrote, and from who wrote the version.
  await app.press("g", "m");
  await app.choose("store-select", "webshop");
  await app.click("memory-row", "checkout-conventions.md");
  await app.see("version-row", "v2");
  await app.click("blame-toggle");
  await app.click("blame-session");
  await isThePage(app);
  await back(app);
  await app.click("origin-session-page");
  await isThePage(app);

  // An address of a session that nobody knows says so.
  await app.driver.run(() => (window.location.hash = "#/session?session=nobody"));
  await app.see("session-screen", "not known");
}

async function tellsWhatHappened({ app, machine }) {
  await firstRun(app);
  twoPrompts(machine);
  await app.press("g", "i");
  await app.click("inbox-head", FIRST);
  await app.press("s");
  await isThePage(app);
  await app.see("session-facts", "webshop");
  await app.see("session-facts", "2 changes in 1 store");
  await app.see("session-prompt", "payment-tests.md");
  const prompts = await app.texts("session-prompt");
  assert.equal(prompts.length, 2, prompts.join(" | "));
  assert.ok(prompts[0].includes(FIRST) && prompts[0].includes("payment-tests.md"), prompts[0]);
  assert.ok(prompts[1].includes(SECOND) && prompts[1].includes("checkout-conventions.md"), prompts[1]);

  // What it had, since when and why.
  await app.see("session-file", "in every request");
  await app.see("session-file", "when the session began");
  await app.see("session-file", "from request 2");
  await app.see("session-file", "with a file of its directory: prices.ts");

  // The difference of a change, where it stands.
  await app.click('[data-testid="session-change-toggle"][aria-label*="payment-tests.md"]');
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "sandbox alone");

  // What is left of it is reviewed in the inbox.
  await app.press("o");
  await app.see("inbox-screen");
  await back(app);
  await isThePage(app);

  // One rollback for all of it, with its count, previewed first.
  await app.see("session-rollback", "2 memories");
  await app.press("x");
  await app.see("act-dialog", FIRST);
  await app.see("act-file", "payment-tests.md");
  await app.click("act-confirm");
  await app.gone("act-dialog");
  const restored = () => readFileSync(join(machine.webshop, "checkout-conventions.md"), "utf8") === WEBSHOP["checkout-conventions.md"];
  await until("both memories to be as before", () => restored() && !existsSync(join(machine.webshop, "payment-tests.md")));
}

/** The walks of this file. */
export const session = [
  { name: "reaches a session's page from inbox, palette, timeline and blame", steps: isReachedFromEverywhere },
  { name: "tells what happened in a session, and rolls it back", steps: tellsWhatHappened },
];
