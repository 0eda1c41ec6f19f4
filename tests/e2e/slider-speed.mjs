/**
 * Measures how soon a slider of the context lab is answered: from the key that moves it to the line in the page, and to
 * the end of the frame that draws it.
 *
 *   npm --prefix ui run build && cargo build --release -p retrace-cli
 *   RETRACE_BIN=target/release/retrace node tests/e2e/slider-speed.mjs [browser|window]
 *
 * `RETRACE_SLIDER_HOME` names a home directory whose session with the most requests is taken; without it one of 300
 * requests is made. `RETRACE_SLIDER_MOST` gives a number of milliseconds that the 95th percentile may not pass.
 */
import assert from "node:assert/strict";
import { cpus, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { App } from "./harness/app.mjs";
import { BrowserDriver, closeBrowser } from "./harness/browser.mjs";
import { desktop } from "./harness/programs.mjs";
import { firstRun, machineWithMemories } from "./harness/session.mjs";
import { RUN, writeRun } from "./harness/transcripts.mjs";
import { until } from "./harness/wait.mjs";
import { startScreen, WindowDriver } from "./harness/window.mjs";

const MADE_REQUESTS = 300;
const MOVES = 24;
/** Interval at which keyboards repeat a key that is held, in milliseconds. */
const REPEAT_MS = 33;
const SLIDERS = ["trigger", "keep", "clear-at-least"];

/** Runs in the page: notes for each key when the line changed, and when the frame with it had been drawn. */
function watchLine() {
  const moves = (window.__moves = []);
  let open = null;
  const changed = () => {
    const move = open;
    if (!move) return;
    open = null;
    move.changed = performance.now() - move.key;
    move.frame += 1;
    // A message posted from within a frame is delivered once the frame is laid out and painted.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        move.drawn = performance.now() - move.key;
        port1.close();
      };
      port2.postMessage(null);
    });
  };
  const count = () => {
    if (!open) return;
    open.frame += 1;
    requestAnimationFrame(count);
  };
  document.addEventListener(
    "keydown",
    () => {
      // A key that changed nothing before the next one came is left as it is.
      open = { key: performance.now(), frame: 0, changed: null, drawn: null };
      moves.push(open);
      requestAnimationFrame(count);
    },
    { capture: true },
  );
  new MutationObserver((records) => {
    if (records.some(({ target }) => target.getAttribute("data-testid") === "line-B")) changed();
  }).observe(document.querySelector('[data-testid="chart"]'), { attributeFilter: ["d"], subtree: true });
}

/** Nothing is on its way: the figures are those of the setting, and frames come and go. */
const settled = (app) =>
  until("the lab to come to rest", async () => {
    const rest = () => app.driver.run(() => !document.querySelector('[data-testid="variant-row"].is-stale') && !document.querySelector('[data-testid="lab"][data-behind="true"]'));
    return (await rest()) && (await pause(150), await rest());
  });

async function measure(app, slider, held) {
  await app.driver.run((id) => document.querySelector(`[data-testid="${id}"] input[type="range"]`).focus(), slider);
  await app.press("Home");
  await settled(app);
  await app.driver.run(() => void (window.__moves.length = 0));
  for (let at = 0; at < MOVES; at += 1) {
    const began = performance.now();
    await app.press("ArrowRight");
    if (held) await pause(Math.max(0, REPEAT_MS - (performance.now() - began)));
    else await settled(app);
  }
  await settled(app);
  const moves = await app.driver.run(() => window.__moves);
  // At its start again, a slider leaves the others something to do.
  await app.press("Home");
  await settled(app);
  return moves;
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];

function say(name, moves) {
  const seen = moves.filter(({ drawn }) => drawn !== null);
  if (seen.length === 0) {
    console.log(`${name.padEnd(28)} changes nothing in this session`);
    return [];
  }
  const line = (what) => {
    const sorted = seen.map((move) => move[what]).sort((a, b) => a - b);
    return [0.5, 0.95, 1].map((share) => quantile(sorted, share).toFixed(1).padStart(6)).join("");
  };
  const first = seen.filter(({ frame }) => frame === 1).length;
  console.log(`${name.padEnd(28)} ${String(seen.length).padStart(3)} of ${moves.length}  ${line("changed")}   ${line("drawn")}   ${first} of ${seen.length}`);
  return seen.map(({ drawn }) => drawn);
}

/** The session of the machine with the most requests. */
async function largest(app) {
  await app.click("nav-context");
  await app.see("transcript-row");
  return until("the index to be whole", () =>
    app.driver.run(async () => {
      const token = sessionStorage.getItem("retrace.token");
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
      const answer = window.__TAURI_INTERNALS__
        ? await window.__TAURI_INTERNALS__.invoke("call", { name: "transcripts", payload: {} })
        : await (await fetch("/api/v1/transcripts", { method: "POST", headers, body: "{}" })).json();
      if (answer.index.running) return null;
      return answer.transcripts.reduce((most, one) => (one.requests > (most?.requests ?? 0) ? one : most), null);
    }),
  );
}

const kind = process.argv[2] ?? "browser";
const home = process.env.RETRACE_SLIDER_HOME;
const machine = machineWithMemories();
const screen = kind === "window" ? await startScreen() : null;
if (home) machine.environment = ((own) => (more) => own.call(machine, { CLAUDE_CONFIG_DIR: join(home, ".claude"), HOME: home, ...more }))(machine.environment);
else writeRun(machine, dirname(machine.webshop), MADE_REQUESTS);
const driver = screen ? await WindowDriver.open(desktop(), machine, screen) : await BrowserDriver.open(machine);
try {
  const app = new App(driver);
  if (home) {
    await app.see("first-run");
    await app.click("first-run-lab");
  } else await firstRun(app);
  const id = home ? (await largest(app)).id : RUN;
  await driver.run((transcript) => void (window.location.hash = `#/context?view=settings&transcript=${encodeURIComponent(transcript)}`), id);
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
  const title = await app.see("lab-head");
  await driver.run(watchLine);
  console.log(`${driver.name}, ${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`);
  console.log(title.split("\n").slice(1).join(" ").replace(/\s+/g, " "));
  console.log(`milliseconds after the key     changed the line  median   95 %    most   drawn: same       in the first frame`);
  const all = [];
  for (const slider of SLIDERS) {
    all.push(...say(slider, await measure(app, slider, false)));
    all.push(...say(`${slider}, key held`, await measure(app, slider, true)));
  }
  assert.ok(all.length > 0, "no move changed the line");
  const sorted = all.sort((a, b) => a - b);
  console.log(`all: median ${quantile(sorted, 0.5).toFixed(1)} ms, 95 % ${quantile(sorted, 0.95).toFixed(1)} ms, most ${quantile(sorted, 1).toFixed(1)} ms`);
  const most = Number(process.env.RETRACE_SLIDER_MOST ?? Infinity);
  assert.ok(quantile(sorted, 0.95) <= most, `the 95th percentile is above ${most} ms`);
} finally {
  await driver.close();
  await closeBrowser();
  await screen?.stop();
  await machine.remove();
}
