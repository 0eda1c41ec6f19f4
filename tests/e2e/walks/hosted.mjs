/** A hosted store, mirrored from another `retrace serve`: what changes there is reviewed here, and goes back with a push. */
import assert from "node:assert/strict";
import { serve } from "../harness/browser.mjs";
import { Machine } from "../harness/machine.mjs";
import { firstRun } from "../harness/session.mjs";
import { until } from "../harness/wait.mjs";

const BERTHS = "# Berths\n\n- Ferries take berth 1 to 4.\n- Pilots wait at berth 9.\n";
const CLOSED = "# Berths\n\n- All berths are closed.\n";
const NEWER = "# Berths\n\n- Berth 2 is closed.\n";

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

  /** What its memory holds. */
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

/** Mirrors, reviews, queues, pushes; then a conflict. */
export async function theWholeWay({ app }, host) {
  await firstRun(app);
  await app.press("g", "o");
  await app.see("hosted-view", "No hosted store");
  await app.click("add-hosted-store");
  await app.fill("host-url", host.origin);
  await app.click("list-hosted");
  await app.see("hosted-found", "desk");
  await app.click('[data-testid="hosted-found"] .checkbox');
  await app.click("mirror-chosen");
  await app.see("mirror-row", "mirrored");
  await app.see("queue-empty");

  // What was there is known; what an agent changes at the host is in the inbox with the next pull.
  await host.write(CLOSED);
  await app.click("mirror-pull");
  await app.see("toast", "Pulled 1 version");
  await app.press("g", "i");
  await app.see("item-title", "berths.md");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "All berths are closed.");

  // Rejected: it waits, and the host has not heard of it.
  await app.press("x");
  await app.see("toast", `Queued for ${new URL(host.origin).host}`);
  assert.equal(await host.text(), CLOSED);
  await app.click("queued-note");
  await app.see("queue-row", "waiting");
  await app.see('[data-testid="diff-line"][data-tag="insert"]', "Ferries take berth 1 to 4.");
  await app.press("p");
  await app.see("queue-empty");
  await until("the host to have it", async () => (await host.text()) === BERTHS, () => host.text());

  // A newer edit at the host is never overwritten.
  await host.write(CLOSED);
  await app.click("mirror-pull");
  await app.see("toast", "Pulled");
  await app.press("g", "i");
  await app.see("item-title", "berths.md");
  await app.press("x");
  await app.see("queued-note");
  await host.write(NEWER);
  await app.click("queued-note");
  await app.see("queue-row", "waiting");
  await app.press("p");
  await app.see("queue-trouble", "Nothing was overwritten.");
  assert.equal(await host.text(), NEWER);
  await app.press("w");
  await app.see("queue-empty");
}
