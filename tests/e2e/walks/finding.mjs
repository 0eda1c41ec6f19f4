/** Search, the palette, and the keyboard alone. */
import assert from "node:assert/strict";
import { openChangedConventions } from "./history.mjs";
import { firstRun } from "../harness/session.mjs";

async function searches({ app, machine }) {
  await openChangedConventions({ app, machine });
  await app.click("open-palette");
  await app.fill("palette-input", "idempotent handlers");
  await app.see("search-hit", "payment-webhooks.md");
  await app.press("Escape");
  await app.gone("palette");

  // A removed content is found in the history only.
  await app.click("open-palette");
  await app.fill("palette-input", "three times with back-off");
  await app.gone("search-hit");
  await app.click("palette-history");
  await app.click("search-hit", "checkout-conventions.md");
  await app.gone("palette");
  await app.see("memory-title", "checkout-conventions.md");
  await app.see("document-line", "Retry failed payment calls three times");
}

async function worksByKeyboardAlone({ app, machine }) {
  await openChangedConventions({ app, machine });
  await app.press("Control+k");
  await app.see("palette");
  assert.ok(await app.holdsFocus("palette-input"));
  await app.fill("palette-input", "testing");
  await app.see("palette-item", "testing.md");
  await app.press("Enter");
  await app.gone("palette");
  await app.see("memory-title", "testing.md");

  await app.press("k");
  await app.see("memory-title", "payment-webhooks.md");
  await app.press("j");
  await app.see("memory-title", "testing.md");

  await app.press("k", "k");
  await app.see("memory-title", "checkout-conventions.md");
  await app.press("x");
  await app.see("act-dialog", "checkout-conventions.md");
  await app.press("Escape");
  await app.gone("act-dialog");

  await app.press("?");
  await app.see("key-help");
  await app.press("Escape");
  await app.gone("key-help");

  await app.press("g", "t");
  await app.see("timeline-row");
  await app.press("g", "r");
  await app.see("redact-secret");
  await app.press("g", "s");
  await app.see("store-row");
  await app.press("g", "m");
  await app.see("memory-title");

  // Tab reaches what the pointer reaches.
  await app.driver.run(() => document.activeElement?.blur());
  const reached = new Set();
  for (let presses = 0; presses < 40; presses += 1) {
    await app.press("Tab");
    reached.add(await app.driver.run(() => document.activeElement?.getAttribute("data-testid") ?? document.activeElement?.getAttribute("role")));
  }
  for (const wanted of ["open-palette", "nav-timeline", "store-select", "tree", "listbox", "redact-button", "time-axis"])
    assert.ok(reached.has(wanted), `Tab reaches ${wanted}; it reached ${[...reached].join(", ")}`);
}

async function showsHostileTextAsText({ app, machine }) {
  await firstRun(app);
  await app.choose("store-select", "infra");
  const text = [
    "# Notes",
    "",
    "<img src=x onerror=\"window.__ran = true\"> <script>window.__ran = true</script>",
    "[a link](javascript:window.__ran=true) and [another](https://example.invalid/)",
    "![a picture](https://example.invalid/p.png)",
    "zero\u200bwidth and \u202eturned\u202c text",
    "",
  ].join("\n");
  machine.write(`${machine.infra}/hostile.md`, text);
  await app.click("memory-row", "hostile.md");
  await app.see("document-line", "onerror");
  await app.see("hidden-mark", "200B");
  await app.see("hidden-mark", "202E");
  await app.click("tab-diff");
  await app.click("view-rendered");
  await app.see("rendered", "Notes");
  const loaded = await app.driver.run(() => ({
    pictures: document.querySelectorAll('[data-testid="rendered"] img').length,
    links: document.querySelectorAll('[data-testid="rendered"] a[href]').length,
    ran: window.__ran === true,
  }));
  assert.deepEqual(loaded, { pictures: 0, links: 0, ran: false });
}

/** Walks of this file. */
export const finding = [
  { name: "finds text now and in the history", steps: searches },
  { name: "works by keyboard alone", steps: worksByKeyboardAlone },
  { name: "shows hostile text as text", steps: showsHostileTextAsText },
];
