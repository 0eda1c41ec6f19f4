/** A session of Claude Code to look at in the context lab. Invented; written as the client writes one, line by line. */
import { join } from "node:path";

/** Id of the session. */
export const RUN = "0b6f7c52-91d4-4c8e-8a37-5de2f1a9c603";
/** First prompt of the run, which is its title. */
export const RUN_TITLE = "Move the price list to the new tax rules";
/** The file that is read early, cleared, and read again near the end. */
export const READ_AGAIN = "src/tax/rates.ts";

/** About so many signs make a token of text like this: short words, digits, much punctuation. */
const SIGNS_PER_TOKEN = 2;
/** Tokens that the client sends and does not record: its system prompt and its tools. */
const UNRECORDED = 13_900;
const REQUESTS = 40;
/** A run of so many requests fills most of a model's window; in longer ones each result is smaller. */
const FULL_AT = 50;

const tokens = (text) => Math.ceil(text.length / SIGNS_PER_TOKEN);

function source(name, lines) {
  const line = (at) => `export const ${name}${at} = { rate: ${(at * 7) % 23}, from: "2027-0${(at % 9) + 1}-01", note: "step ${at} of ${lines}" };`;
  return Array.from({ length: lines }, (_, at) => line(at)).join("\n");
}

/** The calls of the run: what each request's answer asks for, and what comes back. */
function calls(requests) {
  const part = Math.min(1, FULL_AT / requests);
  const sized = (name, lines) => source(name, Math.ceil(lines * part));
  const file = (path, lines) => ({ tool: "Read", input: { file_path: path }, result: sized(path.replace(/\W+/g, "_"), lines) });
  return Array.from({ length: requests - 1 }, (_, at) => {
    if (at === 2 || at === requests - 4) return file(READ_AGAIN, 80);
    if (at % 4 === 1) return { tool: "Bash", input: { command: `pnpm test part-${at}` }, result: sized(`pass_${at}_`, 45) };
    return file(`src/prices/part${at}.ts`, 35 + ((at * 37) % 60));
  });
}

/**
 * Writes a session of so many requests into the folder of a project. `run` makes another one: its id, its title, when it
 * began, the directory it ran in, its calls, and what the client attached at its start.
 */
export function writeRun(machine, projectFolder, requests = REQUESTS, run = {}) {
  const { id = RUN, title = RUN_TITLE, cwd = join(machine.home, "src/webshop"), work = calls, attachment } = run;
  const { begins = "2026-11-19T09:00:00.000Z", ask = `${title}, please. Keep the old rates until the end of the year.` } = run;
  const lines = [];
  let previous = null;
  let clock = Date.parse(begins);
  const add = (type, message, more = {}) => {
    const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, "0")}`;
    const common = { parentUuid: previous, isSidechain: false, userType: "external", cwd, sessionId: id, version: "2.1.181", gitBranch: "main" };
    lines.push({ ...common, type, uuid, timestamp: new Date((clock += 20_000)).toISOString(), message, ...more });
    previous = uuid;
  };
  add("user", { role: "user", content: ask });
  if (attachment) add("attachment", undefined, { attachment });
  let context = UNRECORDED + tokens(ask);
  let cached = 0;
  const all = work(requests);
  for (let at = 0; at < requests; at += 1) {
    const call = all[at];
    const text = call ? `Next I look at part ${at}.` : "All prices follow the new rules now.";
    const blocks = [{ type: "text", text }];
    if (call) blocks.push({ type: "tool_use", id: `toolu_${at}`, name: call.tool, input: call.input });
    const output = blocks.reduce((sum, block) => sum + tokens(JSON.stringify(block)), 0);
    const usage = { input_tokens: 3, cache_creation_input_tokens: context - cached - 3, cache_read_input_tokens: cached, output_tokens: output };
    for (const block of blocks)
      add("assistant", { id: `msg_${at}`, type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929", content: [block], stop_reason: call ? "tool_use" : "end_turn", usage }, { requestId: `req_${at}` });
    cached = context - 3;
    if (!call) break;
    add("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: call.result }] });
    context += output + tokens(call.result);
  }
  machine.write(join(projectFolder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
