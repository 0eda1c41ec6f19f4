/** The program goes away under an open page and comes back: the page says so, never goes blank, and goes on by itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { WEBSHOP } from "../harness/memories.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const SCREENS = ["timeline", "health", "context", "redactions", "stores", "settings", "memories", "inbox"];

async function goesAwayAndComesBack({ app, machine }) {
  await firstRun(app);
  await app.press("g", "i");
  await app.see("inbox-empty");
  await app.see("recording", "recording");
  // Screens are loaded beforehand, when the window has nothing better to do.
  await until("every screen to be loaded", () =>
    app.driver.run(() => {
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
      return ["TimelineScreen", "HealthScreen", "ContextLab", "RedactionsScreen", "StoresScreen", "SettingsScreen"].every(
        (screen) => loaded.some((name) => name.includes(screen)),
      );
    }),
  );
  await app.driver.goAway();
  await app.see("connection-lost", "The program has not answered since");
  await app.see("recording", "no answer");
  for (const screen of SCREENS) {
    await app.click(`nav-${screen}`);
    await until(`${screen} to show something`, async () => (await app.texts(":is(main)")).some((text) => text.trim().length > 0));
    assert.equal(await app.count("connection-lost"), 1, `it is said on ${screen}`);
    assert.equal(await app.count("screen-failed"), 0, `${screen} was loaded beforehand`);
  }
  await app.driver.comeBack();
  await app.gone("connection-lost");
  await app.see("recording", "recording");
  await app.see("inbox-empty");
  // Events come again, too.
  machine.write(join(machine.webshop, "testing.md"), `${WEBSHOP["testing.md"]}- Snapshots are written by hand.\n`);
  await app.see("inbox-row", "testing.md");
}

async function tellsWhatIsRecorded({ app }) {
  await firstRun(app);
  await app.see("recording", "recording");
  await app.click("nav-stores");
  await app.see("store-row", "webshop");
  const stores = await app.count("store-row");
  assert.ok(stores >= 2, `there are several: ${stores}`);
  for (let paused = 1; paused <= stores; paused += 1) {
    await app.click(`[data-testid="store-row"]:nth-child(${paused}) [data-testid="store-menu"]`);
    await app.click("store-pause", "Pause");
    await app.see("recording", paused < stores ? `recording ${stores - paused} of ${stores}` : "nothing recorded");
  }
}

/** Walks of this file; for the browser, whose program is another than the page's. */
export const connection = [
  { name: "is told that the program is gone, and goes on when it is back", steps: goesAwayAndComesBack },
  { name: "is told how much is recorded", steps: tellsWhatIsRecorded },
];
