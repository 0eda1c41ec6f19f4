// A whole conversation of the TypeScript SDK's tool runner over Retrace's back end, with a model that follows a script.
// As conversation.py:
//
//   node conversation.mjs PROGRAM ROOT SCRIPT SDK      SDK is the folder that has the SDK in its node_modules

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { retraceMemory } from "../../examples/memory-tool-typescript/retrace-memory.mjs";

const [program, root, script, sdk] = process.argv.slice(2);
const turns = JSON.parse(readFileSync(script, "utf8"));
const require = createRequire(join(sdk, "package.json"));
const Anthropic = require("@anthropic-ai/sdk");
const { betaMemoryTool } = require("@anthropic-ai/sdk/helpers/beta/memory");

const said = turns.flatMap(({ prompt, calls }) => [
  ...calls.map((input) => ({ content: [{ type: "tool_use", id: "", name: "memory", input }], stop_reason: "tool_use" })),
  { content: [{ type: "text", text: `Done: ${prompt}` }], stop_reason: "end_turn" },
]);
const requests = [];
const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const number = requests.push(JSON.parse(Buffer.concat(parts).toString()));
  const answer = structuredClone(said[number - 1]);
  if (answer.content[0].type === "tool_use") answer.content[0].id = `toolu_${number}`;
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
      ...answer,
    }),
  );
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const client = new Anthropic({ apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}`, maxRetries: 0 });

const memory = retraceMemory(root, { session: "conversation-ts", program });
const messages = [];
let final;
for (const [index, { prompt }] of turns.entries()) {
  memory.after(prompt, { turn: index + 1 });
  messages.push({ role: "user", content: prompt });
  const runner = client.beta.messages.toolRunner({
    model: "claude-sonnet-4-5",
    max_tokens: 1024,
    messages,
    tools: [betaMemoryTool(memory)],
  });
  final = await runner.runUntilDone();
  messages.push({ role: "assistant", content: final.content[0].text });
}
await memory.close();
server.close();

const text = (content) => (typeof content === "string" ? content : content.map((block) => block.text).join(""));
// A runner may send the whole conversation each time, or only what is new.
const blocks = requests.flatMap((request) => request.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])));
const results = new Map(
  blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id: id, content, is_error: isError }) => [id, { content: text(content), is_error: isError ?? false }]),
);
console.log(JSON.stringify({ results: [...results.values()], final: final.content[0].text }));
