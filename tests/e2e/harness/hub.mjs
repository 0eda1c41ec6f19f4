/** A real hub: `retrace hub serve` before a PostgreSQL of its own, and a second machine that joined it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Machine } from "./machine.mjs";
import { lineOf, start, stop } from "./process.mjs";
import { retrace, runRetrace } from "./programs.mjs";
import { until } from "./wait.mjs";

/** Where packages put the programs of PostgreSQL, a folder a version. */
const PROGRAMS = "/usr/lib/postgresql";
/** As root no server starts; its package made this user. */
const USER = "postgres";

/** The programs of the newest version; null where there are none. */
export function postgresPrograms() {
  if (!existsSync(PROGRAMS)) return null;
  const versions = readdirSync(PROGRAMS).filter((version) => existsSync(join(PROGRAMS, version, "bin/postgres")));
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0];
  return newest ? join(PROGRAMS, newest, "bin") : null;
}

/** Words before a command, so that it runs as the user of servers where this is root. */
function asUser() {
  if (process.getuid() !== 0) return [];
  return ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"];
}

/** A PostgreSQL on a socket of its own. */
class Postgres {
  static async start() {
    const server = new Postgres();
    server.directory = mkdtempSync(join(tmpdir(), "retrace-hub-"));
    chmodSync(server.directory, 0o755);
    const [data, socket] = ["data", "socket"].map((name) => join(server.directory, name));
    for (const path of [data, socket]) mkdirSync(path);
    if (process.getuid() === 0) {
      const of = (flag) => Number(execFileSync("id", [flag, USER], { encoding: "utf8" }));
      for (const path of [data, socket]) chownSync(path, of("-u"), of("-g"));
    }
    chmodSync(data, 0o700);
    const programs = postgresPrograms();
    const [program, ...words] = [...asUser(), join(programs, "initdb")];
    const options = ["-D", data, "-U", "retrace", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"];
    execFileSync(program, [...words, ...options], { cwd: "/", stdio: "ignore" });
    // What a crash would lose is thrown away anyway.
    const settings = ["-k", socket, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "lc_messages=C", "-c", "dynamic_shared_memory_type=mmap"];
    // The leash comes last: it would be taken off with the change of the user.
    const command = [...asUser(), "setpriv", "--pdeathsig", "KILL", join(programs, "postgres"), "-D", data, ...settings];
    server.child = start(command[0], command.slice(1), { cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    await lineOf(server.child, server.child.stderr, /ready to accept connections/);
    server.url = `postgresql://retrace@/postgres?host=${socket}`;
    return server;
  }

  /** Runs a statement. */
  sql(statement) {
    execFileSync(join(postgresPrograms(), "psql"), ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", this.url, "-c", statement], { stdio: ["ignore", "ignore", "inherit"] });
  }

  async stop() {
    await stop(this.child);
    await until("the database is removed", () => {
      rmSync(this.directory, { recursive: true, force: true });
      return true;
    });
  }
}

/** A hub. */
export class Hub {
  /** Starts it, with more options where some are given. Nothing joined; `token` is the owner's. */
  static async start(...options) {
    const hub = new Hub();
    hub.postgres = await Postgres.start();
    hub.machine = new Machine();
    try {
      const words = ["hub", "serve", "--database", hub.postgres.url, "--listen", "127.0.0.1:0", ...options];
      hub.child = start(retrace(), words, { env: hub.machine.environment(), stdio: ["ignore", "pipe", "inherit"] });
      const told = await lineOf(hub.child, hub.child.stdout, /hub is at (\S+)[\s\S]*owner: (\S+)(?=\s)/);
      [, hub.url, hub.token] = told;
    } catch (error) {
      await hub.stop();
      throw error;
    }
    return hub;
  }

  /** Starts it with TLS; nobody signed its certificate but itself, which is in the file `certificate`. */
  static async startWithTls(...options) {
    const folder = mkdtempSync(join(tmpdir(), "retrace-hub-tls-"));
    const [certificate, key] = ["cert.pem", "key.pem"].map((name) => join(folder, name));
    try {
      // The package of PostgreSQL brings it, for a certificate of its own.
      const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
      const named = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate];
      execFileSync("openssl", [...made, ...named], { stdio: "ignore" });
      const hub = await Hub.start("--tls-cert", certificate, "--tls-key", key, ...options);
      return Object.assign(hub, { folder, certificate });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** A machine of somebody else with memories in one directory, which joins with a token. */
  async join(token, name, memories) {
    const machine = new Machine();
    this.others = [...(this.others ?? []), machine];
    const directory = machine.project("harbour");
    for (const [path, text] of Object.entries(memories)) machine.write(join(directory, path), text);
    const other = { machine, directory, run: (...words) => done(machine, ...words) };
    await other.run("stores", "add", directory, "--kind", "claude-auto", "--name", "harbour");
    await other.run("hub", "join", this.url, "--token", token, "--name", name);
    await other.run("sync");
    return other;
  }

  /** Stops the hub alone, as a network that is gone does. */
  async goAway() {
    await stop(this.child);
  }

  async stop() {
    if (this.child) await stop(this.child);
    for (const machine of [this.machine, ...(this.others ?? [])]) await machine.remove();
    await this.postgres.stop();
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs a command of the terminal that has to succeed; gives what it printed. */
export async function done(machine, ...words) {
  const { status, printed } = await runRetrace(machine, ...words);
  assert.equal(status, 0, `${words.join(" ")}: ${JSON.stringify(printed)}`);
  return printed;
}
