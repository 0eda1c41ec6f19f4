/** The context lab: a transcript, a setting, what it would do, and the setting to take along. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstRun } from "../harness/session.mjs";
import { READ_AGAIN, RUN_TITLE, writeRun } from "../harness/transcripts.mjs";
import { until } from "../harness/wait.mjs";

/** Opens the lab over the run, once all variants are simulated. */
async function openLab({ app, machine }) {
  writeRun(machine, dirname(machine.webshop));
  await firstRun(app);
  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.see("lab-title", RUN_TITLE);
  await app.click("view-settings");
  await app.see('[data-testid="variant-row"][data-key="B"] [data-testid="cell-peak"]', /\d/);
}

/** The answer of the run: it adds up, the chart stands at its peak, and one setting is recommended. */
async function opensOnTheAnswer({ app, machine }) {
  writeRun(machine, dirname(machine.webshop));
  await firstRun(app);
  await app.click("nav-context");
  await app.click("transcript-row", RUN_TITLE);
  await app.see("answer", /^At its peak \(request \d+\) this run held [\d.]+K tokens: /);
  const said = await app.driver.run(() => {
    const answer = document.querySelector('[data-testid="answer"]');
    const sizes = [...answer.querySelectorAll('[data-testid="answer-part"]')].map(({ textContent }) => {
      const [, digits, unit] = /([\d.]+)([KM]?)$/.exec(textContent.trim());
      return Number(digits) * { "": 1, K: 1_000, M: 1_000_000 }[unit];
    });
    const rest = /the rest ([\d.]+)(K?)/.exec(answer.textContent);
    return { whole: Number(answer.dataset.said), sizes, rest: rest ? Number(rest[1]) * (rest[2] ? 1_000 : 1) : 0 };
  });
  assert.equal(Math.round(said.sizes.reduce((sum, size) => sum + size, said.rest)), said.whole);
  assert.deepEqual(said.sizes, [...said.sizes].sort((a, b) => b - a));
  const cursor = await app.driver.run(() => Number(document.querySelector('[data-testid="chart"]').dataset.cursor) + 1);
  await app.see("answer", `request ${cursor}`);
  await app.see("parts-list", `Request ${cursor}`);
  await app.see("recommended-what", /Recommended: clear above|No setting is recommended/);
  await app.press("[");
  await app.see("parts-list", `Request ${cursor - 1}`);
  await app.press("p");
  await app.see("parts-list", `Request ${cursor}`);
  await app.press("o");
  await app.see("turn-sheet", `Request ${cursor}`);
  await app.press("Escape");
  await app.gone("turn-sheet");
}

const peakOf = (app, letter) => app.see(`[data-testid="variant-row"][data-key="${letter}"] [data-testid="cell-peak"]`, /\d/);
const lineOf = (app) => app.driver.run(() => document.querySelector('[data-testid="line-B"]').getAttribute("d"));

async function triesASetting({ app, machine }) {
  await openLab({ app, machine });
  // The run is as it was recorded, and the setting is far below it.
  assert.match(await peakOf(app, "A"), /recorded/);
  const [peak, line] = [await peakOf(app, "B"), await lineOf(app)];
  await app.see("chart");

  // A slider that moves is answered: the table and the line follow.
  await app.driver.run(() => document.querySelector('[data-testid="trigger"] input[type="range"]').focus());
  await app.press("Home");
  await until("the peak to change", async () => (await peakOf(app, "B")) !== peak);
  assert.notEqual(await lineOf(app), line);
  await app.see("status-line", /40 requests simulated in \d+ ms/);

  // The table behind the chart says the same.
  await app.click("view-table");
  await app.see("request-row", "cleared");
  await app.click("view-chart");

  // A cleared result is needed again near the end; its turn shows it struck out.
  await app.click("regret", READ_AGAIN.split("/").at(-1));
  await app.see("turn-sheet");
  await app.see('[data-testid="turn-block"][data-cleared="true"]', "would be gone");
  assert.ok(await app.driver.run(() => document.querySelectorAll('[data-testid="turn-sheet"] del').length > 0));
  await app.press("Escape");
  await app.gone("turn-sheet");
}

async function exportsASetting({ app, machine }) {
  const downloads = join(machine.home, "Downloads");
  mkdirSync(downloads, { recursive: true });
  machine.write(join(machine.root, "xdg/config/user-dirs.dirs"), 'XDG_DOWNLOAD_DIR="$HOME/Downloads"\n');
  await openLab({ app, machine });
  await app.press("e");
  await app.see("export-text", "clear_tool_uses_20250919");
  for (const form of ["curl", "python", "typescript"]) {
    await app.click(`view-${form}`);
    await app.see("export-text", "context-management-2025-06-27");
  }
  await app.click('[data-testid="export-sheet"] [data-testid="view-json"]');
  await app.see("export-text", "60000");
  // The browser asks a person where to; the window's own web view writes to the downloads.
  if (app.driver.name !== "window") return;
  await app.click("export-save");
  const file = await until("the setting in the downloads", () => readdirSync(downloads).find((name) => name.endsWith(".json")));
  await until("the setting to be whole", () => readFileSync(join(downloads, file), "utf8").includes("clear_tool_uses_20250919"));
}

async function sweepsAndConfirmsNothingUnasked({ app, machine }) {
  await openLab({ app, machine });
  await app.click("open-sweep");
  await app.click("sweep-run");
  await app.see("sweep-found", /48 settings tried/);
  await app.see("sweep-point", "no editing");
  await app.click("use-setting");
  await app.see('[data-testid="variant-row"][data-key="C"]', /\d/);

  // The plan is shown, and nothing is sent.
  await app.click("open-confirm");
  await app.see("confirm-plan", "count_tokens");
  await app.see("confirm-state", "Nothing has been sent");
  await app.press("Escape");
  await app.gone("confirm-sheet");
  await app.see("status-line", "no network calls in this session");
}

async function walksTheLabByKeyboard({ app, machine }) {
  await openLab({ app, machine });
  await app.press("g", "m");
  await app.see("memory-title");
  await app.press("g", "c");
  await app.see("answer");
  await app.press("s");
  // The answer has a chart, too: the one meant stands beside the variants.
  await app.see('[data-testid="variant-row"][data-key="A"]', /\d/);
  await app.see("composition");
  await app.see("chart");
  await app.driver.run(() => document.querySelector('[data-testid="chart"]').focus());
  await app.press("Home", "ArrowRight", "ArrowRight");
  await app.see("composition", "Request 3 is made of");
  await app.press("Enter");
  await app.see("turn-sheet", "Request 3");
  await app.press("Escape");
  await app.gone("turn-sheet");
  await app.press("1");
  await app.see('[data-testid="variant-row"][data-key="A"][aria-current="true"]');
  await app.press("t");
  await app.see("request-table");
}

/** Walks of this file. */
export const lab = [
  { name: "opens a run on its answer", steps: opensOnTheAnswer },
  { name: "tries a context setting on a transcript", steps: triesASetting },
  { name: "exports a context setting", steps: exportsASetting },
  { name: "sweeps settings, and sends nothing unasked", steps: sweepsAndConfirmsNothingUnasked },
  { name: "walks the context lab by keyboard", steps: walksTheLabByKeyboard },
];
