/**
 * Draws docs/images anew: every screen of the real window, light and dark, over invented memories.
 *
 *   node tests/e2e/screenshots.mjs [DIRECTORY]
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Agent } from "./harness/agent.mjs";
import { App } from "./harness/app.mjs";
import { Host, usesHost } from "./harness/host.mjs";
import { CHANGED_CONVENTIONS, INFRA, SECRET, WEBSHOP } from "./harness/memories.mjs";
import { desktop, TREE } from "./harness/programs.mjs";
import { firstRun, machineWithMemories } from "./harness/session.mjs";
import { RUN_TITLE, writeRun } from "./harness/transcripts.mjs";
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

assert.ok(!existsSync(ROOT), `${ROOT} exists already; the pictures are drawn there`);
mkdirSync(OUT, { recursive: true });
const screen = await startScreen();
try {
  for (const theme of ["light", "dark"]) await drawAll(theme);
} finally {
  await screen.stop();
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
  try {
    const driver = await WindowDriver.open(desktop(), machine, screen, { WEBKIT_FORCE_COMPOSITING_MODE: "1" });
    try {
      await drawScreens(new App(driver), machine, theme, host);
    } finally {
      await driver.close();
    }
  } finally {
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
