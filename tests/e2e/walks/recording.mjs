/** From nothing to a baseline, and changes that arrive while one looks. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CHANGED_CONVENTIONS } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";

async function findsMemoryAndTakesABaseline({ app, machine }) {
  await app.see("first-run");
  for (const [name, files] of [
    ["webshop", "4 files"],
    ["infra", "2 files"],
  ]) {
    const row = await app.see("found-row", name);
    assert.match(row, new RegExp(files));
  }
  assert.equal(await app.count(`[data-testid="found-row"][data-root="${machine.webshop}"]`), 1);
  await app.click("record-found");
  await app.click("first-run-open");
  await app.see("status-line", "2 stores");
  await app.see("status-line", "6 versions");
  await app.choose("store-select", "webshop");
  for (const name of ["MEMORY.md", "checkout-conventions.md", "payment-webhooks.md", "testing.md"]) await app.see("memory-row", name);
  await app.click("memory-row", "testing.md");
  await app.see("memory-title", "testing.md");
  await app.see("document-line", "Fixtures live beside the test.");
  await app.see("recording", "recording");
}

async function changesArriveWhileOneLooks({ app, machine }) {
  await firstRun(app);
  await app.choose("store-select", "webshop");
  await app.click("memory-row", "checkout-conventions.md");
  await app.see("document-line", "Retry failed payment calls three times");
  await app.driver.run(() => void (window.__notReloaded = true));

  machine.write(join(machine.webshop, "checkout-conventions.md"), CHANGED_CONVENTIONS);
  await app.see("version-row", "v2");
  await app.see("document-line", "Never retry failed payment calls");

  machine.write(join(machine.webshop, "search.md"), "# Search\n\n- The index is rebuilt at night.\n");
  await app.see("memory-row", "search.md");

  rmSync(join(machine.webshop, "testing.md"));
  await app.gone("memory-row", "testing.md");

  await app.click("nav-timeline");
  await app.see("timeline-row", "search.md");
  await app.see("timeline-row", "testing.md");
  assert.equal(await app.driver.run(() => window.__notReloaded), true, "the page was never loaded anew");
}

/** Walks of this file. */
export const recording = [
  { name: "finds memory on a first run and takes a baseline", steps: findsMemoryAndTakesABaseline },
  { name: "changes arrive while one looks", steps: changesArriveWhileOneLooks },
];
