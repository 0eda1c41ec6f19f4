/** Every walk in a browser, over `retrace serve`. */
import test from "node:test";
import { BrowserDriver } from "./harness/browser.mjs";
import { Host, usesHost } from "./harness/host.mjs";
import { walk } from "./harness/session.mjs";
import { accessibility } from "./walks/accessibility.mjs";
import { theWholeWay } from "./walks/hosted.mjs";
import { WALKS } from "./walks/index.mjs";

for (const { name, steps } of WALKS) test(name, () => walk(name, (machine) => BrowserDriver.open(machine), steps));
test("mirrors a hosted store, reviews what changed there, and pushes", async () => {
  const host = await Host.start();
  try {
    const open = (machine) => {
      usesHost(machine, host);
      return BrowserDriver.open(machine);
    };
    await walk("hosted store", open, (context) => theWholeWay(context, host));
  } finally {
    await host.stop();
  }
});
for (const dark of [false, true])
  for (const { name, steps } of accessibility)
    test(`${name}, ${dark ? "dark" : "light"}`, () => walk(name, (machine) => BrowserDriver.open(machine, { dark }), steps));
