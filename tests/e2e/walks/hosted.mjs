/** A hosted store, mirrored from another `retrace serve`: what changes there is reviewed here, and goes back with a push. */
import assert from "node:assert/strict";
import { BERTHS } from "../harness/host.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const CLOSED = "# Berths\n\n- All berths are closed.\n";
const NEWER = "# Berths\n\n- Berth 2 is closed.\n";

/** Mirrors, reviews, queues, pushes; then a conflict. */
export async function theWholeWay({ app }, host) {
  await firstRun(app);
  await app.press("g", "o");
  await app.see("hosted-view", "No hosted store");
  await app.click("add-hosted-store");
  await app.fill("host-url", host.origin);
  await app.click("list-hosted");
  await app.see("hosted-found", "desk");
  await app.click('[data-testid="hosted-found"] .checkbox');
  await app.click("mirror-chosen");
  await app.see("mirror-row", "mirrored");
  await app.see("queue-empty");

  // The former state is known; what an agent changes at the host is in the inbox with the next pull.
  await host.write(CLOSED);
  await app.click("mirror-pull");
  await app.see("toast", "Pulled 1 version");
  await app.press("g", "i");
  await app.see("item-title", "berths.md");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "All berths are closed.");

  // Rejected: it waits, and the host has not heard of it.
  await app.press("x");
  await app.see("toast", `Queued for ${new URL(host.origin).host}`);
  assert.equal(await host.text(), CLOSED);
  await app.click("queued-note");
  await app.see("queue-row", "waiting");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Ferries take berth 1 to 4.");
  await app.press("p");
  await app.see("queue-empty");
  await until("the host to have it", async () => (await host.text()) === BERTHS, () => host.text());

  // A newer edit at the host is never overwritten.
  await host.write(CLOSED);
  await app.click("mirror-pull");
  await app.see("toast", "Pulled");
  await app.press("g", "i");
  await app.see("item-title", "berths.md");
  // A key does something once the difference is there.
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "All berths are closed.");
  await app.press("x");
  await app.see("queued-note");
  await host.write(NEWER);
  await app.click("queued-note");
  await app.see("queue-row", "waiting");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Ferries take berth 1 to 4.");
  await app.press("p");
  await app.see("queue-trouble", "Nothing was overwritten.");
  assert.equal(await host.text(), NEWER);
  await app.press("w");
  await app.see("queue-empty");
}
