/** Health: findings against their badge, an entry moved past the cut by key and by hand, a proposal acted on, rules. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

/** An index of so many lines; past 200 nothing is loaded. */
function longIndex(lines) {
  const facts = Array.from({ length: lines - 3 }, (_, at) => `- fact ${at + 4}`);
  return `# Infrastructure\n\n- [Deploys](deploys.md) — when and how\n${facts.join("\n")}\n`;
}

const read = (...parts) => readFileSync(join(...parts), "utf8");

async function findsOpensAndSwitchesOff({ app, machine }) {
  machine.write(join(machine.infra, "MEMORY.md"), longIndex(206));
  await firstRun(app);
  await app.click("nav-health");
  await app.see("finding-row", "limits/index-cut");
  await app.see("health-store", "cut at line 201");
  // The badge counts what the list shows.
  const badge = (await app.see("nav-health", /\d/)).replace(/\D/g, "");
  assert.equal(Number(badge), await app.count("finding-row"));

  await app.click("finding-row", "limits/index-cut");
  await app.press("o");
  await app.see("memory-title", "MEMORY.md");
  await app.see("cut-line", "200");
  await app.see("index-actions", "Line 201");

  await app.click("nav-health");
  await app.click("finding-row", "limits/index-cut");
  await app.click("finding-more");
  await app.click("finding-off");
  await app.click("rule-off-confirm");
  await app.gone("finding-row", "limits/index-cut");
  await app.click("view-rules");
  await app.see('[data-testid="rule-row"][data-rule="limits/index-cut"]');
  await app.choose('[data-rule="limits/index-cut"] [data-testid="rule-setting"]', "default");
  await app.click("view-findings");
  await app.see("finding-row", "limits/index-cut");
}

async function movesAnEntryByKeyAndByHand({ app, machine }) {
  machine.write(join(machine.infra, "MEMORY.md"), longIndex(206));
  await firstRun(app);
  await app.choose("store-select", "infra");
  await app.click("memory-row", "MEMORY.md");
  await app.click("cut-chip");
  await app.see("index-actions", "Line 201");
  await app.press("m");
  await app.fill("topic-name", "older facts");
  await app.see("topic-new", "older-facts.md");
  await app.press("Enter");
  await app.see("act-dialog", "older-facts.md");
  await app.see("act-dialog", "still cut");
  await app.click("act-confirm");
  await app.see("toast", "Moved");
  assert.match(read(machine.infra, "older-facts.md"), /- fact 201\n$/);
  assert.match(read(machine.infra, "MEMORY.md"), /\(older-facts\.md\)/);
  await app.click("toast-action");
  await app.gone("memory-row", "older-facts.md");
  assert.ok(!existsSync(join(machine.infra, "older-facts.md")));
  assert.equal(read(machine.infra, "MEMORY.md"), longIndex(206));

  // By hand: the handle of the line is dragged onto a file of the tree.
  await app.click("cut-chip");
  const drag = () => {
    const handle = document.querySelector('[data-testid="line-handle"]');
    const row = document.querySelector('[data-testid="memory-row"][data-key="deploys.md"]');
    if (!handle || !row) return false;
    const middle = (element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { clientX: left + width / 2, clientY: top + height / 2 };
    };
    // A pointer made up by a script cannot be captured, so the capture is played as well.
    handle.setPointerCapture = () => {};
    handle.releasePointerCapture = () => {};
    handle.hasPointerCapture = () => true;
    const send = (type, at) => handle.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, pointerId: 1, ...at }));
    send("pointerdown", middle(handle));
    send("pointermove", middle(row));
    send("pointerup", middle(row));
    return true;
  };
  await until("the handle of the line", () => app.driver.run(drag));
  await app.see("act-dialog", "deploys.md");
  await app.click("act-confirm");
  await app.see("toast", "Moved");
  assert.match(read(machine.infra, "deploys.md"), /- fact 201\n$/);
}

async function removesWhatWasChosen({ app, machine }) {
  machine.write(join(machine.infra, "logs/2020/01/2020-01-05.md"), "a day\n");
  await firstRun(app);
  await app.click("nav-health");
  await app.click("view-expiry");
  await app.see("expiry-row", "2020-01-05.md");
  const log = join(machine.infra, "logs/2020/01/2020-01-05.md");
  assert.ok(existsSync(log), "nothing goes by itself");
  await app.click('[data-testid="expiry-row"] .checkbox');
  await app.click("expire");
  await app.see("act-dialog", "deletes");
  await app.click("act-confirm");
  await app.see("toast", "Removed");
  assert.ok(!existsSync(log));
  await app.gone("expiry-row", "2020-01-05.md");
  await app.press("u");
  await app.see("expiry-row", "2020-01-05.md");
  await until("the file to be there again", () => existsSync(log));
}

/** Walks of this file. */
export const health = [
  { name: "finds what is wrong, opens it, and switches a rule off and on", steps: findsOpensAndSwitchesOff },
  { name: "moves an entry past the cut by key and by hand", steps: movesAnEntryByKeyAndByHand },
  { name: "removes what was chosen of what could go", steps: removesWhatWasChosen },
];
