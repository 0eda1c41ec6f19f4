/**
 * Draws docs/images anew: every screen of the real window, light and dark, over invented memories. What needs weeks of use or
 * a hub is drawn from the same pages in a browser; only that with `many`.
 *
 *   node tests/e2e/screenshots.mjs [DIRECTORY [many]]
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Agent } from "./harness/agent.mjs";
import { App } from "./harness/app.mjs";
import { BrowserDriver, closeBrowser } from "./harness/browser.mjs";
import { Host, usesHost } from "./harness/host.mjs";
import { done, Hub, postgresPrograms } from "./harness/hub.mjs";
import { Machine } from "./harness/machine.mjs";
import { CHANGED_CONVENTIONS, INFRA, SECRET, WEBSHOP } from "./harness/memories.mjs";
import { lineOf, start, stop } from "./harness/process.mjs";
import { desktop, TREE } from "./harness/programs.mjs";
import { firstRun, machineWithMemories } from "./harness/session.mjs";
import { RUN_TITLE, writeRun } from "./harness/transcripts.mjs";
import { aDayOfAgents } from "./harness/triage.mjs";
import { until } from "./harness/wait.mjs";
import { startScreen, WindowDriver } from "./harness/window.mjs";

const OUT = resolve(process.argv[2] ?? join(TREE, "docs/images"));
/** Part of every path on the pictures, so the same each time and short. */
const ROOT = "/tmp/demo";

/** More memories than the walks need, so that lists look as they do in use. */
const MORE = {
  "ci/github-actions.md": "# Continuous integration\n\n- The cache key holds the lock file's hash.\n- `lint` and `test` run side by side; `deploy` waits for both.\n",
  "ci/release.md": "# Releases\n\n- Tags are signed. The changelog is written by hand.\n",
  "user-preferences.md": "# Preferences\n\n- Answers in plain English, short.\n- No new dependency without asking.\n- Tests first when a bug is fixed.\n",
};

/** The session whose page is drawn, and a rule that it breaks. */
const LONG = "3c9a51d0-7e42-4b16-8f0d-6a5b4c3d2e1f";
const SENTENCE = "Use pnpm, never npm.";

/** Days of November with a log, and how many lines each has. */
const LOGS = [["02", 3], ["03", 12], ["04", 7], ["09", 2], ["12", 9], ["17", 5], ["18", 14], ["19", 4]];

/** Instructions that people wrote for agents in one of the projects. */
const INSTRUCTIONS = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "CLAUDE.md": "# Infra\n\nPlans are reviewed before they are applied.\n\n@docs/naming.md\n@docs/oncall.md\n",
  "docs/naming.md": "Names begin with the region.\n",
  ".claude/rules/terraform.md": "---\npaths: '**/*.tf'\n---\nOne module a directory.\n",
  "AGENTS.md": "See CLAUDE.md.\n",
};

let screen;
assert.ok(!existsSync(ROOT), `${ROOT} exists already; the pictures are drawn there`);
mkdirSync(OUT, { recursive: true });
if (process.argv[3] !== "many") await inTheWindow();
for (const theme of ["light", "dark"]) {
  await drawMany(theme);
  if (postgresPrograms()) await drawHub(theme);
  else console.error("No picture of the hub: scripts/install-packages test");
}

async function inTheWindow() {
  screen = await startScreen();
  try {
    for (const theme of ["light", "dark"]) await drawAll(theme);
  } finally {
    await screen.stop();
  }
}

/** Opens a browser on a machine that is there, or at the address of a hub, and draws. */
async function inABrowser(machine, theme, steps, at = null) {
  const driver = await BrowserDriver.open(machine, { dark: theme === "dark", at });
  const app = new App(driver);
  const draw = async (name) => {
    await app.gone("toast");
    await app.settled();
    writeFileSync(join(OUT, `${name}-${theme}.png`), await driver.picture());
  };
  const go = (hash) => driver.run((next) => (location.hash = next), hash);
  try {
    await steps(app, go, draw);
  } finally {
    await driver.close();
    await closeBrowser();
  }
}

/** A day of many agents: the inbox as triage, a session, and the rules with what became of them. */
async function drawMany(theme) {
  const machine = new Machine(ROOT);
  try {
    const memory = await aDayOfAgents(machine, { same: 120, gone: 12, back: 29, created: 5, others: 2 });
    const index = join(memory, "MEMORY.md");
    machine.write(index, readFileSync(index, "utf8").replace("# Webshop\n\n", `# Webshop\n\n- ${SENTENCE}\n- Run \`pnpm test\` before every commit.\n`));
    // The rule stood there before the sessions that it is held against.
    await done(machine, "record", "--once");
    aLongSession(machine, memory);
    await done(machine, "record", "--once");
    machine.write(join(machine.root, "rule.json"), JSON.stringify({ kind: "command_never", program: "npm", sentence: SENTENCE, source: "webshop:MEMORY.md:3" }));
    await done(machine, "rule", "add", join(machine.root, "rule.json"));
    await inABrowser(machine, theme, async (app, go, draw) => {
      await app.see("inbox-section", "Needs you");
      await app.click("inbox-row", "checkout.md");
      await app.see("need-notice");
      await app.see('[data-testid="diff"] [data-tag="insert"]');
      await draw("triage");
      await go(`#/session?session=${LONG}`);
      await app.see("session-change");
      await draw("session");
      await go("#/rules");
      await app.click('[data-testid="ledger-row"] a');
      await app.see("rule-case");
      await draw("rules");
    });
  } finally {
    await machine.remove();
  }
}

/** A session with three prompts, which breaks a rule and writes in between, and others that follow it or do not. */
function aLongSession(machine, memory) {
  const loads = (agent) =>
    agent.attaches({ type: "instructions", files: [
      { path: join(agent.cwd, "CLAUDE.md"), type: "Project", content: "Prices are integers.\n" },
      { path: join(memory, "MEMORY.md"), type: "AutoMem", content: readFileSync(join(memory, "MEMORY.md"), "utf8") }] });
  const agent = new Agent(machine, "webshop", memory, LONG);
  agent.context = 21_400;
  agent.hears("Write down how payments are tested, and set up the tests of the cart.");
  loads(agent);
  agent.reads(join(agent.cwd, "src/checkout/prices.ts"));
  agent.writes("payment-tests.md", "# Payment tests\n\n- They run against the sandbox alone.\n- Cards of the sandbox end in 4242.\n");
  agent.runs("cd apps/web && npm install -D vitest");
  agent.hears("No, we never call the payment API from a component. And packages come with pnpm.");
  agent.runs("pnpm add -D vitest");
  agent.writes("checkout-conventions.md", CHANGED_CONVENTIONS);
  agent.runs("pnpm test cart");
  agent.hears("Good. Note how the sandbox is reset.");
  agent.writes("sandbox.md", "# Sandbox\n\n- It is reset every night at two.\n- `pnpm sandbox:reset` does it at once.\n");
  for (let number = 1; number <= 8; number += 1) {
    const other = new Agent(machine, "webshop", memory, `${String(number + 40).padStart(8, "0")}-7c51-4f0e-9d2a-6b1f0a3c5e7d`);
    other.hears(`Look after the packages of part ${number}.`);
    loads(other);
    other.runs(number % 3 === 0 ? "npm ci" : "pnpm install --frozen-lockfile");
    other.runs("pnpm test");
    other.runs(`git commit -am "Look after the packages of part ${number}"`);
  }
}

/** A hub with two machines: what the other one changed, with a comment, and how far a redaction is. */
async function drawHub(theme) {
  const hub = await Hub.start("--window");
  const machine = machineWithMemories(ROOT);
  try {
    await done(machine, "stores", "add", machine.infra, "--kind", "claude-auto", "--name", "infra");
    await done(machine, "hub", "join", hub.url, "--token", hub.token, "--name", "desk");
    const [{ token }] = await done(machine, "hub", "token", "--role", "reviewer");
    const notes = { "berths.md": "# Berths\n\n- Ferries take berth 1 to 4.\n- Pilots wait at berth 9.\n", "tides.md": "# Tides\n\n- The table is in metres.\n", "gate.md": "# Gate\n\n- The code of the gate is harbour-gate-1974.\n" };
    const laptop = await hub.join(token, "laptop", notes);
    laptop.machine.write(join(laptop.directory, "tides.md"), "# Tides\n\n- The table is in feet.\n- Spring tides close berth 4.\n");
    laptop.machine.write(join(laptop.directory, "office.md"), `# Office\n\n- The key of the payment service is ${SECRET} until the launch.\n`);
    laptop.machine.write(join(laptop.directory, "berths.md"), notes["berths.md"].replace("berth 9", "berth 7").replace("1 to 4", "1 to 3"));
    await laptop.run("record", "--once");
    machine.write(join(machine.infra, "gate.md"), notes["gate.md"]);
    await done(machine, "record", "--once");
    await done(machine, "sync");
    await laptop.run("redact", "--find", "harbour-gate-1974", "--live", "--reason", "the code of the gate");
    await laptop.run("sync");
    await inABrowser(machine, theme, async (app, go, draw) => {
      await go("#/hub");
      await app.click("hub-item", "office.md");
      await app.see('[data-testid="hub-item"][aria-selected="true"] .chip');
      await app.click("hub-item", "berths.md");
      await app.fill("hub-comment-text", "The harbour master says berth 9 until spring.");
      await app.click("hub-comment-send");
      await app.see("hub-comment");
      await app.see("hub-propose-rollback");
      await app.driver.run(() => document.activeElement.blur());
      await draw("hub");
      await go("#/hub?view=redactions");
      await app.see("reach");
      await draw("hub-redactions");
    });
    const [window] = await done(machine, "hub", "token", "--role", "reviewer");
    const inItsWindow = async (app, _, draw) => {
      await app.fill("window-name", "Ann");
      await app.fill("window-token", window.token);
      await app.click("window-sign-in");
      await app.click("hub-item", "berths.md");
      await app.see("hub-comment");
      await app.click("hub-version-open");
      await app.driver.run(() => document.activeElement.blur());
      await draw("hub-window");
    };
    await inABrowser(machine, theme, inItsWindow, hub.url);
  } finally {
    await machine.remove();
    await hub.stop();
  }
}

/** A bus with a service for messages: without one the settings say that none could be shown. */
async function messageService() {
  const env = { PATH: process.env.PATH, HOME: ROOT, DISPLAY: screen.name };
  const bus = start("dbus-daemon", ["--session", "--nofork", "--print-address=1"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const [address] = await lineOf(bus, bus.stdout, /^unix:\S+(?=\n)/m);
  const dunst = start("dunst", [], { env: { ...env, DBUS_SESSION_BUS_ADDRESS: address }, stdio: "ignore" });
  return { address, stop: () => Promise.all([dunst, bus].map(stop)) };
}

async function drawAll(theme) {
  const machine = machineWithMemories(ROOT);
  for (const [name, text] of Object.entries(MORE)) machine.write(join(machine.webshop, name), text);
  for (const [day, lines] of LOGS) machine.write(join(machine.infra, `logs/2026/11/2026-11-${day}.md`), "- Looked after the cluster.\n".repeat(lines));
  for (const [name, text] of Object.entries(INSTRUCTIONS)) machine.write(join(machine.home, "src/infra", name), text);
  machine.write(join(machine.config, "CLAUDE.md"), "Answer in plain English, short.\n");
  writeRun(machine, dirname(machine.webshop));
  const host = await Host.start();
  usesHost(machine, host);
  const messages = await messageService();
  try {
    const more = { WEBKIT_FORCE_COMPOSITING_MODE: "1", DBUS_SESSION_BUS_ADDRESS: messages.address };
    const driver = await WindowDriver.open(desktop(), machine, screen, more);
    try {
      await drawScreens(new App(driver), machine, theme, host);
    } finally {
      await driver.close();
    }
  } finally {
    await messages.stop();
    await machine.remove();
    await host.stop();
  }
}

async function drawScreens(app, machine, theme, host) {
  const draw = async (name) => {
    // Messages come and go, and a pointer leaves its mark; neither belongs on a picture.
    await app.gone("toast");
    await app.settled();
    writeFileSync(join(OUT, `${name}-${theme}.png`), await app.driver.picture());
  };

  await app.see("found-row", "webshop");
  await app.driver.run((chosen) => {
    localStorage.setItem("retrace.theme", chosen);
    // The present screen goes; without a mark it would be taken for what comes.
    document.documentElement.dataset.leaving = "";
    location.reload();
  }, theme);
  await app.see(`html:not([data-leaving])[data-theme="${theme}"] [data-testid="found-row"]`, "webshop");
  await draw("first-run");
  await firstRun(app);
  await liveThroughADay(app, machine);

  await app.click("nav-inbox");
  await app.click("inbox-row", "checkout-conventions.md");
  await app.see("item-title", "checkout-conventions.md");
  await app.see('[data-tag="insert"] mark');
  await app.see("item-origin", "never call the payment API");
  await draw("inbox");
  await app.click("nav-memories");

  await app.choose("store-select", "webshop");
  await app.click("memory-row", "payment-webhooks.md");
  await app.see("document-line", "signing key");
  await draw("memory");

  await app.click("memory-row", "checkout-conventions.md");
  await app.click("version-row", "v2");
  await app.see('[data-tag="insert"] mark');
  await draw("diff");

  await app.click("tab-history");
  await app.see("[role=tabpanel] table", "v3");
  await draw("history");

  await app.click("version-row", "v1");
  await app.click("rollback-button");
  await app.see('[data-testid="act-dialog"] [data-tag="insert"]', "Retry failed");
  await draw("rollback");
  await app.press("Escape");
  await app.gone("act-dialog");

  await app.click("memory-row", "MEMORY.md");
  await app.click("tab-content");
  await app.driver.run(() => document.querySelector('[data-testid="time-axis"]').focus());
  await app.press("Home", "ArrowRight", "ArrowRight");
  await app.see("against-disk", "changed");
  await draw("time-machine");

  await app.choose("store-select", "infra");
  await app.click('[data-testid="log-day"][data-day="2026-11-18"]');
  await app.see("memory-title", "2026-11-18.md");
  await app.see("document-line", "Looked after");
  await draw("daily-logs");
  await app.click("instruction-toggle");
  await app.click("instruction-all");
  await app.see("instruction-row", "naming.md");
  await draw("instructions");

  await app.click("nav-health");
  await app.see("health-store", "webshop");
  await app.click("finding-each");
  await app.click("finding-row", "payment-webhooks.md");
  await app.see("finding-redact");
  await draw("health");

  await app.click("nav-timeline");
  await app.click("timeline-row", "deploys.md");
  await app.see('[data-tag="insert"] mark');
  await draw("timeline");

  await app.click("open-palette");
  await app.fill("palette-input", "payment");
  await app.see("search-hit");
  await draw("search");
  await app.press("Escape");
  await app.gone("palette");

  await app.click("nav-redactions");
  await app.fill("redact-secret", SECRET);
  await app.fill("redact-reason", "signing key of the payment service");
  await draw("redact");
  await app.click("redact-find");
  await app.see("mask-bar");
  await draw("redact-preview");
  await app.click("redact-places");
  await app.click("redact-confirm");
  await app.see("receipt", "clean");
  await app.gone("purge-pending");
  await draw("receipt");

  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.click("view-settings");
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
  await app.driver.run(() => document.querySelector('[data-testid="chart"]').focus());
  await app.press("Home", ...Array(24).fill("ArrowRight"));
  await app.see("composition", "Results by tool");
  await draw("context-lab");
  await app.click("regret", "rates.ts");
  await app.see('[data-testid="turn-block"][data-cleared="true"]', "would be gone");
  await draw("context-turn");
  await app.press("Escape");
  await app.gone("turn-sheet");

  await app.click("nav-stores");
  await app.see("store-row", "infra");
  await draw("stores");
  await drawHosted(app, host, draw);

  await app.click("nav-settings");
  await app.click("verify");
  await app.see("verified", "whole");
  await draw("settings");
}

/** A store of another program: what changed there, a rollback that waits, and two stores side by side. */
async function drawHosted(app, host, draw) {
  await host.call("POST", `/${host.store}/memories`, { path: "/tides.md", content: "# Tides\n\n- The table is in feet.\n- Spring tides close berth 4.\n" });
  await app.press("g", "o");
  await app.click("add-hosted-store");
  await app.fill("host-url", host.origin);
  await app.click("list-hosted");
  await app.see("hosted-found", "desk");
  await app.click('[data-testid="hosted-found"] .checkbox');
  await app.click("mirror-chosen");
  await app.see("mirror-row", "mirrored");
  await host.write("# Berths\n\n- All berths are closed.\n- Pilots wait at berth 9.\n");
  await app.click("mirror-pull");
  await app.see("toast", "Pulled 1 version");
  await app.press("g", "i");
  await app.click("inbox-row", "berths.md");
  await app.see("item-title", "berths.md");
  await app.press("x");
  await app.click("queued-note");
  await app.see("queue-row", "waiting");
  await draw("hosted");
}

/** A day's changes in the memories, one after the other, each recorded before the next: two sessions of agents, and one by hand. */
async function liveThroughADay(app, machine) {
  const checkout = new Agent(machine, "webshop", machine.webshop, "5e1f7a20-3b6c-4d1e-9a52-8c0d4f6b7e19");
  const search = new Agent(machine, "webshop", machine.webshop, "a94c02d7-61fe-4b83-b0d5-2f7e913c5a48");
  const versions = async () => Number(/([\d,]+) versions/.exec(await app.see("status-line", "versions"))[1].replace(",", ""));
  const conventions = `${CHANGED_CONVENTIONS}**How to apply:** in \u200breview, point to this note.\n`;
  const steps = [
    () => machine.write(join(machine.infra, "deploys.md"), INFRA["deploys.md"].replace("before 16:00", "before 15:00")),
    () => {
      search.hears("Add a search page. The index is rebuilt at night, so do not trust it for new products.");
      search.writes("search.md", "# Search\n\n- The index is rebuilt at night.\n- Synonyms live in `search/synonyms.txt`.\n");
    },
    () => search.writes("old-build-notes.md", "# Old build notes\n\n- The bundler was replaced in spring.\n"),
    () => search.removes("old-build-notes.md"),
    () => search.writes("MEMORY.md", `${WEBSHOP["MEMORY.md"]}- [Search](search.md) — when the index is rebuilt\n`),
    () => {
      checkout.hears("Migrate the checkout to v3");
      checkout.writes("payment-webhooks.md", `${WEBSHOP["payment-webhooks.md"]}- Rotate ${SECRET} after the launch.\n`);
    },
    () => {
      checkout.hears("No, we never call the payment API from a component, and stop adding retries there.");
      checkout.writes("checkout-conventions.md", CHANGED_CONVENTIONS);
    },
    () => checkout.writes("checkout-conventions.md", conventions),
  ];
  for (const step of steps) {
    const before = await versions();
    step();
    await until("a change to be recorded", async () => (await versions()) > before);
  }
}
