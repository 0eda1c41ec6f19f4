/**
 * Records what the program answers to the window, for the fake of the tests and of `--mode fake`:
 *
 *     npm --prefix ui run fixtures        over target/debug/retrace, or the program that RETRACE_BIN names
 *
 * It makes an invented home below /tmp, starts `retrace serve` in it, asks what the screens ask, and writes
 * src/host/fake/fixtures. Two recordings of one program give the same files.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Host, usesHost } from "../../tests/e2e/harness/host.mjs";
import { Hub } from "../../tests/e2e/harness/hub.mjs";
import { retrace } from "../../tests/e2e/harness/programs.mjs";
import { until } from "../../tests/e2e/harness/wait.mjs";
import { furnish, LONG_INDEX, recordDesk, RULES_LATER } from "./fixtures/desk.mjs";
import { leave, recordFirst } from "./fixtures/first.mjs";
import { recordHosted } from "./fixtures/hosted.mjs";
import { recordHub, share } from "./fixtures/hub.mjs";
import { recordLab } from "./fixtures/lab.mjs";
import { HOME, Normaliser } from "./fixtures/normalise.mjs";
import { machineAt, Program, Recorder } from "./fixtures/program.mjs";
import { recordRules, work } from "./fixtures/rules.mjs";
import { RUNS, writeRuns } from "./fixtures/runs.mjs";

const ROOT = "/tmp/retrace-fixtures";

const recorder = new Recorder();

/** Records with the program on a machine; each has its own times, ids and places. */
async function on(name, prepare, ask, places = []) {
  const machine = machineAt(join(ROOT, name));
  const data = `${HOME}/.local/share/retrace`;
  recorder.normaliser = new Normaliser([
    [machine.home, HOME],
    [machine.data, data],
    [retrace(), "/usr/bin/retrace"],
    ...places,
  ]);
  const prepared = await prepare(machine);
  const program = await Program.start(machine);
  try {
    await ask(program, machine, prepared);
  } finally {
    await program.stop();
    await machine.remove();
  }
}

/** Waits until all runs are in the index. */
async function allIndexed(program) {
  const indexed = () => program.call("transcripts");
  await until(
    "the runs to be indexed",
    async () => {
      const { index, transcripts } = await indexed();
      return !index.running && transcripts.length === RUNS.length;
    },
    async () => JSON.stringify((await indexed()).index),
  );
}

function desk(machine) {
  const places = furnish(machine);
  writeRuns(machine, machine.folderOf, { index: LONG_INDEX, memory: ["berth-rules.md", RULES_LATER] });
  return places;
}

await on("desk", desk, async (program, machine, places) => {
  await allIndexed(program);
  await recordLab(recorder, program);
  await recordDesk(recorder, program, machine, places);
});
await on("first", leave, (program, _machine, memory) => recordFirst(recorder, program, memory));
await on("rules", work, (program, machine, memory) => recordRules(recorder, program, machine, memory));
const host = await Host.start();
try {
  const mirrors = (machine) => usesHost(machine, host);
  await on("hosted", mirrors, (program) => recordHosted(recorder, program, host));
} finally {
  await host.stop();
}
const hub = await Hub.start();
try {
  await on("hub", share, (program, machine, memory) => recordHub(recorder, program, machine, memory, hub), [
    [hub.url, "https://hub.example"],
  ]);
} finally {
  await hub.stop();
}
recorder.write();
rmSync(ROOT, { recursive: true, force: true });
