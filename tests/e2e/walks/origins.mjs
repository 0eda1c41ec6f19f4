/** Who wrote a memory and why, line by line; and what was there before the app was. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Agent } from "../harness/agent.mjs";
import { WEBSHOP } from "../harness/memories.mjs";
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
  await app.see(".blame-who", "turn 1");

  // A click leads to the turn in the transcript.
  await app.click("origin-open");
  await app.see("turn-sheet", "Edit");
  const hash = await app.driver.run(() => window.location.hash);
  assert.ok(hash.includes(agent.session) && hash.includes("turn=1"), hash);
}

/** A store whose directory git keeps, brought in and taken back. */
async function bringsInWhatGitKept({ app, machine }) {
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=Robin", "-c", "user.email=robin@example.org", ...args], {
      cwd: machine.infra,
      env: { ...machine.environment(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_COMMITTER_DATE: "2026-11-01T00:00:00Z", GIT_AUTHOR_DATE: "2026-11-01T00:00:00Z" },
      stdio: "pipe",
    });
  git("init", "-q", "-b", "main");
  machine.write(join(machine.infra, "deploys.md"), "# Deploys\n\n- Deploy whenever you like.\n");
  git("add", "-A");
  git("commit", "-q", "-m", "As it was");
  machine.write(join(machine.infra, "deploys.md"), "# Deploys\n\n- Deploy from `main` only.\n");
  await firstRun(app);
  await app.press("g", "s");
  await app.see("store-row", "infra");
  await app.click('[data-testid="store-menu"][aria-label*="infra"]');
  await app.click("store-earlier");
  await app.see('[data-testid="earlier-git"] [data-testid="earlier-found"]', "would come in");
  await app.click("earlier-import-git");
  await app.see("toast", "Brought in");
  await app.gone("earlier-history");
  await app.press("g", "m");
  await app.choose("store-select", "infra");
  await app.click("memory-row", "deploys.md");
  await app.see("version-row", "rebuilt");
  await app.click("blame-toggle");
  await app.see(".blame-who", "Robin");

  // Taken back as one.
  await app.click("toast-action", "Undo");
  await app.click("act-confirm");
  await app.gone("version-row", "rebuilt");
}

/** Walks of this file. */
export const origins = [
  { name: "opens the turn that wrote, and says it for each line", steps: opensTheTurnThatWrote },
  { name: "brings in what git kept, and takes it back", steps: bringsInWhatGitKept },
];
