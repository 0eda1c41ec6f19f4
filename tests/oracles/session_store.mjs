// The Claude Agent SDK with the SessionStore of examples/session-store: runs a session with a subagent, then resumes it in another
// home from what the hub has. Prints one line of JSON: the session, and how many entries of which part the hub gave back.
//
//   node session_store.mjs HUB KEY HOME SDK      HOME: a folder for homes and the project; SDK: where the package is installed
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { retraceSessionStore } from "../../examples/session-store/retrace-session-store.mjs";

const [hub, key, home, installed] = process.argv.slice(2);
const at = createRequire(join(installed, "package.json")).resolve("@anthropic-ai/claude-agent-sdk");
const { query } = await import(pathToFileURL(at));
const store = retraceSessionStore({ hub, key });
const keys = new Map();
const sessionStore = { ...store, append: (of, entries) => (keys.set(JSON.stringify(of), of), store.append(of, entries)) };
const cwd = join(home, "project");
mkdirSync(cwd, { recursive: true });

async function run(name, prompt, more) {
  const own = join(home, name);
  mkdirSync(own, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: own, ANTHROPIC_BASE_URL: process.env.ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: "sk-ant-none" };
  // By it the SDK knows which session a transcript is of.
  env.CLAUDE_CONFIG_DIR = join(own, ".claude");
  env.CLAUDE_CODE_TMPDIR = own;
  // What it asks of any other host goes nowhere.
  Object.assign(env, { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", IS_SANDBOX: "1" });
  for (const quiet of ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER"]) env[quiet] = "1";
  let session, result, mirrored = true;
  const options = { sessionStore, cwd, env, permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true, model: "claude-opus-4-8", ...more };
  for await (const message of query({ prompt, options })) {
    session = message.session_id ?? session;
    if (message.type === "result") result = message.subtype;
    if (message.type === "system" && message.subtype === "mirror_error") mirrored = false;
  }
  return { session, result, mirrored };
}

const first = await run("one", "Remember the word quokka.", {});
const second = await run("two", "Which word was it?", { resume: first.session });
const parts = {};
for (const of of keys.values()) parts[of.subpath ?? ""] = (await store.load(of))?.length ?? 0;
const [any] = keys.values();
const listed = (await store.listSessions(any.projectKey)).map((one) => one.sessionId);
const subkeys = await store.listSubkeys({ projectKey: any.projectKey, sessionId: first.session });
console.log(JSON.stringify({ first, second, parts, listed, subkeys }));
