// A `SessionStore` for @anthropic-ai/claude-agent-sdk (0.3.332 was tried): sessions are mirrored to a hub of Retrace, and resumed
// from it. Entries with a uuid are taken once, whatever is sent again. What the hub's policy does not keep is not kept.
//
//   import { query } from "@anthropic-ai/claude-agent-sdk";
//   import { retraceSessionStore } from "./retrace-session-store.mjs";
//   const sessionStore = retraceSessionStore({ hub: process.env.RETRACE_HUB, key: process.env.RETRACE_AGENT_KEY });
//   for await (const message of query({ prompt: "…", options: { sessionStore } })) …
//
// The key is an agent's: `retrace hub agent-token --all --name ci`, on a machine of an owner.

export class RetraceHubError extends Error {
  constructor(status, type, message) {
    super(message);
    this.name = "RetraceHubError";
    this.status = status;
    this.type = type;
  }
}

export function retraceSessionStore({ hub, key, fetch: call = fetch }) {
  const base = hub.replace(/\/+$/, "");

  async function ask(operation, body) {
    const response = await call(`${base}/v1/agent_sessions/${operation}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify(body),
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) {
      const error = answer.error ?? {};
      throw new RetraceHubError(response.status, error.type ?? "unknown", error.message ?? `status ${response.status}`);
    }
    return answer;
  }

  // The hub takes 32 MiB in one request.
  function* batches(entries) {
    let batch = [];
    let bytes = 0;
    for (const entry of entries) {
      const size = JSON.stringify(entry).length * 3;
      if (batch.length > 0 && (batch.length === 1000 || bytes + size > 24 * 1024 * 1024)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(entry);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }

  return {
    async append(key, entries) {
      for (const batch of batches(entries)) await ask("append", { key, entries: batch });
    },
    async load(key) {
      const all = [];
      for (let after = 0; ; ) {
        const page = await ask("load", { key, after });
        if (page.entries === null) return null;
        all.push(...page.entries);
        if (page.next === null) return all;
        after = page.next;
      }
    },
    async listSessions(projectKey) {
      return (await ask("list", { key: { projectKey } })).sessions;
    },
    async listSubkeys({ projectKey, sessionId }) {
      return (await ask("subkeys", { key: { projectKey, sessionId } })).subpaths;
    },
    async delete(key) {
      await ask("delete", { key });
    },
  };
}
