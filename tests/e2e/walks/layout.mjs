/**
 * Every screen in four languages, from 800 to 1,920 pixels and at 200 %, over memories as they are after weeks of use:
 * nothing is cut off, out of reach, broken over many lines, or over something else.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Agent } from "../harness/agent.mjs";
import { Misplaced } from "../harness/layout.mjs";
import { CHANGED_CONVENTIONS, SECRET, WEBSHOP } from "../harness/memories.mjs";
import { runRetrace } from "../harness/programs.mjs";
import { RUN, writeRun } from "../harness/transcripts.mjs";
import { until } from "../harness/wait.mjs";

/** Languages of the window. */
export const LANGUAGES = ["en", "ja", "ko", "zh-Hant"];
/** Windows; the last is one of 1,360 by 860 pixels at 200 %. */
export const SIZES = [
  [800, 600],
  [1000, 700],
  [1280, 800],
  [1600, 900],
  [1920, 1080],
  [680, 430],
];
/** Notes that one session changes. */
const NOTES = 240;
/** A run whose requests send 25 million tokens in all, as long runs do: its figures are the widest. */
const LONG_RUN = "7d1e90aa-5b3f-4f0c-9c1d-2f7a86e4b015";
const LONG_REQUESTS = 330;

const session = (number) => `${String(number).padStart(8, "0")}-3b6c-4d1e-9a52-8c0d4f6b7e19`;
const note = (number, later) => `# Note ${number}\n\n- The shelf of part ${number} stands in hall ${number % 7}.\n- ${later ? "It is counted every Friday." : "It is counted every month."}\n`;
const noteName = (number) => `notes/${String(number % 12).padStart(2, "0")}/shelf-of-part-${number}.md`;

/** Runs a command of the terminal that has to succeed. */
async function done(machine, ...args) {
  const { status, printed } = await runRetrace(machine, ...args);
  assert.equal(status, 0, `${args.join(" ")}: ${JSON.stringify(printed)}`);
}

/** Weeks of use: sessions with hundreds of changes, a secret, a cut index, hidden characters, deletions, a redaction. */
export async function weeksOfUse(machine) {
  const warehouse = machine.project("warehouse-replenishment-and-returns");
  for (let number = 0; number < NOTES; number += 1) machine.write(join(warehouse, noteName(number)), note(number, false));
  for (let number = 0; number < 12; number += 1) machine.write(join(machine.infra, `old/runbook-${number}.md`), `# Runbook ${number}\n\n- Nobody needs this.\n`);
  machine.write(join(machine.infra, "MEMORY.md"), `# Infrastructure\n\n- [Deploys](deploys.md) — when and how\n${"- one fact more about the cluster\n".repeat(260)}`);
  for (const day of ["02", "03", "04", "09", "12", "17"]) machine.write(join(machine.infra, `logs/2026/11/2026-11-${day}.md`), "- Looked after the cluster.\n");
  machine.write(join(machine.home, "src/infra/.git/HEAD"), "ref: refs/heads/main\n");
  machine.write(join(machine.home, "src/infra/CLAUDE.md"), "# Infra\n\nPlans are reviewed before they are applied.\n\n@docs/naming.md\n@docs/oncall.md\n");
  machine.write(join(machine.home, "src/infra/docs/naming.md"), "Names begin with the region.\n");
  writeRun(machine, dirname(machine.webshop));
  writeRun(machine, dirname(machine.webshop), LONG_REQUESTS, { id: LONG_RUN, title: "Review the branches of all agents that work on the checkout" });
  for (const [directory, name] of [[machine.webshop, "webshop"], [machine.infra, "infra"], [warehouse, "warehouse-replenishment-and-returns"]])
    await done(machine, "stores", "add", directory, "--kind", "claude-auto", "--name", name);
  const plain = join(machine.home, "notes");
  mkdirSync(plain, { recursive: true });
  machine.write(join(plain, "gone.md"), "The old word is rosebud-of-the-north.\n");
  await done(machine, "stores", "add", plain, "--kind", "plain", "--name", "notes");
  await done(machine, "redact", "--find", "rosebud-of-the-north", "--live", "--reason", "a word of somebody else");

  const agent = (project, memory, number) => new Agent(machine, project, memory, session(number));
  const counting = agent("warehouse-replenishment-and-returns", warehouse, 1);
  counting.hears("From now on every shelf is counted on Fridays; change that in all notes, and say so where it was decided.");
  for (let number = 0; number < NOTES; number += 1) counting.writes(noteName(number), note(number, true));
  const cleaning = agent("infra", machine.infra, 2);
  cleaning.hears("Remove the runbooks of the old cluster.");
  for (let number = 0; number < 12; number += 1) cleaning.removes(`old/runbook-${number}.md`);
  cleaning.writes("a-rather-long-name-of-a-memory-about-deployments-in-the-north.md", "# Later\n\nSee [[nothing]] and [a file](gone.md).\u200b\n");
  const checkout = agent("webshop", machine.webshop, 3);
  checkout.hears("No, we never call the payment API from a component, and stop adding retries there.");
  checkout.attaches({ type: "instructions", files: [
    { path: join(checkout.cwd, "CLAUDE.md"), type: "Project", content: "Prices are integers.\n" },
    { path: join(machine.webshop, "MEMORY.md"), type: "AutoMem", content: WEBSHOP["MEMORY.md"] ?? "- An index\n" }] });
  checkout.reads(join(checkout.cwd, "src/checkout/a-folder-with-a-long-name/prices.ts"));
  checkout.attaches({ type: "nested_memory", path: join(checkout.cwd, "src/checkout/a-folder-with-a-long-name/CLAUDE.md"), content: { type: "Project", content: "No retries.\n" } });
  checkout.attaches({ type: "hook_additional_context", hookEvent: "PostToolUse", content: [`Contents of ${join(checkout.cwd, "src/AGENTS.md")}:\n\nOne module a directory.\n`] });
  checkout.writes("checkout-conventions.md", CHANGED_CONVENTIONS);
  checkout.writes("payment-webhooks.md", `${WEBSHOP["payment-webhooks.md"]}- Rotate ${SECRET} after the launch.\n`);
  for (let number = 4; number < 14; number += 1) {
    const other = agent("webshop", machine.webshop, number);
    other.hears(`Note what was decided about part ${number} of the shop.`);
    other.runs(number % 2 ? "cd apps/web && npm install --save-dev a-package-of-part-number" : "pnpm test");
    for (let at = 0; at < 6; at += 1) other.writes(`decisions/part-${number}-${at}.md`, `# Part ${number}.${at}\n\n- Decided on Monday.\n`);
  }
  const rule = { kind: "command_never", program: "npm", sentence: "Use pnpm, never npm, in any of the packages of this shop", source: `webshop:MEMORY.md:1` };
  machine.write(join(machine.root, "rule.json"), JSON.stringify(rule));
  await done(machine, "rule", "add", join(machine.root, "rule.json"));
  await done(machine, "record", "--once");
}

/** Speaks another language from now on. */
export async function speak(app, language) {
  await app.driver.run((hash) => (location.hash = hash), "#/settings");
  await until("the choice of the language", () =>
    app.driver.run((chosen) => {
      const list = document.querySelector('[data-testid="language"]');
      if (!list) return false;
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(list, chosen);
      list.dispatchEvent(new Event("change", { bubbles: true }));
      return true;
    }, language),
  );
  await app.see(`html[lang="${language}"]`);
}

/** Looks at the page in every size. */
async function everySize(app, found, where) {
  await app.settled();
  for (const [width, height] of SIZES) {
    await app.driver.resize(width, height);
    await found.at(`${where} at ${width}`);
  }
}

/** Places in the window, by what makes each ready. Each is an address, so that it is the same in every language. */
export async function places(app) {
  const hash = () => app.driver.run(() => location.hash);
  const go = (to) => app.driver.run((next) => (location.hash = next), to);
  const all = [
    ["inbox", "#/inbox", "inbox-screen"],
    ["timeline", "#/timeline", "timeline-row"],
    ["health", "#/health", "health-store"],
    ["worth", "#/health?view=worth", "worth-row"],
    ["expiry", "#/health?view=expiry", "view-expiry"],
    ["finding rules", "#/health?view=rules", "rule-row"],
    ["rules", "#/rules", "rules-totals"],
    ["redactions", "#/redactions", "redact-secret"],
    ["stores", "#/stores", "store-row"],
    ["hosted stores", "#/stores?view=hosted", "hosted-view"],
    ["dreams", "#/stores?view=dreams", "view-dreams"],
    ["settings", "#/settings", "language"],
    ["no run", "#/context", "nav-context"],
    ["a session", `#/session?session=${session(3)}`, "session-change"],
    ["a session of hundreds of changes", `#/session?session=${session(1)}`, "session-change"],
    ["a long session", `#/session?session=${RUN}`, "session-prompt"],
    ["no hub", "#/hub", "hub-join"],
    ["no session", "#/session?session=nobody", "session-screen"],
  ];
  await go("#/memories");
  await app.choose("store-select", "infra");
  await app.click("memory-row", "MEMORY.md");
  await app.see("cut-chip");
  const index = await hash();
  await app.choose("store-select", "webshop");
  await app.click("memory-row", "checkout-conventions.md");
  await app.see("version-row", "v2");
  const memory = await hash();
  const tab = (name) => `${memory}&tab=${name}`;
  // What is opened on a page, and is no address of its own.
  const opened = [
    ["who wrote each line", memory, "document-line", "blame-toggle", "blame-line"],
    ["what sessions loaded", "#/health", "health-store", "read-loads", '[data-testid="health-store"] td:nth-of-type(6)'],
    ["directories that are known", "#/stores", "store-row", "discover", "found-known"],
  ];
  all.push(["an index", index, "cut-chip"], ["a memory", memory, "document-line"], ["history", tab("history"), "version-row"], ["difference", tab("diff"), "diff-line"]);
  all.push(["reach", tab("reach"), "reach-row"], ["reach of a line", `${tab("reach")}&line=3`, "reach-row"]);
  all.push(["a rule's evidence", "#/rules?rule=rule_1", "rule-case"]);
  all.push(["instructions", `${index.replace(/&memory=[^&]*/, "")}&instruction=all`, "instruction-row"]);
  await go("#/redactions");
  await app.click('[data-testid="receipt-row"]');
  await app.see("receipt");
  all.push(["a receipt", await hash(), "receipt-place"]);
  await go("#/stores?view=compare");
  await app.choose("compare-from", "webshop");
  await app.choose("compare-to", "infra");
  await app.see("compare-row");
  all.push(["two stores", await hash(), "compare-row"]);
  await go("#/context");
  await app.click(`[data-testid="transcript-row"][data-key*="${RUN}"], [data-testid="transcript-row"]`, "price list");
  await app.see("recommended-what");
  const run = await hash();
  all.push(["a run's answer", run, "recommended-what"]);
  all.push(["a run's requests", `${run}&turn=24`, "turn-message"]);
  const simulated = '[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]';
  all.push(["the lab", `${run}&view=settings`, simulated]);
  all.push(["the lab over a long run", `#/context?transcript=${LONG_RUN}&view=settings`, simulated]);
  return { all, opened };
}

/** What lies over the window: how it is opened, by key, and its test id. */
export const OVERLAYS = [
  ["the palette", "#/memories", "Control+k", "palette"],
  ["all keys", "#/memories", "?", "key-help"],
];

async function holds({ app }) {
  const found = new Misplaced(app);
  await app.driver.resize(1360, 860);
  await app.see("nav-memories");
  const { all, opened } = await places(app);
  for (const language of LANGUAGES) {
    await app.driver.resize(1360, 860);
    await speak(app, language);
    for (const [name, hash, ready] of all) {
      await app.driver.run((next) => (location.hash = next), hash);
      await app.see(ready);
      await everySize(app, found, `${name} in ${language}`);
    }
    for (const [name, hash, ready, opener, id] of opened) {
      await app.driver.run((next) => (location.hash = next), hash);
      await app.see(ready);
      await app.click(opener);
      await app.see(id);
      await everySize(app, found, `${name} in ${language}`);
      await app.driver.resize(1360, 860);
      await app.driver.run(() => (location.hash = "#/inbox"));
      await app.gone(id);
    }
    for (const [name, hash, key, id] of OVERLAYS) {
      await app.driver.run((next) => (location.hash = next), hash);
      await app.press(key);
      await app.see(id);
      await everySize(app, found, `${name} in ${language}`);
      await app.press("Escape");
      await app.gone(id);
    }
  }
  found.isEmpty();
}

/** The walk of this file. It needs a driver whose size can be chosen, and a machine that [`weeksOfUse`] made ready. */
export const layout = { name: "holds its layout from 800 to 1,920 pixels and at 200 %, in four languages", steps: holds };
