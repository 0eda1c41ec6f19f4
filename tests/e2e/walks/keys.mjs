/** Keys work wherever the focus is: on a list of choices, on a button, and on nothing. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../harness/wait.mjs";
import { firstRun } from "../harness/session.mjs";

async function worksFromEverywhere({ app, machine }) {
  await firstRun(app);
  const names = ["one.md", "two.md", "three.md"];
  for (const name of names) machine.write(join(machine.webshop, name), `# ${name}\n\n- Written just now.\n`);
  await app.driver.run(() => (location.hash = "#/inbox"));
  for (const name of names) await app.see("inbox-row", name);
  const focus = (css) => app.driver.run((wanted) => document.querySelector(wanted).focus(), css);
  const rows = (await app.texts("inbox-row")).map((row) => names.find((name) => row.includes(name)));
  assert.deepEqual([...rows].sort(), [...names].sort());
  // Each press starts from the first or the second row, shown: a title that is still on its way proves nothing.
  const goesOn = async (key, row) => {
    await app.press(key);
    await app.see("item-title", rows[row]);
  };
  const begin = async () => {
    await app.click("inbox-row", rows[1]);
    await app.see("item-title", rows[1]);
    await goesOn("k", 0);
  };
  await begin();
  const list = '[data-testid="inbox-store"]';
  await focus(list);
  await goesOn("j", 1);
  await focus(list);
  await goesOn("k", 0);
  // Its own keys stay its own: the arrow changes the choice.
  await focus(list);
  const chosen = () => app.driver.run((css) => document.querySelector(css).selectedIndex, list);
  const before = await chosen();
  await app.press("ArrowDown");
  await until("the arrow to change the choice", async () => (await chosen()) !== before);
  await app.press("ArrowUp");
  await until("the arrow to change it back", async () => (await chosen()) === before);
  await begin();
  for (const css of ['[data-testid="approve"]', '[data-testid="nav-inbox"]']) {
    await focus(css);
    await goesOn("ArrowDown", 1);
    await focus(css);
    await goesOn("ArrowUp", 0);
    await focus(css);
    await goesOn("j", 1);
    await goesOn("k", 0);
  }
}

/** Walks of this file. */
export const keys = [{ name: "keys work wherever the focus is", steps: worksFromEverywhere }];
