/** Kinds of memories, daily logs as a calendar, instruction files, and a snapshot for an agent. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstRun } from "../harness/session.mjs";

/** The directory of a project of the machine. */
const project = (machine, name) => join(machine.home, "src", name);

async function showsDailyLogsAsACalendar({ app, machine }) {
  machine.write(join(machine.infra, "logs/2026/10/2026-10-30.md"), "Moved the database.\n".repeat(30));
  machine.write(join(machine.infra, "logs/2026/11/2026-11-03.md"), "Quiet.\n");
  machine.write(join(machine.infra, "logs/2026/11/2026-11-05.md"), "---\ntype: project\n---\nRotated the keys.\n");
  await firstRun(app);
  await app.choose("store-select", "infra");
  await app.see("log-calendar", "November 2026");
  await app.click('[data-testid="log-day"][data-day="2026-11-05"]');
  await app.see("memory-title", "2026-11-05.md");
  await app.see("kind-class", "daily log");
  await app.see("kind-type", "about the project");
  // Logs alone, and what is shown stays.
  await app.choose("memories-kind", "daily log (3)");
  await app.gone("memory-row", "MEMORY.md");
  await app.see("memory-title", "2026-11-05.md");
  await app.choose("memories-kind", "All kinds");
  await app.see("memory-row", "MEMORY.md");
  await app.see("memory-title", "2026-11-05.md");
  // By keyboard: two days back, and Enter.
  await app.press("ArrowLeft", "ArrowLeft", "Enter");
  await app.see("memory-title", "2026-11-03.md");
  await app.press("PageUp");
  await app.see("log-calendar", "October 2026");
  await app.click('[data-testid="log-day"][data-day="2026-10-30"]');
  await app.see("memory-title", "2026-10-30.md");
  // A log that is written while one looks appears.
  machine.write(join(machine.infra, "logs/2026/10/2026-10-29.md"), "Packed.\n");
  await app.see('[data-testid="log-day"][data-day="2026-10-29"]', "1 log");
  // A store without logs has no calendar.
  await app.choose("store-select", "webshop");
  await app.see("memory-row", "checkout-conventions.md");
  await app.gone("log-calendar");
}

async function showsInstructionsBesideMemory({ app, machine }) {
  const root = project(machine, "webshop");
  machine.write(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  machine.write(join(machine.config, "CLAUDE.md"), "Answer in short sentences.\n");
  machine.write(join(root, "CLAUDE.md"), "# Webshop\n\n<!-- hidden from the model -->\nSee @docs/build.md and @docs/gone.md\n");
  machine.write(join(root, "docs/build.md"), "Run `make`.\n");
  machine.write(join(root, "AGENTS.md"), "See CLAUDE.md.\n");
  machine.write(join(machine.root, "elsewhere.md"), "Not for this project.\n");
  symlinkSync(join(machine.root, "elsewhere.md"), join(root, "CLAUDE.local.md"));
  await firstRun(app);
  await app.choose("store-select", "webshop");
  await app.click("instruction-toggle");
  await app.click("instruction-item", "build.md");
  await app.see("instruction-title", "build.md");
  await app.see("document-line", "Run `make`.");
  await app.see("instruction-not-recorded", "no store covers this file");
  await app.click("instruction-item", "CLAUDE.md");
  await app.click("instruction-all");
  await app.see('[data-testid="instruction-row"][data-state="missing"]', "gone.md");
  await app.see('[data-testid="instruction-row"][data-state="loaded"]', "elsewhere.md");
  await app.see('[data-testid="instruction-row"][data-state="loaded"]', "AGENTS.md");
  assert.ok(!(await app.texts(":root")).join().includes("Not for this project."));
  // Back to a memory with the tree.
  await app.click("memory-row", "testing.md");
  await app.see("memory-title", "testing.md");
}

async function previewsASnapshotForAnAgent({ app, machine }) {
  const folder = join(project(machine, "webshop"), ".claude");
  const memory = join(folder, "agent-memory-local/reviewer");
  const snapshot = join(folder, "agent-memory-snapshots/reviewer");
  machine.write(join(memory, "MEMORY.md"), "- [Mine](mine.md)\n");
  machine.write(join(memory, "mine.md"), "Mine.\n");
  machine.write(join(snapshot, "snapshot.json"), JSON.stringify({ updatedAt: "2026-11-19T00:00:00Z" }));
  machine.write(join(snapshot, "MEMORY.md"), "- [Style](style.md)\n");
  machine.write(join(snapshot, "style.md"), "Short lines.\n");
  await firstRun(app);
  await app.choose("store-select", "reviewer agent (local)");
  await app.click("snapshot-link");
  await app.see("snapshot", "the agent would ask");
  await app.see('[data-testid="snapshot-change"][data-change="deleted"]', "mine.md");
  await app.see('[data-testid="snapshot-change"][data-change="added"]', "style.md");
  await app.see('[data-testid="snapshot-change"][data-change="changed"] [data-tag="insert"]', "Style");
  // Looking did nothing.
  assert.equal(readFileSync(join(memory, "mine.md"), "utf8"), "Mine.\n");
  assert.ok(!existsSync(join(memory, ".snapshot-synced.json")));
  assert.ok(existsSync(dirname(snapshot)));
}

/** Walks of this file. */
export const kinds = [
  { name: "shows daily logs as a calendar", steps: showsDailyLogsAsACalendar },
  { name: "shows instructions beside memory", steps: showsInstructionsBesideMemory },
  { name: "previews a snapshot for an agent", steps: previewsASnapshotForAnAgent },
];
