/** A narrow window: nothing is cut off at the side, and nothing has to be scrolled sideways but what is a table or code. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { firstRun } from "../harness/session.mjs";
import { writeRun } from "../harness/transcripts.mjs";

/** Parts that hold wide things and scroll by themselves. */
const SCROLLS = ["auto", "scroll"];

/**
 * Runs in the page. What reaches beyond the right edge of the window and cannot be scrolled to in a part of its own; and
 * the page itself when it is wider than the window.
 */
function beyond(scrolls) {
  const width = document.documentElement.clientWidth;
  const found = document.documentElement.scrollWidth > width ? [`the page: ${document.documentElement.scrollWidth} of ${width}`] : [];
  const held = (element) => {
    for (let part = element.parentElement; part; part = part.parentElement) if (scrolls.includes(getComputedStyle(part).overflowX)) return true;
    return false;
  };
  for (const element of document.querySelectorAll("body *")) {
    const { right, left, width: wide, height } = element.getBoundingClientRect();
    const drawn = wide > 1 && height > 1 && getComputedStyle(element).visibility === "visible" && !element.closest(".visually-hidden, svg, [data-live-announcer]");
    if (!drawn || (right <= width + 1 && left >= -1) || held(element)) continue;
    // The outermost is enough.
    const parent = element.parentElement?.getBoundingClientRect();
    if (parent && parent.right > width + 1) continue;
    found.push(`${element.tagName.toLowerCase()}.${element.className} [${element.dataset.testid ?? ""}]: ${Math.round(left)} to ${Math.round(right)}`);
  }
  return found;
}

async function fits({ app, machine }) {
  const problems = [];
  const check = async (where) => {
    await app.settled();
    problems.push(...(await app.driver.run(beyond, SCROLLS)).map((one) => `${where}: ${one}`));
  };
  writeRun(machine, dirname(machine.webshop));
  await app.see("found-row");
  await check("first run");
  await firstRun(app);
  machine.write(join(machine.infra, "a-rather-long-name-of-a-memory-about-deployments.md"), "# Later\n\nSee [[nothing]] and [a file](gone.md).\u200b\n");
  await app.see("memory-row", "a-rather-long");
  const screens = await app.driver.run(() => Array.from(document.querySelectorAll('[data-testid^="nav-"]'), (link) => link.dataset.testid));
  assert.ok(screens.length >= 6, `the navigation leads somewhere: ${screens}`);
  // The navigation is put away; its links lead there all the same.
  const go = (screen) => app.driver.run((id) => document.querySelector(`[data-testid="${id}"]`).click(), screen);
  await app.click("open-nav");
  await check("the navigation");
  await app.click("open-nav");
  for (const screen of screens) {
    await go(screen);
    await check(screen);
    const views = await app.driver.run(() => Array.from(document.querySelectorAll('main [data-testid^="view-"], main [data-testid^="tab-"]'), (one) => one.dataset.testid));
    for (const view of views.filter((one) => !["view-light", "view-dark"].includes(one))) {
      if (!(await app.count(view))) continue;
      await app.click(view);
      await check(`${screen}, ${view}`);
    }
  }
  assert.equal(problems.length, 0, `${problems.length} found\n${problems.join("\n")}`);
}

/** The walk of this file. It needs a driver whose size can be chosen. */
export const narrow = { name: "fits a narrow window", steps: fits };
