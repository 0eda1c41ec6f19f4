/** Child processes that never outlive the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";

const STOP_MS = 5_000;
/** With this the kernel ends the child when its parent dies, even by SIGKILL. Only Linux has it, and the window tests too. */
const LEASH = process.platform === "linux" ? ["setpriv", "--pdeathsig", "KILL"] : [];

/** Starts a program. Options are those of `child_process.spawn`. */
export function start(command, args, options) {
  const [program, ...rest] = [...LEASH, command, ...args];
  return spawn(program, rest, options);
}

/** Ends a program: politely, then not. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(timer);
}

/** The first line of a program's output that `pattern` matches, as that match. Rejects when the program ends before. */
export function lineOf(child, stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const onExit = (code) => reject(new Error(`the program ended with ${code} before it said ${pattern}:\n${text}`));
    child.once("exit", onExit);
    child.once("error", reject);
    stream.on("data", (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (!match) return;
      child.off("exit", onExit);
      resolve(match);
    });
  });
}
