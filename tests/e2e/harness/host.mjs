/** A host of the Memory Stores API on this machine, and an app that may use it. */
import assert from "node:assert/strict";
import { Machine } from "./machine.mjs";
import { serve } from "./serve.mjs";

/** First content of the host's memory. */
export const BERTHS = "# Berths\n\n- Ferries take berth 1 to 4.\n- Pilots wait at berth 9.\n";

/** A host of the Memory Stores API: `retrace serve` on a machine of its own, spoken to as an SDK does. */
export class Host {
  /** Starts it with one store that holds one memory. */
  static async start() {
    const host = new Host();
    host.machine = new Machine();
    try {
      host.server = await serve(host.machine);
      const address = new URL(host.server.address);
      host.origin = address.origin;
      host.token = new URLSearchParams(address.hash.slice(1)).get("token");
      host.store = (await host.call("POST", "", { name: "desk", description: "What the desk knows" })).id;
      host.memory = (await host.call("POST", `/${host.store}/memories`, { path: "/berths.md", content: BERTHS })).id;
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  /** Makes one call and gives its answer. */
  async call(method, path, body) {
    const response = await fetch(`${this.origin}/v1/memory_stores${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        "content-type": "application/json",
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "agent-memory-2026-07-22",
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Changes its memory, as an agent there does. */
  write(content) {
    return this.call("POST", `/${this.store}/memories/${this.memory}`, { content });
  }

  /** Content of its memory. */
  async text() {
    return (await this.call("GET", `/${this.store}/memories/${this.memory}`)).content;
  }

  /** Stops it. */
  async stop() {
    await this.server?.stop();
    await this.machine.remove();
  }
}

/** Has the programs of a machine use the host's key, as the environment of an SDK gives it: there is no keyring here. */
export function usesHost(machine, host) {
  const environment = machine.environment.bind(machine);
  machine.environment = (more = {}) =>
    environment({ ANTHROPIC_BASE_URL: host.origin, ANTHROPIC_API_KEY: host.token, ...more });
}
