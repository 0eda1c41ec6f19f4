import { verbatim } from "@/host/fake/verbatim";
import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Origin, OriginReq } from "@/bindings";
import type { Backend } from "@/host";
import { fakeBackend } from "@/host/fake";
import { openWindow } from "./testing";

const known = (version: string): Origin => ({
  version_id: version,
  put_back: null,
  note: {
    confidence: "exact_content",
    session_id: "5f3c0000-1111",
    title: "Tidy the \u202eparser",
    model: "claude-opus-4-6",
    role: "main",
    transcript: "5f3c0000-1111",
    turn: 7,
    prompt: "Remember the port.",
  },
  evidence: [verbatim("A call of Edit, applied to the version before, gives exactly these bytes.")],
  agent: "claude-code",
  project: "/home/ada/app",
  agent_name: null,
  started_at: "2026-11-20T10:00:00Z",
  ended_at: null,
  write: {
    tool: "Edit",
    tool_use_id: "toolu_1",
    path: "/home/ada/MEMORY.md",
    at: null,
    line: 9,
    input: "{}",
    truncated: false,
  },
  prompt: "Remember the port.",
  around: [
    { role: "user", kind: "text", text: "Remember the port.", at: null, turn: null, is_write: false },
    { role: "assistant", kind: "tool_use", text: "Edit {}", at: null, turn: 7, is_write: true },
  ],
  candidates: [],
});

/** A fake whose transcripts explain every version. */
function knowing() {
  const fake = fakeBackend();
  const answer: Backend["call"] = (name, request) =>
    name === "origin" ? Promise.resolve(known((request as OriginReq).version)) : fake.call(name, request);
  return { ...fake, call: answer };
}

describe("who wrote a version", () => {
  it("is said with turn, model, prompt and how sure it is, hidden characters made visible", async () => {
    const fake = knowing();
    const memory = fake.log.versions[0]!;
    const { user } = openWindow(`#/memories?store=${memory.store_id}&memory=${memory.memory_id}`, fake);
    const panel = await screen.findByTestId("origin");
    await waitFor(() => expect(screen.getByTestId("origin")).toHaveTextContent(/turn 7, claude-opus-4-6/));
    expect(screen.getByTestId("origin")).toHaveTextContent("exact content");
    expect(screen.getByTestId("origin-session")).toHaveTextContent("U+202E");
    expect(screen.getByTestId("origin-prompt")).toHaveTextContent("Remember the port.");
    await user.click(screen.getByTestId("origin-more"));
    expect(screen.getByTestId("origin-around")).toHaveTextContent("the write itself");
    expect(panel).toBeDefined();
    await user.click(screen.getByTestId("origin-open"));
    expect(window.location.hash).toBe("#/context?transcript=5f3c0000-1111&turn=7");
  });

  it("is nobody where no transcript fits", async () => {
    const fake = fakeBackend();
    const memory = fake.log.versions.find(({ created_by }) => created_by === null)!;
    openWindow(`#/memories?store=${memory.store_id}&memory=${memory.memory_id}&version=${memory.id}`, fake);
    await waitFor(() => expect(screen.getByTestId("origin")).toHaveTextContent("Nobody knows who wrote this."));
  });
});
