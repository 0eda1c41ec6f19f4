/**
 * Background work of the app, on a real desktop in memory: the tray as a panel shows it, messages as a service for
 * them shows them, and one window for each data directory.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { promisify } from "node:util";
import { Agent } from "./harness/agent.mjs";
import { Desktop, noDesktop } from "./harness/desktop.mjs";
import { SECRET } from "./harness/memories.mjs";
import { start, stop } from "./harness/process.mjs";
import { desktop as program, runRetrace } from "./harness/programs.mjs";
import { ENDED, firstRun, machineWithMemories, walk } from "./harness/session.mjs";
import { until } from "./harness/wait.mjs";
import { startScreen, windowEnvironment, WindowDriver } from "./harness/window.mjs";
import { brokenRule, confirmRule } from "./walks/rules.mjs";

const skip = await noDesktop();
let screen;
let desktop;
before(async () => {
  if (skip) return;
  screen = await startScreen();
  desktop = await Desktop.start(screen);
});
after(async () => {
  await desktop?.stop();
  await screen?.stop();
});

const PAUSE = "Pause recording";
const RESUME = "Resume recording";
const OPEN = "Open the inbox";
const QUIT = "Quit Retrace";

/** A walk on a desktop, over the machine's memories, which are recorded already. */
function beside(name, steps, { on = () => desktop, environment = {} } = {}) {
  test(name, { skip }, () => {
    const opened = async (machine) => {
      await record(machine);
      return WindowDriver.open(program(), machine, screen, { ...on().forPrograms, ...environment });
    };
    // Effects of earlier walks do not count here.
    return on()
      .forgetMessages()
      .then(() => walk(name, opened, (context) => steps({ ...context, desktop: on() })));
  });
}

async function record(machine) {
  const added = await runRetrace(machine, "stores", "add", machine.webshop, "--kind", "claude-auto", "--name", "webshop");
  assert.equal(added.status, 0);
}

/** Starts the app without anything that drives it. */
const startApp = (machine) => start(program(), [], { env: machine.environment({ ...windowEnvironment(screen), ...desktop.forPrograms }), stdio: "ignore" });

/** Versions in the log, as another process reads them. */
async function versions(machine) {
  const { printed } = await runRetrace(machine, "log");
  return printed.length;
}

beside("the tray tells how much is to review and when memory was written last", async ({ desktop, machine, app }) => {
  await app.see("recording", "recording");
  const tray = await desktop.trayItem();
  assert.equal(await tray.get("Title"), "Retrace");
  assert.equal(await tray.get("Status"), "Active");
  await tray.see("Nothing to review");
  await tray.see(/^Last write: \d\d:\d\d$/);
  const plain = await tray.get("IconName");
  machine.write(join(machine.webshop, "search.md"), "# Search\n");
  await tray.see("1 change to review");
  machine.write(join(machine.webshop, "stock.md"), "# Stock\n");
  await tray.see("2 changes to review");
  await tray.see(/^Last write: \d\d:\d\d$/);
  // Panels show no text beside an icon, so the number is in the picture.
  const marked = await until("another picture", async () => {
    const name = await tray.get("IconName");
    return name !== plain && existsSync(name) && name;
  });
  assert.ok(marked.startsWith(join(machine.data, "tray")), "in a place that no other window uses");
  assert.deepEqual((await tray.menu()).map(({ label, enabled }) => [label, enabled]).slice(2), [[OPEN, true], [PAUSE, true], [QUIT, true]]);
  // It speaks the language of the window.
  await app.click("nav-settings");
  await app.choose("language", "日本語");
  await tray.see("記録を一時停止");
  await tray.see("確認待ちの変更 2 件");
});

beside("the tray pauses and resumes recording", async ({ desktop, machine, app }) => {
  await app.see("recording", "recording");
  const tray = await desktop.trayItem();
  await tray.see("Nothing to review");
  const before = await versions(machine);
  await tray.choose(PAUSE);
  await tray.see(RESUME);
  await app.see("recording", "not recording");
  machine.write(join(machine.webshop, "search.md"), "# Search\n");
  // For longer than a change takes to be recorded.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    assert.equal(await versions(machine), before);
    await tray.see("Nothing to review");
  }
  await tray.choose(RESUME);
  await tray.see(PAUSE);
  await tray.see("1 change to review");
  assert.equal(await versions(machine), before + 1);
  await app.gone("recording", "not recording");
});

beside("the app stays in the tray when its window is closed, and opens the inbox from there", async ({ desktop, machine, app }) => {
  const tray = await staysInTray(app, desktop);
  await desktop.closeWindow();
  await desktop.seesWindows(0);
  machine.write(join(machine.webshop, "search.md"), "# Search\n");
  await tray.see("1 change to review");
  await tray.choose(OPEN);
  await desktop.seesWindows(1);
  await app.see("inbox-row", "search.md");
  // It works a second time.
  await desktop.closeWindow();
  await desktop.seesWindows(0);
  // A start of the app brings the same window back.
  const again = startApp(machine);
  assert.deepEqual(await once(again, "exit"), [0, null]);
  await desktop.seesWindows(1);
});

/** Has the app stay in the tray when its window is closed, and gives the tray. */
async function staysInTray(app, desktop) {
  await app.click("nav-settings");
  await app.see("desktop-settings");
  await app.gone("no-tray");
  await app.click("keep-in-tray");
  await app.see('[data-testid="keep-in-tray"][data-selected]');
  return desktop.trayItem();
}

beside("closing the window ends the app once the panel with the tray is gone", async ({ desktop, app }) => {
  await staysInTray(app, desktop);
  assert.deepEqual(await app.complaints(), []);
  await desktop.stopPanel();
  try {
    await desktop.closeWindow();
    await app.driver.ended();
    return ENDED;
  } finally {
    await desktop.startPanel();
  }
});

test("the app ends from the tray, and lets go of its data", { skip }, async () => {
  const machine = machineWithMemories();
  await record(machine);
  const app = startApp(machine);
  try {
    const tray = await desktop.trayItem();
    await tray.see("Nothing to review");
    await desktop.seesWindows(1);
    await tray.choose(QUIT);
    assert.deepEqual(await once(app, "exit"), [0, null]);
    for (const lock of ["desktop.lock", "owner.lock"])
      await promisify(execFile)("flock", ["--nonblock", join(machine.data, lock), "true"]);
    await until("the icon to go", async () => (await desktop.trayItems()).length === 0);
  } finally {
    await stop(app);
    await machine.remove();
  }
});

beside("a message comes at once for a secret, hidden text and a mass delete, once for each", async ({ desktop, machine, app }) => {
  await app.see("recording", "recording");
  const tray = await desktop.trayItem();
  await tray.see("Nothing to review");
  const write = (name, text) => machine.write(join(machine.webshop, name), text);
  write("deploy.md", `# Deploy\n\n- The key is ${SECRET}.\n`);
  await desktop.seesMessages(1);
  // The same secret again is no news.
  write("deploy.md", `# Deploy\n\n- The key is still ${SECRET}.\n`);
  write("ignore.md", "# Notes\n\nNothing to\u202esee here.\n");
  await desktop.seesMessages(2);
  for (const name of ["MEMORY.md", "checkout-conventions.md", "payment-webhooks.md", "testing.md", "deploy.md"]) rmSync(join(machine.webshop, name));
  const messages = await desktop.seesMessages(3);
  assert.deepEqual(
    messages.map(({ appname, summary }) => [appname, summary]),
    [
      ["Retrace", "Something like a secret was written to memory"],
      ["Retrace", "Hidden text was written to memory"],
      ["Retrace", "Many memories were deleted at once"],
    ],
  );
  assert.deepEqual(messages.slice(0, 2).map(({ body }) => body), ["deploy.md", "ignore.md"]);
  assert.match(messages[2].body, /^[\w-]+\.md, and 4 more$/);
  assert.ok(!JSON.stringify(messages).includes(SECRET.slice(0, 12)), "no message holds the secret");
  assert.ok(!JSON.stringify(messages).includes("still"), "nor any other text of a memory");
});

beside("a message comes when a rule is broken, and the inbox has the call", async ({ desktop, machine, app }) => {
  const agent = brokenRule(machine);
  await confirmRule(app);
  // What was broken before anybody followed is in the ledger and no news.
  assert.deepEqual(await desktop.messages(), []);
  agent.runs("npm ls");
  const [{ summary, body }] = await desktop.seesMessages(1);
  assert.equal(summary, "A session broke a rule");
  assert.match(body, /^Use pnpm, never npm\.\n.*npm ls/);
  await app.click("nav-inbox");
  await app.see("broken-rule", "npm ls");
});

/** Milliseconds after which a session is quiet, so that nobody waits for minutes. */
const QUIET_MS = 1_500;
const SOON = { RETRACE_TEST_QUIET_MS: String(QUIET_MS) };

beside(
  "a session gets one digest once it is quiet; a press on it opens the inbox",
  async ({ desktop, machine, app }) => {
    const tray = await staysInTray(app, desktop);
    await tray.see("Nothing to review");
    const agent = new Agent(machine, "webshop", machine.webshop, "7d0f1c52-0a3e-4b8e-9b1d-3f5a6c7d8e90");
    agent.hears(`Tidy <b>up</b> & go, the key is ${SECRET}`);
    agent.writes("search.md", "# Search\n\n- Titles weigh three times as much.\n");
    agent.writes("stock.md", "# Stock\n\n- Counted at night.\n");
    await desktop.closeWindow();
    await desktop.seesWindows(0);
    await desktop.pressMessage();
    await desktop.seesWindows(1);
    await app.see("inbox-row", "search.md");
    const [digest] = await desktop.seesMessages(1);
    assert.equal(digest.summary, "Tidy <b>up</b> & go, the key is •••");
    assert.match(digest.body, /^2 memories changed\n(search\.md, stock\.md|stock\.md, search\.md)$/);

    // Later writes of the session get no message. Another's, that comes after it, shows that none is still to come.
    agent.writes("stock.md", "# Stock\n\n- Counted twice a day.\n");
    await app.see("inbox-row", "stock.md");
    await tray.see("2 changes to review");
    const other = new Agent(machine, "webshop", machine.webshop, "2b6e8a10-9c1d-4f0e-8a7b-5d4c3b2a1f0e");
    other.hears("Write down the colours & sizes");
    other.writes("a&b.md", "# Colours\n");
    const messages = await desktop.seesMessages(2);
    assert.deepEqual(
      messages.slice(1).map(({ summary, body }) => [summary, body]),
      // The body may hold markup, so what stood in a name is marked as none.
      [["Write down the colours & sizes", "1 memory changed\na&amp;b.md"]],
    );
    assert.ok(!JSON.stringify(messages).includes(SECRET.slice(0, 12)), "no message holds the secret");
  },
  { environment: SOON },
);

beside(
  "no message comes when they are switched off",
  async ({ desktop, machine, app }) => {
    await app.click("nav-settings");
    for (const choice of ["digests", "alarms"]) {
      await app.see(`[data-testid="${choice}"][data-selected]`);
      await app.click(choice);
      await app.gone(`[data-testid="${choice}"][data-selected]`);
    }
    const tray = await desktop.trayItem();
    machine.write(join(machine.webshop, "deploy.md"), `# Deploy\n\n- The key is ${SECRET}.\n`);
    await tray.see("1 change to review");
    // For longer than it takes until a session is quiet.
    const end = Date.now() + 3 * QUIET_MS;
    while (Date.now() < end) assert.deepEqual(await desktop.messages(), []);
    // Switched on, what comes from then on is told, and nothing of before.
    await app.click("alarms");
    await app.see('[data-testid="alarms"][data-selected]');
    machine.write(join(machine.webshop, "ignore.md"), "# Notes\n\nNothing to\u202esee here.\n");
    const messages = await desktop.seesMessages(1);
    assert.deepEqual(
      messages.map(({ summary }) => summary),
      ["Hidden text was written to memory"],
    );
  },
  { environment: SOON },
);

test("without a tray the window says so, and closing it ends the app", { skip }, async () => {
  // A screen of its own: the icon would find the other's panel by it.
  const place = await startScreen();
  const bare = await Desktop.start(place, { tray: false });
  const opened = (machine) => WindowDriver.open(program(), machine, place, bare.forPrograms);
  try {
    await walk("no tray", opened, async ({ app }) => {
      await firstRun(app);
      await app.click("nav-settings");
      await app.see("no-tray", "closing the window ends the app");
      await app.click("keep-in-tray");
      await app.see('[data-testid="keep-in-tray"][data-selected]');
      assert.deepEqual(await app.complaints(), []);
      await bare.closeWindow();
      await app.driver.ended();
      return ENDED;
    });
  } finally {
    await bare.stop();
    await place.stop();
  }
});

test("of several starts over one data directory one window lives, whatever ends it", { skip }, async () => {
  const machine = machineWithMemories();
  await record(machine);
  const running = new Set();
  const begin = (on) => {
    const app = startApp(on);
    app.ended = once(app, "exit").finally(() => running.delete(app));
    running.add(app);
    return app;
  };
  const other = machineWithMemories();
  try {
    for (let round = 0; round < 5; round += 1) {
      const apps = [begin(machine), begin(machine), begin(machine)];
      // All but one end by themselves, content.
      await until("one to be left", () => apps.filter((app) => running.has(app)).length === 1, () => apps.filter((app) => running.has(app)).length);
      const [first] = apps.filter((app) => running.has(app));
      for (const app of apps.filter((each) => each !== first)) assert.deepEqual(await app.ended, [0, null]);
      await desktop.seesWindows(1);
      if (round === 0) {
        // Over another data directory it is another app.
        const elsewhere = begin(other);
        await desktop.seesWindows(2);
        assert.ok(running.has(first) && running.has(elsewhere));
        await stop(elsewhere);
      }
      // The next round finds what a process leaves that could not clean up, or one that is just ending.
      first.kill(round % 2 ? "SIGTERM" : "SIGKILL");
      if (round % 2 === 0) await first.ended;
      else {
        const next = begin(machine);
        await first.ended;
        await desktop.seesWindows(1);
        assert.ok(running.has(next), "a start while the first ends is the next first");
        await stop(next);
      }
      await desktop.seesWindows(0);
    }
  } finally {
    for (const app of running) await stop(app);
    await machine.remove();
    await other.remove();
  }
});
