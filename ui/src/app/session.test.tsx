import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Session } from "@/bindings";
import { ApiFailure, type Backend } from "@/host";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

const ID = "5f3c0000-1111-4222-8333-444455556666";

/** A fake that knows one session, whose changes are those of the log. */
function knowing(more: Partial<Session> = {}) {
  const fake = fakeBackend();
  const versions = fake.log.versions.slice(0, 2);
  const known: Session = {
    session_id: ID,
    title: null,
    agent: "claude-code",
    project: "/home/ada/webshop",
    models: ["claude-opus-4-8"],
    started_at: "2026-11-20T10:00:00Z",
    ended_at: "2026-11-20T10:23:00Z",
    transcript: ID,
    versions: versions.map((version) => ({ store: "harbour", confidence: "exact_content", turn: 1, version })),
    unrecorded: [],
    first_prompt: "Migrate the \u202echeckout",
    client_version: "2.1.330",
    branch: null,
    requests: 41,
    main_requests: 41,
    proved_requests: 38,
    peak: 155_440,
    peak_kind: "recorded",
    peak_request: 31,
    cost_usd: 9.94,
    cost_is_lower_bound: false,
    client_cost_usd: null,
    prompts: [
      {
        text: "Migrate the \u202echeckout",
        truncated: false,
        at: "2026-11-20T10:00:00Z",
        request: 0,
        requests: 41,
        cost_usd: 9.94,
        versions: versions.map(({ id }) => id),
      },
    ],
    other_versions: [],
    unreviewed: [],
    events: [],
    files: [
      {
        path: "/home/ada/webshop/more.md",
        class: "instructions",
        kind: "Project",
        store_id: null,
        store_path: null,
        loads: [
          {
            reason: "include",
            told: null,
            scope: null,
            at: null,
            request: 0,
            by: "/home/ada/webshop/CLAUDE.md",
            agent: null,
            witness: "hook",
          },
        ],
        requests: [[0, 30]],
        tokens: 41,
        partial: false,
        cost_usd: null,
      },
    ],
    agents: [],
    problem: null,
    ...more,
  };
  const call: Backend["call"] = (name, request) => {
    if (name !== "session") return fake.call(name, request);
    if ((request as { session: string }).session === ID) return Promise.resolve(known as never);
    return Promise.reject(
      new ApiFailure({
        code: "not_found",
        message: { id: "x", arguments: {}, text: "No." },
        subject: "",
        hint: null,
      } as never),
    );
  };
  return { ...fake, call };
}

describe("the page of a session", () => {
  it("is titled by the first prompt, and says what happened and what it had", async () => {
    openWindow(`#/session?session=${ID}`, knowing());
    const title = await screen.findByTestId("session-title");
    expect(title).toHaveTextContent("Migrate the");
    expect(title).not.toHaveTextContent(ID.slice(0, 8));
    expect(title.textContent).not.toContain("\u202e");
    const facts = screen.getByTestId("session-facts");
    for (const fact of ["webshop", "Claude Code 2.1.330", "23 min", "41", "155K", "$9.94", "2 changes in"])
      expect(facts).toHaveTextContent(fact);
    expect(screen.getAllByTestId("session-change")).toHaveLength(2);
    expect(screen.getByTestId("session-file")).toHaveTextContent("until request 31");
    expect(screen.getByTestId("session-why")).toHaveTextContent("imported by CLAUDE.md · 41 tokens");
    expect(screen.getByTestId("session-had")).toHaveTextContent("proved for 38 of 41 requests");
  });

  it("says of what was recalled whose memory it is, and what a model wrote from memories", async () => {
    const path = "<synthesis:/home/ada/.claude/projects/-webshop/memory>";
    const load = { told: null, at: null, request: 0, by: null, agent: null, witness: "transcript" } as const;
    const file = {
      class: "memory",
      kind: null,
      store_id: null,
      store_path: null,
      requests: [[0, 40]],
      tokens: 19,
      partial: false,
      cost_usd: null,
    } as const;
    const files = [
      { ...file, path, loads: [{ ...load, reason: "synthesis", scope: "team" }] },
      {
        ...file,
        path: "https://example.com/memory/deploys",
        loads: [{ ...load, reason: "recall", scope: "organization" }],
      },
    ];
    openWindow(`#/session?session=${ID}`, knowing({ files } as never));
    const [written, kept] = await screen.findAllByTestId("session-file");
    expect(written).toHaveTextContent("<synthesis:memory>");
    expect(written).toHaveTextContent("written by a model from memories · memory of the team");
    expect(kept).toHaveTextContent("recalled · memory of the organization");
  });

  it("shows a difference on demand", async () => {
    const { user } = openWindow(`#/session?session=${ID}`, knowing());
    const [toggle] = await screen.findAllByTestId("session-change-toggle");
    expect(screen.queryByTestId("diff")).toBeNull();
    await user.click(toggle!);
    expect(toggle).toHaveAttribute("aria-expanded", "true");
    await waitFor(() => expect(document.querySelector(".diff-panel")).not.toBeNull());
  });

  it("previews one rollback for all of it", async () => {
    const fake = knowing();
    const { user } = openWindow(`#/session?session=${ID}`, fake);
    await screen.findByTestId("session-title");
    await user.keyboard("x");
    await screen.findByTestId("act-dialog");
    await waitFor(() => expect(callsOf(fake, "rollback").dry[0]).toMatchObject({ session: ID }));
    expect(callsOf(fake, "rollback").real).toHaveLength(0);
  });

  it("is never titled by an id, whatever is missing", async () => {
    openWindow(`#/session?session=${ID}`, knowing({ first_prompt: null, prompts: [], transcript: null, files: [] }));
    const title = await screen.findByTestId("session-title");
    expect(title).toHaveTextContent("Session of");
    expect(title).not.toHaveTextContent("5f3c");
    expect(screen.getByTestId("session-had")).toHaveTextContent("No record says which");
  });

  it("says when nobody knows the session", async () => {
    openWindow("#/session?session=nobody", knowing());
    await waitFor(() => expect(screen.getByTestId("session-screen")).toHaveTextContent("This session is not known"));
  });

  it("is where a session of the palette leads", async () => {
    const { user } = openWindow("#/inbox", knowing());
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByTestId("palette-input"), "price");
    const row = await rowWith("palette-item", "price").catch(() => null);
    if (row) {
      await user.click(row);
      expect(window.location.hash).toMatch(/^#\/(session|memories|health)/);
    }
  });
});
