// Starts `COMMAND... --json serve` over an empty data directory, asks it for the window and one of its scripts, ends it, and
// fails where any of it does.
//
//   node packaging/serves.mjs COMMAND...
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [command, ...words] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "retrace-serves-"));
const server = spawn(command, [...words, "--json", "--data-dir", join(folder, "data"), "serve"], {
  env: { ...process.env, HOME: folder },
  stdio: ["ignore", "pipe", "inherit"],
});
const gone = once(server, "exit");

async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return answer.text();
}

try {
  const told = once(createInterface(server.stdout), "line").then(([line]) => JSON.parse(line));
  const { origin } = await Promise.race([
    told,
    gone.then(([code]) => {
      throw new Error(`it ended with ${code} before it served`);
    }),
  ]);
  const page = await get(`${origin}/`);
  const script = /<script[^>]* src="([^"]*\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (!script) throw new Error(`no window is at ${origin}, but: ${page.slice(0, 300)}`);
  const { length } = await get(new URL(script, `${origin}/`));
  console.log(`${[command, ...words].join(" ")} serves the window (${script}, ${length} characters)`);
} finally {
  server.kill("SIGTERM");
  const [code, signal] = await gone;
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) {
    console.error(`it ended with ${code ?? signal} when it was asked to end`);
    process.exitCode = 1;
  }
}
