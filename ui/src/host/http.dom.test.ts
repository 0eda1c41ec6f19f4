import { describe, expect, it, vi } from "vitest";
import type { Event } from "@/bindings";
import { ApiFailure, readApiError, Unauthorized, Unreachable } from "./backend";
import { httpBackend, takeToken } from "./http";
import { EventStreamParser } from "./sse";

const REFUSAL = { code: "not_found", message: "There is no store x.", hint: "List the stores.", subject: "x" };

/** An answer as `retrace serve` gave it. */
const ANSWER = {
  error: {
    code: "before_recording",
    message: "Nothing was recorded of this directory by then; recording began at 2026-11-28T15:10:13.282683Z.",
    hint: "No imported history reaches back to that time; `retrace import git` and `retrace import transcripts` bring in what others kept.",
    subject: "2020-01-01T00:00:00Z",
    messages: {
      message: {
        id: "imported.nothing_recorded_directory_then_recording",
        args: { since: "2026-11-28T15:10:13.282683Z" },
        text: "Nothing was recorded of this directory by then; recording began at 2026-11-28T15:10:13.282683Z.",
      },
      hint: {
        id: "imported.no_imported_history_reaches_back",
        args: {},
        text: "No imported history reaches back to that time; `retrace import git` and `retrace import transcripts` bring in what others kept.",
      },
    },
  },
};

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

function backendWith(answer: (path: string, init: RequestInit) => Response | Promise<Response>) {
  const requests: { path: string; init: RequestInit }[] = [];
  const later: (() => void)[] = [];
  const fetch = (async (path: string, init: RequestInit) => {
    requests.push({ path, init });
    return answer(path, init);
  }) as typeof globalThis.fetch;
  const backend = httpBackend({ fetch, token: "secret", later: (run) => later.push(run) });
  return { backend, requests, later };
}

describe("commands over HTTP", () => {
  it("sends the request with the token and gives the answer", async () => {
    const { backend, requests } = backendWith(() => json(200, { stores: [] }));
    expect(await backend.call("stores", {})).toEqual({ stores: [] });
    expect(requests[0]?.path).toBe("/api/v1/stores");
    expect(requests[0]?.init).toMatchObject({ method: "POST", body: "{}" });
    expect(requests[0]?.init.headers).toMatchObject({ Authorization: "Bearer secret" });
  });

  it("turns a refusal into what the program said", async () => {
    const { backend } = backendWith(() => json(404, { error: REFUSAL }));
    const failure = await backend.call("stores", {}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiFailure);
    expect((failure as ApiFailure).error).toEqual(REFUSAL);
  });

  it("keeps the ids of what the program said, by which the window says it in its language", async () => {
    const { backend } = backendWith(() => json(400, ANSWER));
    const failure: unknown = await backend.call("restore", {}).catch((error: unknown) => error);
    expect((failure as ApiFailure).error).toEqual(ANSWER.error);
  });

  it("tells a refused token from other failures", async () => {
    const { backend } = backendWith(() => json(401, { error: REFUSAL }));
    await expect(backend.call("stores", {})).rejects.toBeInstanceOf(Unauthorized);
  });

  it("says that there was no answer when there was none, or none that makes sense", async () => {
    const { backend: silent } = backendWith(() => Promise.reject(new TypeError("refused")));
    await expect(silent.call("stores", {})).rejects.toBeInstanceOf(Unreachable);
    const { backend: strange } = backendWith(() => new Response("<html>", { status: 502 }));
    await expect(strange.call("stores", {})).rejects.toBeInstanceOf(Unreachable);
  });
});

describe("errors", () => {
  it("are read bare and wrapped, and nothing else is taken for one", () => {
    expect(readApiError(REFUSAL)).toEqual(REFUSAL);
    expect(readApiError({ error: REFUSAL })).toEqual(REFUSAL);
    expect(readApiError({ code: "busy", message: "later" })).toEqual({
      code: "busy",
      message: "later",
      hint: "",
      subject: "",
    });
    const half = { message: ANSWER.error.messages.message, hint: "later" };
    expect(readApiError({ ...REFUSAL, messages: half })).toEqual(REFUSAL);
    for (const other of [null, "busy", 7, {}, { code: 1, message: "x" }, { error: "x" }])
      expect(readApiError(other)).toBeNull();
  });
});

describe("the token", () => {
  it("moves from the address to the session and out of sight", () => {
    window.history.replaceState(null, "", "/?a=1#token=abc");
    expect(takeToken(window.location, window.history, window.sessionStorage)).toBe("abc");
    expect(window.location.hash).toBe("");
    expect(window.location.search).toBe("?a=1");
    expect(takeToken(window.location, window.history, window.sessionStorage)).toBe("abc");
    window.history.replaceState(null, "", "/");
  });

  it("is absent when the address never had one, and a place is no token", () => {
    window.history.replaceState(null, "", "/#/memories?store=s");
    expect(takeToken(window.location, window.history, window.sessionStorage)).toBeNull();
    expect(window.location.hash).toBe("#/memories?store=s");
    window.history.replaceState(null, "", "/");
  });
});

describe("the event stream", () => {
  it("is cut into events wherever its pieces end", () => {
    const stream = 'data: {"a":1}\n\n: alive\n\nevent: x\ndata: one\ndata:two\r\n\r\ndata: {"b"';
    for (let size = 1; size <= stream.length; size += 1) {
      const parser = new EventStreamParser();
      const found: string[] = [];
      for (let at = 0; at < stream.length; at += size) found.push(...parser.push(stream.slice(at, at + size)));
      expect(found).toEqual(['{"a":1}', "one\ntwo"]);
      expect(parser.push(":2}\n\n")).toEqual(['{"b":2}']);
    }
  });

  const streamOf = (...events: Event[]) =>
    new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { status: 200 });

  it("is read with the token, opened again when it ends, and then everything is looked at once", async () => {
    const answers = [streamOf({ type: "advanced", cursor: 3 }), streamOf()];
    const { backend, requests, later } = backendWith(() => answers.shift() ?? new Promise<Response>(() => undefined));
    const heard: Event[] = [];
    const stop = backend.subscribe((event) => heard.push(event));
    await vi.waitFor(() => expect(later).toHaveLength(1));
    expect(requests[0]?.path).toBe("/api/v1/events");
    expect(requests[0]?.init.headers).toMatchObject({ Authorization: "Bearer secret" });
    expect(heard).toEqual([{ type: "advanced", cursor: 3 }]);
    later[0]?.();
    await vi.waitFor(() => expect(later).toHaveLength(2));
    expect(heard.slice(1).map(({ type }) => type)).toEqual([
      "advanced",
      "stores",
      "receipts",
      "transcripts",
      "origins",
    ]);
    stop();
    later[1]?.();
    expect(requests).toHaveLength(2);
  });

  it("is not asked for again with a token that was refused", async () => {
    const { backend, requests, later } = backendWith(() => json(401, {}));
    backend.subscribe(() => undefined);
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    await new Promise((done) => setTimeout(done));
    expect(later).toHaveLength(0);
  });
});
