// Answers calls of the memory tool with the file-system class of the TypeScript SDK. Takes and gives what
// memory_tool_py.py does; the fourth argument is the directory whose node_modules hold the SDK.

import { createReadStream, createWriteStream } from "node:fs";
import * as fs from "node:fs/promises";
import { createRequire } from "node:module";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [cases, answers, scratch, home] = process.argv.slice(2);
const require = createRequire(path.join(home, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { BetaLocalFilesystemMemoryTool, betaMemoryTool } = await load("@anthropic-ai/sdk/tools/memory/node");
const { runRunnableTool } = await load("@anthropic-ai/sdk/lib/tools/BetaRunnableTool");

async function build(root, tree) {
  for (const [kind, name, text] of tree) {
    const target = path.join(root, name);
    await fs.mkdir(path.dirname(target), { recursive: true });
    if (kind === "directory") await fs.mkdir(target, { recursive: true });
    else if (kind === "link") await fs.symlink(text.replace("{root}", root), target);
    else await fs.writeFile(target, text);
  }
}

async function standing(root, below = "", found = []) {
  for (const entry of await fs.readdir(path.join(root, below), { withFileTypes: true })) {
    const name = below ? `${below}/${entry.name}` : entry.name;
    const target = path.join(root, name);
    if (entry.isSymbolicLink()) found.push([name, "link", (await fs.readlink(target)).replace(root, "{root}")]);
    else if (entry.isDirectory()) {
      found.push([name, "directory", ""]);
      await standing(root, name, found);
    } else found.push([name, "file", await fs.readFile(target, "utf-8")]);
  }
  return found;
}

const out = createWriteStream(answers);
let number = 0;
for await (const line of createInterface({ input: createReadStream(cases), crlfDelay: 0 })) {
  const { tree, calls } = JSON.parse(line);
  const base = path.join(await fs.realpath(scratch), String(number++));
  const tool = betaMemoryTool(await BetaLocalFilesystemMemoryTool.init(base));
  const root = path.join(base, "memories");
  await build(root, tree);
  const answered = [];
  const began = performance.now();
  for (const call of calls) {
    const { content, isError } = await runRunnableTool(tool, call);
    answered.push([content, isError]);
  }
  const seconds = (performance.now() - began) / 1000;
  for (const answer of answered) answer[0] = answer[0].replaceAll(root, "/memories");
  out.write(`${JSON.stringify({ answers: answered, tree: await standing(root), seconds })}\n`);
}
await new Promise((done) => out.end(done));
