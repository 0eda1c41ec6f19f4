// The memory tool of the TypeScript SDK, kept and recorded by Retrace.
//
//   import { retraceMemory } from "./retrace-memory.mjs";
//
//   const memory = retraceMemory("./memories", { session: "my-session" });
//   client.beta.messages.toolRunner({ ..., tools: [betaMemoryTool(memory)] });   // from "@anthropic-ai/sdk/helpers/beta/memory"
//   await memory.close();
//
// `memory.after(prompt, { turn: 3 })` says what the next calls are made after; it is kept with them as the reason.
// Every call goes to a `retrace memory-tool` process over a pipe; who wrote what and when is then in Retrace's log.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const COMMANDS = ["view", "create", "str_replace", "insert", "delete", "rename"];

/** Handlers for `betaMemoryTool`. `root` is what the model sees as /memories, `session` the author of what is written. */
export function retraceMemory(root, { session, program = "retrace" } = {}) {
  const command = ["memory-tool", "--dialect", "ts", "--root", root];
  if (session !== undefined) command.push("--session", session);
  const child = spawn(program, command, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let reason = {};
  let ended = false;
  const end = (error) => {
    ended = true;
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  // Writing to a process that has ended is told by its end.
  child.stdin.on("error", () => {});
  child.on("error", end);
  child.on("close", () => end(new Error("The memory is not available: retrace has ended.")));
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
    const { resolve, reject } = waiting.shift();
    const { content, is_error: isError } = JSON.parse(line);
    // The SDK puts "Error: " before what is thrown.
    if (isError) reject(new Error(content.replace(/^Error: /, "")));
    else resolve(content);
  });
  const call = (input) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(new Error("The memory is not available: retrace has ended."));
      waiting.push({ resolve, reject });
      child.stdin.write(`${JSON.stringify({ ...reason, input })}\n`);
    });
  const after = (prompt, { turn } = {}) => {
    reason = { prompt, turn };
  };
  const close = async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "close");
  };
  return { ...Object.fromEntries(COMMANDS.map((name) => [name, call])), after, close };
}
