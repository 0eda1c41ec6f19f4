/** Who wrote a memory and why, line by line; and what was there before the app was. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../harness/agent.mjs";
import { WEBSHOP } from "../harness/memories.mjs";
import { commit } from "../harness/repository.mjs";
import { firstRun } from "../harness/session.mjs";

const NAME = "testing.md";
const ADDED = "- Snapshots are written by hand.\n";
const ASKED = "Remember that snapshots are written by hand.";

/** A session that changes a memory while the app looks. */
function work(machine) {
  const agent = new Agent(machine, "webshop", machine.webshop, "7d0f1c52-0a3e-4b8e-9b1d-3f5a6c7d8e90");
  agent.hears(ASKED);
  const last = "- Fixtures live beside the test.\n";
  agent.edits(NAME, last, last + ADDED, WEBSHOP[NAME].replace(last, last + ADDED));
  return agent;
}

async function opensTheTurnThatWrote({ app, machine }) {
  await firstRun(app);
  await app.choose("store-select", "webshop");
  await app.click("memory-row", NAME);
  await app.see("memory-title", NAME);
  const agent = work(machine);
  await app.see("version-row", "v2");
  await app.see("origin", "exact content");
  await app.see("origin-session", "Remember that snapshots");
  await app.see("origin-prompt", ASKED);
  await app.click("origin-more");
  await app.click('[data-testid="origin"] summary', "around it");
  await app.see("origin-around", "the write itself");

  // Line by line.
  await app.click("blame-toggle");
  await app.see("blame-line", "Snapshots are written by hand");
  await app.see("blame-line", "turn 1");

  // A click leads to the turn in the transcript.
  await app.click("origin-open");
  await app.see("turn-sheet", "Edit");
  const hash = await app.driver.run(() => window.location.hash);
  assert.ok(hash.includes(agent.session) && hash.includes("turn=1"), hash);
  await app.press("Escape");
  await app.gone("turn-sheet");

  // From the inbox it is one key, and the way back leads to the same item.
  await app.press("g", "i");
  await app.see("item-title", NAME);
  await app.see("item-transcript");
  await app.press("t");
  await app.see("turn-sheet", "Edit");
  await app.driver.run(() => window.history.back());
  await app.see("item-title", NAME);
}

/** A store whose directory git keeps, brought in and taken back. */
async function bringsInWhatGitKept({ app, machine }) {
  machine.write(join(machine.infra, "deploys.md"), "# Deploys\n\n- Deploy whenever you like.\n");
  commit(machine, machine.infra, "As it was");
  machine.write(join(machine.infra, "deploys.md"), "# Deploys\n\n- Deploy from `main` only.\n");
  await firstRun(app);
  await app.press("g", "s");
  await app.see("store-row", "infra");
  await app.click('[data-testid="store-menu"][aria-label*="infra"]');
  await app.click("store-earlier");
  await app.see('[data-testid="earlier-git"] [data-testid="earlier-found"]', "would be imported");
  await app.click("earlier-import-git");
  await app.see("toast", "Imported");
  await app.gone("earlier-history");
  await app.press("g", "m");
  await app.choose("store-select", "infra");
  await app.click("memory-row", "deploys.md");
  await app.see("version-row", "rebuilt");
  await app.click("blame-toggle");
  await app.see("blame-line", "Robin");

  // Taken back as one.
  await app.click("toast-action", "Undo");
  await app.click("act-confirm");
  await app.gone("version-row", "rebuilt");
}

/**
 * Brings in the versions that a session wrote before the app was there, brought in from its transcript and taken back.
 */
async function bringsInWhatTranscriptsTell({ app, machine }) {
  const agent = new Agent(machine, "infra", machine.infra, "3a9b7c10-5d2e-4f61-8a04-c1d2e3f4a5b6");
  const [first, second] = ["# On call\n\n- Robin, Mondays.\n", "# On call\n\n- Robin, every day.\n"];
  agent.hears("Write down who is on call.");
  agent.writes("oncall.md", first);
  agent.hears("From now on that is every day.");
  agent.edits("oncall.md", "Mondays", "every day", second);
  await firstRun(app);
  await app.press("g", "s");
  await app.click('[data-testid="store-menu"][aria-label*="infra"]');
  await app.click("store-earlier");
  const source = '[data-testid="earlier-transcripts"]';
  await app.see(`${source} [data-testid="earlier-found"]`, "of 1 memory would be imported");
  await app.click("earlier-import-transcripts");
  await app.see("toast", "Imported");
  await app.gone("earlier-history");
  // It is told again, and nothing of it is new.
  await app.click('[data-testid="store-menu"][aria-label*="infra"]');
  await app.click("store-earlier");
  await app.see(`${source} [data-testid="earlier-found"]`, "Nothing new");
  assert.equal(await app.count("earlier-import-transcripts"), 0);
  await app.press("Escape");
  await app.gone("earlier-history");

  await app.press("g", "m");
  await app.choose("store-select", "infra");
  await app.click("memory-row", "oncall.md");
  await app.click("version-row", "v1");
  await app.see("version-row", "rebuilt");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Robin, Mondays.");
  await app.see("origin-prompt", "Write down who is on call.");
  // Nothing was added to the inbox, and no file changed.
  assert.equal(await app.driver.run(() => document.querySelector('[data-testid="nav-inbox"] [data-testid="screen-count"]')?.textContent ?? "0"), "0");
  assert.equal(readFileSync(join(machine.infra, "oncall.md"), "utf8"), second);

  // Taken back as one.
  await app.click("toast-action", "Undo");
  await app.see("act-withdrawn");
  await app.click("act-confirm");
  await app.gone("version-row", "rebuilt");
  assert.equal(readFileSync(join(machine.infra, "oncall.md"), "utf8"), second);
}

/** Walks of this file. */
export const origins = [
  { name: "opens the turn that wrote, and says it for each line", steps: opensTheTurnThatWrote },
  { name: "brings in what transcripts tell, and takes it back", steps: bringsInWhatTranscriptsTell },
  { name: "brings in what git kept, and takes it back", steps: bringsInWhatGitKept },
];
