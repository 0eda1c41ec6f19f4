#!/usr/bin/env node
// Starts the terminal program of the package for this machine, with the arguments, streams and signals of this process.
"use strict";

const { spawn } = require("node:child_process");
const { optionalDependencies } = require("../package.json");

const machine = `${process.platform}-${process.arch}`;

function program() {
  const named = Object.keys(optionalDependencies).find((name) => name.endsWith(`retrace-${machine}`));
  if (!named) {
    const known = Object.keys(optionalDependencies).map((name) => name.replace(/^.*retrace-/, ""));
    throw new Error(`There is no package of Retrace for ${machine}; there is one for ${known.join(", ")}.`);
  }
  try {
    return require.resolve(`${named}/bin/retrace${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    throw new Error(`The package ${named} is not installed. Install again without --omit=optional.`);
  }
}

function run(path) {
  const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  // A terminal sends its signals to both processes; what a supervisor sends comes here alone.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  }
  child.on("error", (error) => fail(`${path} cannot be started: ${error.message}.`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(sentence) {
  process.stderr.write(`retrace: ${sentence}\n`);
  process.exit(1);
}

try {
  run(program());
} catch (error) {
  fail(error.message);
}
