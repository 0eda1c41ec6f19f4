/** An agent at work in a project: what it writes into memory stands in a transcript as Claude Code writes one. */
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const MODEL = "claude-sonnet-4-5-20250929";
/** Tokens that a step adds to a context, where they are told. */
const GROWTH = 1_870;

/** One session of Claude Code in one project. Its calls carry the time at which they are made. */
export class Agent {
  #lines = 0;
  #previous = null;
  /** Tokens that its next request reads from the cache; each adds to them. Zero: none are told. */
  context = 0;

  /**
   * @param {import("./machine.mjs").Machine} machine
   * @param {string} project a project of the machine
   * @param {string} memory its memory directory
   * @param {string} session id of the session
   */
  constructor(machine, project, memory, session) {
    this.machine = machine;
    this.memory = memory;
    this.session = session;
    this.cwd = join(machine.home, "src", project);
    this.file = join(dirname(memory), `${session}.jsonl`);
  }

  /** The person says something. */
  hears(text) {
    this.#add("user", { role: "user", content: text });
  }

  /** Writes a memory as a whole. */
  writes(name, text) {
    const path = join(this.memory, name);
    this.#calls("Write", { file_path: path, content: text }, () => this.machine.write(path, text));
  }

  /** Changes a passage of a memory; `text` is what the file holds afterwards. */
  edits(name, before, after, text) {
    const path = join(this.memory, name);
    this.#calls("Edit", { file_path: path, old_string: before, new_string: after }, () => this.machine.write(path, text));
  }

  /** Removes a memory. */
  removes(name) {
    const path = join(this.memory, name);
    this.#calls("Bash", { command: `rm ${path}`, description: "Remove a memory" }, () => rmSync(path));
  }

  /** Runs a command; nothing of it happens. */
  runs(command) {
    this.#calls("Bash", { command, description: "Run a command" }, () => {});
  }

  /** The client puts something into the context. */
  attaches(attachment) {
    this.#add("attachment", undefined, { attachment });
  }

  /** Reads a file. */
  reads(path) {
    this.#calls("Read", { file_path: path }, () => {});
  }

  #calls(tool, input, act) {
    const id = `toolu_${this.session.slice(0, 8)}_${this.#lines}`;
    this.#add("assistant", { id: `msg_${id}`, type: "message", role: "assistant", model: MODEL, content: [{ type: "tool_use", id, name: tool, input }], stop_reason: "tool_use", usage: this.#usage() });
    act();
    this.#add("user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Done." }] });
  }

  #usage() {
    const usage = { input_tokens: 3, output_tokens: 90 };
    if (this.context === 0) return usage;
    const read = this.context;
    this.context += GROWTH;
    return { ...usage, cache_read_input_tokens: read, cache_creation_input_tokens: GROWTH };
  }

  #add(type, message, more = {}) {
    const uuid = `${this.session.slice(0, 8)}-0000-4000-8000-${String(this.#lines).padStart(12, "0")}`;
    const line = {
      parentUuid: this.#previous,
      isSidechain: false,
      userType: "external",
      cwd: this.cwd,
      sessionId: this.session,
      version: "2.1.181",
      gitBranch: "main",
      type,
      uuid,
      timestamp: new Date().toISOString(),
      message,
      ...more,
    };
    mkdirSync(dirname(this.file), { recursive: true });
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    this.#previous = uuid;
    this.#lines += 1;
  }
}
