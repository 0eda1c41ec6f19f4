/** The inbox as triage: what needs a person first, each with its remedy, then the routine rest at once. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET } from "../harness/memories.mjs";
import { aDayOfAgents } from "../harness/triage.mjs";
import { until } from "../harness/wait.mjs";

const sections = (app) => app.driver.run(() => [...document.querySelectorAll('[data-testid="inbox-section"]')].map((one) => [one.dataset.part, Number(one.dataset.rows), Number(one.dataset.changes)]));
const badge = (app) => app.driver.run(() => Number(document.querySelector('[data-testid="nav-inbox"] [data-testid="screen-count"]')?.textContent ?? "0"));
const total = (app) => app.driver.run(() => Number(document.querySelector('[data-testid="inbox-total"]')?.dataset.total ?? "0"));

async function needsAre(app, count) {
  await until(`badge and section of ${count}`, async () => {
    const [needs] = (await sections(app)).filter(([part]) => part === "needs");
    return (needs?.[1] ?? 0) === count && (await badge(app)) === count;
  }, async () => [await sections(app), await badge(app)]);
}

/** 339 changes, as somebody would review them who has two minutes. */
async function aDayInTwoMinutes({ app, machine }) {
  const memory = machine.webshop;
  await app.see("inbox-section", "Needs you");
  await needsAre(app, 5);
  const changes = await total(app);
  assert.ok(changes >= 330, `${changes} changes`);
  const begun = await app.driver.run(() => performance.now());
  let presses = 0;
  const press = async (...keys) => {
    presses += keys.length;
    await app.press(...keys);
  };

  // The secret: its remedy is the first button, and the screen of redactions knows what it is.
  await app.see("item-title", "checkout.md");
  await app.see("primary-remedy", "Redact key");
  assert.equal((await app.see("need-notice")).includes(SECRET), false, "masked");
  // The hostile text is rolled back.
  await press("j");
  await app.see("item-title", "carrier.md");
  await press("x");
  await app.see("toast", "Rolled back");
  await until("the file to be as before", () => !readFileSync(join(memory, "carrier.md"), "utf8").includes("Ignore all"));
  // Twelve deletions are one row, and all are put back by one key.
  await app.see("item-title", "12 memories deleted at once");
  await press("x");
  await until("all twelve to be there", () => Array.from({ length: 12 }, (_, at) => join(memory, "infra", `host-${String(at + 1).padStart(3, "0")}.md`)).every(existsSync));
  await needsAre(app, 3);
  // The rest is routine: looked at as clusters, and approved at once.
  await press("]", "]");
  await app.see("item-title", "120 memories, the same edit");
  await app.see("cluster-line", "product_id");
  await app.see("cluster-line", "120 values");
  await press("Shift+A");
  await app.see("toast", "Approved");
  await until("nothing routine to be left", async () => (await sections(app)).every(([part]) => part === "needs"));
  assert.ok((await total(app)) <= 5);
  assert.ok(presses < 12, `${presses} presses`);
  const took = await app.driver.run((from) => performance.now() - from, begun);
  assert.ok(took < 120_000, `${took} ms`);
  // All of it comes back, the newest act first.
  await press("u");
  await until("the routine to be back", async () => (await total(app)) >= changes - 14);
}

/** Clusters: members on demand, a range, and a selection that stays. */
async function clustersAndRanges({ app }) {
  await app.see("inbox-section", "Routine");
  await app.click("inbox-head", "the same edit");
  await app.see("item-title", "120 memories, the same edit");
  await app.see("cluster-member", "sku-");
  await app.press("ArrowRight");
  await app.see("inbox-row", "sku-120.md");
  await app.press("j");
  const first = await app.see("item-title");
  await app.press("Shift+J");
  await app.see("item-title", "2 changes chosen");
  await app.press("Escape");
  await app.see("item-title", /^sku-\d+\.md$/);
  await app.press("k", "Shift+J", "Shift+J");
  await app.see("item-title", "3 changes chosen");
  await app.press("a");
  await app.see("toast", "Approved: 3 memories");
  await until("the next to be chosen", async () => /sku-\d+\.md/.test(await app.see("item-title")) && (await app.see("item-title")) !== first);
  await app.press("ArrowLeft");
  await app.see("item-title", "117 memories, the same edit");
  await app.press("ArrowLeft");
  await app.gone("inbox-row", "sku-001.md");
  await app.press("x");
  await app.see("toast", "Rolled back: 117 memories");
  await app.gone("inbox-head", "the same edit");
  await app.press("u");
  await app.see("inbox-head", "the same edit");
}

/** Walks of this file. They begin with the store recorded. */
export const triage = [
  { name: "reviews 339 changes of 14 sessions in few presses", steps: aDayInTwoMinutes, prepare: (machine) => aDayOfAgents(machine) },
  { name: "opens clusters, takes ranges, and rolls a cluster back", steps: clustersAndRanges, prepare: (machine) => aDayOfAgents(machine) },
];
