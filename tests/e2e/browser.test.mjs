/** Every walk in a browser, over `retrace serve`. */
import { after, describe, test } from "node:test";
import { BrowserDriver, closeBrowser } from "./harness/browser.mjs";
import { Host, usesHost } from "./harness/host.mjs";
import { Hub, postgresPrograms } from "./harness/hub.mjs";
import { walk } from "./harness/session.mjs";
import { accessibility } from "./walks/accessibility.mjs";
import { connection } from "./walks/connection.mjs";
import { first } from "./walks/first.mjs";
import { everyDialog } from "./walks/dialogs.mjs";
import { hub } from "./walks/hub.mjs";
import { hubWindow, hubWindowOverTls } from "./walks/hub-window.mjs";
import { theWholeWay } from "./walks/hosted.mjs";
import { WALKS } from "./walks/index.mjs";
import { layout, weeksOfUse } from "./walks/layout.mjs";
import { narrow } from "./walks/narrow.mjs";
import { triage } from "./walks/triage.mjs";

/** Takes a walk that needs a host of the Memory Stores API beside the machine. */
async function withHost(name, options, steps) {
  const host = await Host.start();
  try {
    const open = (machine) => {
      usesHost(machine, host);
      return BrowserDriver.open(machine, options);
    };
    await walk(name, open, (context) => steps({ ...context, host }));
  } finally {
    await host.stop();
  }
}

// Two at a time: most of a walk is waiting.
describe("in a browser", { concurrency: 2 }, () => {
  after(closeBrowser);
  for (const { name, steps } of [...WALKS, ...connection]) test(name, () => walk(name, (machine) => BrowserDriver.open(machine), steps));
  for (const { name, steps, prepare } of [...triage, ...first]) test(name, () => walk(name, (machine) => BrowserDriver.open(machine), steps, prepare));
  test("mirrors a hosted store, reviews what changed there, and pushes", () => withHost("hosted store", {}, ({ host, ...context }) => theWholeWay(context, host)));
  for (const { name, steps } of accessibility) test(name, () => walk(name, (machine) => BrowserDriver.open(machine), steps));
  test(everyDialog.name, () => withHost("every dialog", {}, everyDialog.steps));
  // The last is a window of the usual size at 200 %.
  for (const size of [{ width: 480, height: 800 }, { width: 720, height: 900 }, { width: 680, height: 430 }])
    test(`${narrow.name}, ${size.width} by ${size.height}`, () => walk(`${narrow.name} ${size.width}`, (machine) => BrowserDriver.open(machine, { size }), narrow.steps));
  test(layout.name, () => {
    const prepared = async (machine) => {
      await weeksOfUse(machine);
      return BrowserDriver.open(machine);
    };
    return walk("layout", prepared, layout.steps);
  });
  const skip = postgresPrograms() === null && "PostgreSQL is not installed: scripts/install-packages test";
  test(hub.name, { skip }, async () => {
    const real = await Hub.start();
    try {
      await walk("hub", (machine) => BrowserDriver.open(machine), (context) => hub.steps({ ...context, hub: real }));
    } finally {
      await real.stop();
    }
  });
  test(hubWindow.name, { skip }, async () => {
    const real = await Hub.start("--window");
    try {
      await walk("hub window", (machine) => BrowserDriver.open(machine, { at: real.url }), (context) => hubWindow.steps({ ...context, hub: real }));
    } finally {
      await real.stop();
    }
  });
  test(hubWindowOverTls.name, { skip }, async () => {
    const real = await Hub.startWithTls("--window");
    try {
      await walk("hub window over TLS", (machine) => BrowserDriver.open(machine, { at: real.url }), (context) => hubWindowOverTls.steps({ ...context, hub: real }));
    } finally {
      await real.stop();
    }
  });
});
