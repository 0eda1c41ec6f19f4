/**
 * Measures the inbox in the real window with ten thousand changes left to review: frames while the list scrolls from its
 * top to its end, and the time from the key `j` until the next difference is painted. Prints what it measured; fails only
 * when something is not there at all, for figures depend on the machine.
 *
 *   node tests/e2e/inbox-speed.mjs [CHANGES]
 */
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { App } from "./harness/app.mjs";
import { desktop, runRetrace } from "./harness/programs.mjs";
import { machineWithMemories } from "./harness/session.mjs";
import { until } from "./harness/wait.mjs";
import { startScreen, WindowDriver } from "./harness/window.mjs";

/** Keys that are measured. */
const STEPS = 40;
/** A list that is scrolled by hand passes about so many pixels a frame. */
const PIXELS_A_FRAME = 60;

const changes = Number(process.argv[2] ?? 10_000);

/** Notes of a few lines, different for each number; `later` changes one line and adds one. */
function note(number, later) {
  const lines = Array.from({ length: 12 }, (_, at) => `- Line ${at} of note ${number} says what was decided then.`);
  if (later) lines.splice(4, 1, `- Line 4 of note ${number} says something else now.`, "- And one more.");
  return `# Note ${number}\n\n${lines.join("\n")}\n`;
}

function writeAll(machine, later) {
  for (let number = 0; number < changes; number += 1)
    machine.write(join(machine.webshop, `notes/${String(number % 100).padStart(2, "0")}/note-${number}.md`), note(number, later));
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const at = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = (value) => `${value.toFixed(1)} ms`;

/** Runs in the page: begins to keep when each frame came. */
function countFrames() {
  const frames = (window.__frames = []);
  const next = (time) => {
    frames.push(time);
    if (window.__frames === frames) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** Runs in the page: scrolls the list by a step in each frame until its end is reached. */
function scrollOn(step) {
  const list = document.querySelector('[data-testid="inbox-list"]');
  window.__scrolled = { done: false, blank: 0, frames: 0 };
  const next = () => {
    const before = list.scrollTop;
    list.scrollTop = before + step;
    const [middle] = document.elementsFromPoint(list.getBoundingClientRect().left + 60, list.getBoundingClientRect().top + 200);
    window.__scrolled.frames += 1;
    if (!middle?.closest(".virtual-row")) window.__scrolled.blank += 1;
    if (list.scrollTop === before) window.__scrolled.done = true;
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/**
 * Runs in the page: measures each `j` from its event until the frame after the one in which another difference stands. A
 * frame callback runs before its frame is painted; the callback after it runs when that frame is out.
 */
function measureKeys() {
  window.__keys = [];
  const shown = () => `${document.querySelector('[data-testid="item-title"]')?.textContent} ${document.querySelector('[data-testid="inbox-pane"] [data-testid="diff"]')?.textContent ?? ""}`;
  const hasDifference = () => document.querySelector('[data-testid="inbox-pane"] [data-testid="diff-line"]') !== null;
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "j") return;
      const [begun, before] = [performance.now(), shown()];
      const poll = () => {
        if (shown() === before || !hasDifference()) requestAnimationFrame(poll);
        else requestAnimationFrame(() => window.__keys.push({ begun, took: performance.now() - begun }));
      };
      requestAnimationFrame(poll);
    },
    { capture: true },
  );
}

/** Runs in the page: keeps which commands were asked, when, and how long each took. */
function followCommands() {
  window.__asked = [];
  const before = window.fetch;
  window.fetch = (address, given) => {
    const begun = performance.now();
    const of = /"name":"(\w+)"/.exec(String(given?.body))?.[1] ?? String(address).split("/").at(-1);
    const answer = before(address, given);
    const end = () => window.__asked.push({ of, begun, took: performance.now() - begun });
    answer.then(end, end);
    return answer;
  };
}

/** Waits until the window has asked for nothing for two seconds: the index, the findings and the origins are done. */
async function atRest(driver) {
  const quiet = () => driver.run(() => performance.now() - Math.max(0, ...window.__asked.map(({ begun, took }) => begun + took)) > 2000);
  await until("the window to be at rest", quiet);
}

/** Presses the key so many times and prints how long each took. */
async function pressKeys(app, driver, when) {
  await driver.run(() => {
    window.__keys.length = 0;
    window.__asked.length = 0;
  });
  for (let step = 1; step <= STEPS; step += 1) {
    await app.press("j");
    await until(`difference ${step}`, async () => (await driver.run(() => window.__keys.length)) === step);
  }
  const pressed = await driver.run(() => window.__keys);
  const asked = await driver.run(() => window.__asked);
  const keys = pressed.map(({ took }) => took);
  console.log(`key to the next difference, ${when}: median ${ms(at(keys, 0.5))}, 95 % ${ms(at(keys, 0.95))}, worst ${ms(Math.max(...keys))}, of ${keys.length}; ${keys.filter((took) => took < 50).length} below 50 ms`);
  for (const name of new Set(asked.map(({ of }) => of))) {
    const took = asked.filter(({ of }) => of === name).map((one) => one.took);
    console.log(`  ${name} asked ${took.length} times meanwhile: median ${ms(at(took, 0.5))}, worst ${ms(Math.max(...took))}`);
  }
  for (const [place, { begun, took }] of pressed.entries()) {
    if (took <= 50) continue;
    const within = asked.filter((one) => one.begun < begun + took && one.begun + one.took > begun);
    const names = within.map((one) => `${one.of} ${ms(one.took)}`).join(", ");
    console.log(`  key ${place + 1} took ${ms(took)}; asked meanwhile: ${names || "nothing"}`);
  }
}

const machine = machineWithMemories();
const screen = await startScreen();
try {
  writeAll(machine, false);
  const added = await runRetrace(machine, "stores", "add", machine.webshop, "--kind", "claude-auto", "--name", "webshop");
  if (added.status !== 0) throw new Error("the store was not added");
  writeAll(machine, true);

  const driver = await WindowDriver.open(desktop(), machine, screen);
  try {
    const app = new App(driver);
    const opened = performance.now();
    // The window itself finds and records what changed while nothing ran.
    await until("all changes to be recorded", () => driver.run((count) => Number(document.querySelector('[data-testid="inbox-total"]')?.dataset.total) === count, changes));
    console.log(`machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`);
    console.log(`items: ${await driver.run(() => document.querySelector('[data-testid="inbox-total"]').dataset.total)}, all recorded ${ms(performance.now() - opened)} after the window answered`);

    await driver.run(measureKeys);
    await driver.run(followCommands);
    await app.see("diff-line");
    await pressKeys(app, driver, "while the changes are still taken up");
    await atRest(driver);
    await pressKeys(app, driver, "at rest");

    // To the end once, so that all pages are there; then measured, from the top.
    const height = () => driver.run(() => document.querySelector('[data-testid="inbox-list"]').scrollHeight);
    await until("all pages", async () => {
      await driver.run(() => {
        const list = document.querySelector('[data-testid="inbox-list"]');
        list.scrollTop = list.scrollHeight;
      });
      return (await height()) >= changes * 50;
    });
    await driver.run(() => document.querySelector('[data-testid="inbox-list"]').scrollTo({ top: 0 }));
    await atRest(driver);
    // An empty page first: what the screen itself gives.
    await driver.run(countFrames);
    await until("some frames", async () => (await driver.run(() => window.__frames.length)) > 120);
    const idle = await driver.run(() => window.__frames);
    await driver.run(countFrames);
    await driver.run(scrollOn, PIXELS_A_FRAME);
    await until("some seconds of scrolling", async () => (await driver.run(() => window.__frames.length)) > 600);
    const frames = await driver.run(() => window.__frames);
    const scrolled = await driver.run(() => window.__scrolled);
    const between = (list) => list.slice(1).map((time, place) => time - list[place]);
    const rate = (list) => (1000 * (list.length - 1)) / (list.at(-1) - list[0]);
    console.log(`frames without scrolling: ${rate(idle).toFixed(1)} a second`);
    const gaps = between(frames);
    console.log(`frames while scrolling: ${rate(frames).toFixed(1)} a second, between two: median ${ms(at(gaps, 0.5))}, 99 % ${ms(at(gaps, 0.99))}, worst ${ms(Math.max(...gaps))}; ${scrolled.blank} of ${scrolled.frames} showed no row`);
  } finally {
    await driver.close();
  }
} finally {
  await screen.stop();
  await machine.remove();
}
