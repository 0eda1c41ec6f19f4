/** A rule, from a sentence of a memory to a hook in the settings and back, by mouse and by key. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../harness/agent.mjs";
import { WEBSHOP } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const SESSION = "7d10c4be-52a9-4f8e-9b37-1c6e8a2f4d05";
const SENTENCE = "Use pnpm, never npm.";

/** A memory with a rule, and a session that loaded the index and broke the rule. */
export function brokenRule(machine) {
  machine.write(join(machine.webshop, "packages.md"), `# Packages\n\n- ${SENTENCE}\n`);
  const agent = new Agent(machine, "webshop", machine.webshop, SESSION);
  agent.hears("Add a test for the cart.");
  agent.attaches({ type: "instructions", files: [{ path: join(machine.webshop, "MEMORY.md"), type: "AutoMem", content: WEBSHOP["MEMORY.md"] }] });
  agent.runs("cd apps/web && npm install -D vitest");
  agent.runs("pnpm test");
  return agent;
}

/** Opens the rules and confirms the one of [`brokenRule`]. */
export async function confirmRule(app) {
  await app.click("nav-rules");
  await app.see("rule-proposal", SENTENCE);
  await app.click('[data-testid="rule-proposal"] [data-testid="rule-confirm"]');
  await app.see("ledger-row", SENTENCE);
}

const settingsOf = (machine) => join(machine.config, "settings.json");

async function becomesAGuard({ app, machine }) {
  brokenRule(machine);
  const before = '{\n  "model": "sonnet"\n}\n';
  machine.write(settingsOf(machine), before);
  const read = () => readFileSync(settingsOf(machine), "utf8");
  await firstRun(app);
  await confirmRule(app);

  // Offered where the rule belongs, and chosen for all projects.
  await app.click("make-guard");
  await app.see("guard-sheet", "webshop/.claude/settings.local.json");
  await app.choose("guard-where", "Your settings, for all projects");
  await app.see("guard-sheet", "/settings.json");
  await app.see("guard-test", "would have fired once");
  await app.see('[data-testid="guard-line"][data-tag="insert"]', "rule check");
  assert.equal(read(), before, "a preview writes nothing");
  await app.see('[data-testid="guard-confirm"]:focus:not([aria-disabled])');
  await app.press("Enter");
  await app.see('[data-testid="rule-guard"][data-in-place="true"]', "refuses");
  assert.match(read(), /rule check --rule/);
  assert.equal(JSON.parse(read()).model, "sonnet");
  await app.click("toast-action", "Undo");
  await app.gone("rule-guard");
  assert.equal(read(), before, "undone, the settings are as they were");

  // In a project, as a reminder; then somebody takes the hook out by hand.
  await app.click("make-guard");
  await app.see("guard-test");
  await app.click("view-remind");
  const own = join(machine.home, "src/webshop/.claude/settings.local.json");
  await app.see("guard-sheet", "settings.local.json");
  await app.see('[data-testid="guard-line"]', "--remind");
  await app.click('[data-testid="guard-confirm"]:not([disabled])');
  await app.see("rule-guard", "reminds");
  assert.ok(existsSync(own));
  machine.write(own, "{}\n");
  await app.driver.run(() => location.reload());
  await app.see('[data-testid="rule-guard"][data-in-place="false"]', "no longer in the settings");
  await app.click("guard-take-off");
  await app.see("guard-off-sheet", "Nothing changes");
  await app.click('[data-testid="guard-confirm"]:not([disabled])');
  await app.gone("rule-guard");
  await until("the settings to be left alone", () => readFileSync(own, "utf8") === "{}\n");
}

/** Walks of this file. */
export const rules = [{ name: "makes a guard of a rule, and takes it off", steps: becomesAGuard }];
