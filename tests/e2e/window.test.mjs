/** Every walk in the real window, and what only the window has. */
import assert from "node:assert/strict";
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { App } from "./harness/app.mjs";
import { Host, usesHost } from "./harness/host.mjs";
import { SECRET } from "./harness/memories.mjs";
import { start, stop } from "./harness/process.mjs";
import { desktop, retrace, runRetrace } from "./harness/programs.mjs";
import { firstRun, machineWithMemories, pictureOf, walk } from "./harness/session.mjs";
import { until } from "./harness/wait.mjs";
import { startScreen, WindowDriver } from "./harness/window.mjs";
import { first } from "./walks/first.mjs";
import { theWholeWay } from "./walks/hosted.mjs";
import { WALKS } from "./walks/index.mjs";

let screen;
before(async () => {
  screen = await startScreen();
});
after(() => screen?.stop());

const open = (machine, environment) => WindowDriver.open(desktop(), machine, screen, environment);

for (const { name, steps, environment } of WALKS)
  test(name, () => walk(name, (machine) => open(machine, environment?.(machine)), steps));

for (const { name, steps, prepare } of first) test(name, () => walk(name, (machine) => open(machine), steps, prepare));

test("mirrors a hosted store, reviews what changed there, and pushes", async () => {
  const host = await Host.start();
  try {
    const prepared = (machine) => {
      usesHost(machine, host);
      return open(machine);
    };
    await walk("hosted store", prepared, (context) => theWholeWay(context, host));
  } finally {
    await host.stop();
  }
});

test("opens and says so when the log is of a newer program", async () => {
  const name = "newer log";
  const prepared = async (machine) => {
    const added = await runRetrace(machine, "stores", "add", machine.webshop);
    assert.equal(added.status, 0);
    // SQLite keeps the number of the schema in bytes 60 to 63 of the file, which is `user_version`.
    const database = readdirSync(machine.data).map((file) => join(machine.data, file)).find((file) => readFileSync(file).subarray(0, 15).toString() === "SQLite format 3");
    writeSync(openSync(database, "r+"), Buffer.from([0, 0, 0x27, 0x0f]), 0, 4, 60);
    return open(machine);
  };
  await walk(name, prepared, async ({ app }) => {
    await app.see("failure", /newer/i);
  });
});

test("shows what another process records, and says that it does", async () => {
  let recorder;
  const prepared = async (machine) => {
    await runRetrace(machine, "stores", "add", machine.webshop, "--kind", "claude-auto", "--name", "webshop");
    recorder = start(retrace(), ["record"], { env: machine.environment(), stdio: "ignore" });
    return open(machine);
  };
  try {
    await walk("another process records", prepared, async ({ app, machine }) => {
      await app.see('[data-testid="recording"][title^="Another process records"]');
      await app.click("nav-memories");
      machine.write(join(machine.webshop, "search.md"), "# Search\n");
      await app.see("memory-row", "search.md");
      // When that process is gone, this one takes over.
      await stop(recorder);
      await app.see('[data-testid="recording"][title^="This program records"]');
      machine.write(join(machine.webshop, "later.md"), "# Later\n");
      await app.see("memory-row", "later.md");
    });
  } finally {
    if (recorder) await stop(recorder);
  }
});

test("stays on its own pages", () =>
  walk("stays on its own pages", open, async ({ app }) => {
    await firstRun(app);
    const before = await app.driver.run(() => location.href.split("#")[0]);
    await app.driver.run(() => {
      location.href = "https://example.invalid/";
    });
    await app.driver.run(() => void window.open("https://example.invalid/"));
    await app.click("nav-timeline");
    await app.see("timeline-row");
    assert.equal(await app.driver.run(() => location.href.split("#")[0]), before);
    const refused = await app.driver.run(() =>
      fetch("https://example.invalid/").then(
        () => "loaded",
        () => "refused",
      ),
    );
    assert.equal(refused, "refused");
    // The last look was meant to be refused; only that may have been complained about.
    await app.driver.run(() => void (window.__complaints.length = 0));
  }));

test("exports a receipt to the downloads", () =>
  walk("exports a receipt", open, async ({ app, machine }) => {
    const downloads = join(machine.home, "Downloads");
    mkdirSync(downloads, { recursive: true });
    machine.write(join(machine.root, "xdg/config/user-dirs.dirs"), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
    await firstRun(app);
    await app.click("nav-redactions");
    await app.fill("redact-secret", SECRET);
    await app.click("redact-find");
    await app.click("redact-places");
    await app.click("redact-confirm");
    await app.see("receipt");
    await app.click("export-receipt");
    const file = await until("the receipt in the downloads", () => readdirSync(downloads).find((name) => /^receipt_\w+\.json$/.test(name)));
    await until("the receipt to be whole", () => JSON.parse(readFileSync(join(downloads, file), "utf8")).id.startsWith("receipt_"));
  }));

test("leaves a picture of what was on screen when a walk fails", async () => {
  const name = "one that fails on purpose";
  const picture = pictureOf("window", name);
  rmSync(picture, { force: true });
  const failing = async ({ app }) => {
    await app.see("first-run");
    throw new Error("on purpose");
  };
  await assert.rejects(walk(name, open, failing), /on purpose/);
  // A screen with something on it; an empty one of this size takes a few hundred bytes.
  assert.ok(readFileSync(picture).length > 5_000);
  rmSync(picture);
});

test("remembers its size", async () => {
  const machine = machineWithMemories();
  const openAndSee = async (steps) => {
    const driver = await open(machine);
    try {
      await new App(driver).see("first-run");
      await steps(driver);
    } finally {
      await driver.close();
    }
  };
  const width = (driver) => driver.run(() => window.innerWidth);
  try {
    await openAndSee(async (driver) => {
      assert.equal(await width(driver), 1360);
      await driver.resize(1000, 700);
      await until("the new size", async () => (await width(driver)) === 1000);
      await driver.quit();
    });
    await openAndSee(async (driver) => assert.equal(await width(driver), 1000));
  } finally {
    await machine.remove();
  }
});
