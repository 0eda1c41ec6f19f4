// Uses every method of the TypeScript SDK's memory stores against a server, and checks each answer.
//
//   store_client_ts.mjs BASE_URL KEY HOME      HOME/node_modules holds the SDK

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

const [baseURL, apiKey, home] = process.argv.slice(2);
const require = createRequire(path.join(home, "package.json"));
const { default: Anthropic } = await import(pathToFileURL(require.resolve("@anthropic-ai/sdk")));

let sent = 0;
const counted = (url, options) => {
  sent += 1;
  return fetch(url, options);
};
const client = new Anthropic({ baseURL, apiKey, fetch: counted });
const api = client.beta.memoryStores;
const sha = (text) => createHash("sha256").update(text).digest("hex");

async function all(pages) {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
}

// The call fails with this class, status and type, and is sent once.
async function refused(kind, status, type, call) {
  const before = sent;
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof kind, error.constructor.name);
    assert.equal(error.status, status);
    assert.equal(error.error.error.type, type);
    assert.match(error.error.request_id, /^req_/);
    assert.equal(error.requestID, error.error.request_id);
    assert.equal(sent, before + 1, "sent once");
    return error.error.error;
  }
  assert.fail(`${type} was expected`);
}
const bad = (call) => refused(Anthropic.BadRequestError, 400, "invalid_request_error", call);
const missing = (call) => refused(Anthropic.NotFoundError, 404, "not_found_error", call);
const conflict = (call) => refused(Anthropic.ConflictError, 409, "memory_path_conflict_error", call);
const failed = (call) => refused(Anthropic.ConflictError, 409, "memory_precondition_failed_error", call);

const made = [];
for (let n = 0; n < 4; n++) made.push(await api.create({ name: `Store ${n}`, metadata: { n: String(n) } }));
const listed = await all(api.list({ limit: 2 }));
assert.deepEqual(listed.slice(0, 4), [...made].reverse());
const { id: store } = made[0];
assert.deepEqual(await api.retrieve(store), made[0]);
const changed = await api.update(store, { name: "Renamed", metadata: { n: null, m: "x" } });
assert.deepEqual([changed.name, changed.metadata, changed.description], ["Renamed", { m: "x" }, ""]);
assert.ok(listed.length >= (await all(api.list({ "created_at[gte]": made[1].created_at }))).length);
assert.deepEqual(await all(api.list({ "created_at[gte]": "2999-01-01T00:00:00Z" })), []);

const text = "Always use tabs, not spaces.";
const memory = await api.memories.create(store, { path: "/prefs/format.md", content: text });
assert.equal(memory.content, null);
assert.equal(memory.content_sha256, sha(text));
const at = { memory_store_id: store };
assert.equal((await api.memories.retrieve(memory.id, at)).content, text);
assert.equal((await api.memories.retrieve(memory.id, { ...at, view: "basic" })).content, null);
const taken = await conflict(() => api.memories.create(store, { path: "/prefs", content: "x" }));
assert.deepEqual([taken.conflicting_path, taken.conflicting_memory_id], ["/prefs/format.md", memory.id]);
const precondition = { type: "content_sha256", content_sha256: sha("old") };
await failed(() => api.memories.update(memory.id, { ...at, content: "x", precondition }));
await bad(() => api.memories.create(store, { path: "no-slash", content: "x" }));
await bad(() => api.memories.list(store, { path_prefix: "/prefs" }));
const moved = await api.memories.update(memory.id, { ...at, path: "/b", content: "two", view: "full" });
assert.deepEqual([moved.id, moved.path, moved.content], [memory.id, "/b", "two"]);
for (let n = 0; n < 25; n++) await api.memories.create(store, { path: `/many/${n}`, content: String(n) });
const paths = (await all(api.memories.list(store, { limit: 7 }))).map((item) => item.path);
assert.equal(paths.length, 26);
assert.deepEqual(paths, [...paths].sort());
const full = await all(api.memories.list(store, { view: "full", limit: 100, path_prefix: "/many/" }));
assert.equal(full.length, 25);
assert.ok(full.every((item) => item.type === "memory" && item.content === item.path.split("/").pop()));
assert.deepEqual(
  (await all(api.memories.list(store, { depth: 1 }))).map((item) => [item.type, item.path]),
  [["memory", "/b"], ["memory_prefix", "/many/"]],
);
await failed(() => api.memories.delete(memory.id, { ...at, expected_content_sha256: sha("old") }));
const gone = await api.memories.delete(memory.id, at);
assert.deepEqual(gone, { id: memory.id, type: "memory_deleted" });
await missing(() => api.memories.retrieve(memory.id, at));

const versions = await all(api.memoryVersions.list(store, { memory_id: memory.id, limit: 1, view: "full" }));
assert.deepEqual(
  versions.map((version) => [version.operation, version.content]),
  [["deleted", null], ["modified", "two"], ["created", text]],
);
assert.equal((await all(api.memoryVersions.list(store, { operation: "created", limit: 10 }))).length, 26);
const redacted = await api.memoryVersions.redact(versions[2].id, at);
assert.ok(redacted.redacted_at);
assert.deepEqual([redacted.path, redacted.content, redacted.content_sha256], [null, null, null]);
assert.deepEqual(await api.memoryVersions.retrieve(versions[2].id, at), redacted);
const live = await api.memories.create(store, { path: "/live", content: "x" });
await bad(() => api.memoryVersions.redact(live.memory_version_id, at));

assert.ok((await api.archive(store)).archived_at);
await bad(() => api.memories.create(store, { path: "/late", content: "x" }));
assert.deepEqual(await api.delete(store), { id: store, type: "memory_store_deleted" });
await missing(() => api.retrieve(store));
const stranger = new Anthropic({ baseURL, apiKey: "wrong-key", fetch: counted });
await refused(Anthropic.AuthenticationError, 401, "authentication_error", () => stranger.beta.memoryStores.list());
await bad(() => api.list({ betas: ["managed-agents-2026-04-01", "agent-memory-2026-07-22"] }));
console.log(`${sent} calls as they should be`);
