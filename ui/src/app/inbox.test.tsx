import { verbatim } from "@/host/fake/verbatim";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { OriginNote } from "@/bindings";
import { ApiFailure } from "@/host";
import { type FakeBackend, fakeBackend } from "@/host/fake";
import { forgetReviews } from "@/state/reviews";
import { callsOf, openWindow, rowWith } from "./testing";
// Screens that the window loads when it goes there: on a busy machine that takes longer than a condition is waited for.
import "@/features/context/ContextLab";
import "@/features/stores/StoresScreen";

const RULES = "berth-rules.md";

beforeEach(() => forgetReviews());

/** Changes three memories of one store, one operation each; the one named last is on top. */
function changed(): FakeBackend {
  const backend = fakeBackend();
  const store = backend.log.store("harbour");
  const write = (path: string, text: string) => {
    store.disk.set(path, text);
    backend.log.scan(store);
  };
  write("cranes/daily.md", "# Daily checks\n\n- hook\n- brake\n- rope\n");
  write(RULES, "## Berth rules\n\n- Ferries take berth 1.\n");
  write("pilots.md", "# Pilots\n\n- on call at night\n");
  return backend;
}

/** Four changes: an index, a fact, and between them two wishes. */
function kinds(): FakeBackend {
  const backend = fakeBackend();
  const store = backend.log.store("harbour");
  for (const [path, type] of [
    ["fact.md", "project"],
    ["wish-1.md", "feedback"],
    ["MEMORY.md", ""],
    ["wish-2.md", "feedback"],
  ] as const) {
    store.disk.set(path, `---\ntype: ${type}\n---\n\n${path}\n`);
    backend.log.scan(store);
  }
  return backend;
}

const rows = () => screen.queryAllByTestId("inbox-row").map((row) => row.getAttribute("data-key"));
const titled = (name: string) => waitFor(() => expect(screen.getByTestId("item-title")).toHaveTextContent(name));

/** Rows that need a person, as the heading of that part says. */
const needs = () =>
  screen.queryAllByTestId("inbox-section").find(({ dataset }) => dataset.part === "needs")?.dataset.rows ?? "0";

/** The head of the list and its rows agree on a number, and the badge with the part that needs a person. */
async function badgeIs(count: number) {
  await waitFor(() => {
    const badge = within(screen.getByTestId("nav-inbox")).queryByTestId("screen-count")?.textContent ?? "0";
    const total = screen.getByTestId("inbox-total").getAttribute("data-total");
    expect([badge, total, rows().length]).toEqual([needs(), String(count), count]);
  });
}

/** Who wrote a memory, as a transcript tells. */
function origin(known: Partial<OriginNote>): OriginNote {
  const note = {
    confidence: "exact_content" as const,
    session_id: "5f3c",
    title: null,
    model: null,
    role: "main" as const,
    prompt: null,
  };
  return { ...note, transcript: "5f3c", turn: 1, ...known };
}

describe("changes that were changed back", () => {
  it("have nothing to roll back, alone or in a range", async () => {
    const backend = fakeBackend();
    const store = backend.log.store("harbour");
    const before = store.disk.get(RULES)!;
    for (const text of ["# Away\n", before]) {
      store.disk.set(RULES, text);
      backend.log.scan(store);
    }
    store.disk.set("pilots.md", "# Pilots\n\n- on call at night\n");
    backend.log.scan(store);
    const { fake, user } = openWindow("", backend);
    await titled("pilots.md");
    await user.keyboard("j");
    await titled("Changed and changed back");
    expect(screen.getByTestId("approve-group")).toBeVisible();
    expect(screen.queryByTestId("reject-group")).toBeNull();
    await user.keyboard("x");
    expect(callsOf(fake, "review").real).toHaveLength(0);
    await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
    await titled("2 changes chosen");
    await user.keyboard("x");
    await waitFor(() => expect(callsOf(fake, "review").real[0]?.versions).toHaveLength(1));
    expect(await screen.findByText("Rolled back: pilots.md")).toBeVisible();
    await titled("Changed and changed back");
  });

  it("a toast counts what was written", async () => {
    const backend = fakeBackend();
    const store = backend.log.store("harbour");
    const before = store.disk.get(RULES)!;
    store.disk.set(RULES, "# Away\n");
    backend.log.scan(store);
    const { user } = openWindow("", backend);
    await titled(RULES);
    // Somebody puts the file back by hand, and no scan has seen it yet.
    store.disk.set(RULES, before);
    await user.keyboard("x");
    expect(await screen.findByText("Nothing to change")).toBeVisible();
  });
});

describe("the inbox", () => {
  it("is where the window starts, and counts what it shows", async () => {
    openWindow("", changed());
    await titled("pilots.md");
    await badgeIs(3);
    const row = await rowWith("inbox-row", "daily.md");
    expect(within(row).getByRole("img", { name: "changed" })).toHaveTextContent("~");
    expect(row).toHaveTextContent("+1 −0");
    expect(row).toHaveTextContent("topic");
    expect(within(await rowWith("inbox-row", "pilots.md")).getByRole("img", { name: "created" })).toHaveTextContent(
      "+",
    );
  });

  it("is walked and emptied by the keyboard, and every step is taken back", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("pilots.md");
    await user.keyboard("j");
    await titled(RULES);
    await user.keyboard("k");
    await titled("pilots.md");
    await user.keyboard("a");
    await titled(RULES);
    await badgeIs(2);
    await user.keyboard("x");
    await titled("daily.md");
    expect(fake.log.store("harbour").disk.get(RULES)).toContain("Never retry");
    await user.keyboard("a");
    await screen.findByTestId("inbox-empty");
    expect(await screen.findByTestId("toast")).toHaveTextContent("Approved: cranes/daily.md");
    await user.keyboard("u");
    await titled("daily.md");
    await user.keyboard("u");
    await titled(RULES);
    expect(fake.log.store("harbour").disk.get(RULES)).toContain("berth 1.");
    await user.keyboard("u");
    await titled("pilots.md");
    await badgeIs(3);
  });

  it("approves all that is routine at once, and takes that back from the message", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("pilots.md");
    await user.keyboard("{Shift>}A{/Shift}");
    await screen.findByTestId("inbox-empty");
    expect((callsOf(fake, "review").real[0]?.versions as string[]).length).toBe(3);
    await user.click(await screen.findByTestId("toast-action"));
    await badgeIs(3);
  });

  it("keeps what is chosen when others arrive, and says so when it changes itself", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("pilots.md");
    const store = fake.log.store("harbour");
    store.disk.set("late.md", "# Late\n");
    fake.record();
    await badgeIs(4);
    await titled("pilots.md");
    store.disk.set("pilots.md", "# Pilots\n\n- on call by day\n");
    fake.record();
    await screen.findByTestId("stale");
    await waitFor(() => expect(screen.getAllByTestId("stale-side")[1]).toHaveTextContent("by day"));
    await waitFor(() => expect(screen.getAllByTestId("stale-side")[0]).toHaveTextContent("at night"));
    await user.keyboard("a");
    expect(await screen.findByTestId("skipped")).toHaveTextContent("It changed after you opened it.");
    await badgeIs(4);
    await user.keyboard("n");
    await waitFor(() => expect(screen.queryByTestId("stale")).toBeNull());
    await user.keyboard("a");
    await badgeIs(3);
  });

  it("shows what is wrong, masked as it comes, and whose chip says it in words", async () => {
    const backend = changed();
    const place = { line: 3, column: 1, end_line: 3, end_column: 9, start: 10, end: 18 };
    backend.inbox.findings.set("pilots.md", [
      {
        rule: "links/orphan",
        severity: "note",
        path: "pilots.md",
        message: verbatim("No index names it."),
        remedy: "",
        remedies: [],
        ...place,
      },
      {
        rule: "secret/assignment",
        severity: "error",
        path: "pilots.md",
        message: verbatim("A password ends in …xx."),
        remedy: "Redact it.",
        remedies: [{ act: "redact", rule: "secret/assignment", start: 10 }],
        ...place,
      },
    ]);
    openWindow("", backend);
    await titled("pilots.md");
    const row = await rowWith("inbox-row", "pilots.md");
    expect(row).toHaveTextContent("secret in an assignment in pilots.md");
    expect(within(row).getByTestId("row-remedy")).toHaveTextContent("Redact key");
    expect(screen.getByTestId("primary-remedy")).toHaveTextContent("Redact key");
    expect(screen.getByTestId("need-notice")).toHaveTextContent("A password ends in …xx.");
    // What the notice says is not said again.
    const [first, ...others] = screen.getAllByTestId("item-finding");
    expect(first).toHaveTextContent("orphan3:1 No index names it.");
    expect(others).toEqual([]);
    expect(screen.getByTestId("nav-inbox")).toHaveTextContent("1");
  });

  it("goes to the redaction of what is shown", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("pilots.md");
    await user.keyboard("r");
    await waitFor(() => expect(window.location.hash).toContain("redactions"));
    expect(window.location.hash).toContain(fake.log.versions.at(-1)!.id);
  });

  it("opens the transcript at the turn of the write, and the way back leads to the same item", async () => {
    const backend = changed();
    backend.inbox.origins.set(RULES, origin({ turn: 7 }));
    const { user } = openWindow("", backend);
    await titled("pilots.md");
    await user.keyboard("t");
    expect(window.location.hash, "nobody knows a transcript of this one").not.toContain("context");
    await user.keyboard("j");
    await titled(RULES);
    await user.keyboard("t");
    await waitFor(() => expect(window.location.hash).toBe("#/context?transcript=5f3c&turn=7"));
    window.history.back();
    await titled(RULES);
    await user.click(screen.getByTestId("item-transcript"));
    await waitFor(() => expect(window.location.hash).toBe("#/context?transcript=5f3c&turn=7"));
  });

  it("offers the transcript as soon as it is known, behind what was there", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("pilots.md");
    const tools = screen.getByTestId("item-why").parentElement!;
    const [why, memory] = [screen.getByTestId("item-why"), screen.getByTestId("open-memory")];
    expect([...tools.children]).toEqual([why, memory]);
    fake.inbox.origins.set("pilots.md", origin({ turn: null }));
    fake.emit({ type: "origins" });
    const button = await screen.findByTestId("item-transcript");
    expect([...tools.children]).toEqual([why, memory, screen.getByTestId("item-session"), button]);
    await user.click(button);
    await waitFor(() => expect(window.location.hash).toBe("#/context?transcript=5f3c"));
  });

  it("shows one kind alone, with what there is of each, and goes on to count all", async () => {
    const { fake, user } = openWindow("", kinds());
    await titled("wish-2.md");
    await badgeIs(4);
    const choice = screen.getByTestId("inbox-kind");
    await waitFor(() =>
      expect(
        within(choice)
          .getAllByRole("option")
          .map(({ textContent }) => textContent),
      ).toEqual(["All kinds", "index (1)", "topic (3)", "topic, feedback (2)", "topic, about the project (1)"]),
    );
    await user.selectOptions(choice, "topic:feedback");
    await waitFor(() => expect(rows()).toHaveLength(2));
    expect(window.location.hash).toBe("#/inbox?kind=topic%3Afeedback");
    expect(screen.getByTestId("inbox-total")).toHaveAttribute("data-total", "2");
    // What is routine is what the list shows of it.
    await user.click(screen.getByTestId("approve-routine"));
    await screen.findByTestId("inbox-empty");
    expect((callsOf(fake, "review").real[0]?.versions as string[]).length).toBe(2);
    await waitFor(() =>
      expect(screen.getByTestId("inbox-empty")).toHaveTextContent("2 changes of other kinds are left"),
    );
    expect(screen.getByTestId("inbox-empty")).toHaveTextContent("Nothing of this kind to review");
    expect(screen.getByTestId("inbox-empty")).toHaveTextContent("topic, feedback");
    await user.click(screen.getByTestId("inbox-all-kinds"));
    await badgeIs(2);
    expect(window.location.hash).toBe("#/inbox");
  });

  it("goes through the kinds by keyboard, and reviews up to here what it shows", async () => {
    const { fake, user } = openWindow("", kinds());
    await badgeIs(4);
    await waitFor(() => expect(within(screen.getByTestId("inbox-kind")).getAllByRole("option")).toHaveLength(5));
    await user.keyboard("f");
    await titled("MEMORY.md");
    await user.keyboard("{Shift>}FF{/Shift}");
    await waitFor(() => expect(window.location.hash).toBe("#/inbox?kind=topic%3Aproject"));
    await titled("fact.md");
    await user.keyboard("{Shift>}F{/Shift}");
    await titled("wish-2.md");
    await user.keyboard("j");
    await titled("wish-1.md");
    await user.click(screen.getByTestId("more-for-item"));
    await user.click(await screen.findByTestId("review-up-to"));
    await user.click(await screen.findByRole("button", { name: "Approve 1" }));
    await waitFor(() => expect(rows()).toHaveLength(1));
    expect(callsOf(fake, "review_up_to").real[0]).toMatchObject({ kind: "topic:feedback" });
    await user.keyboard("u");
    await waitFor(() => expect(rows()).toHaveLength(2));
    expect(fake.inbox.count()).toBe(4);
  });

  it("keeps the kind in another store and on the way back", async () => {
    const backend = kinds();
    const almanac = backend.log.store("almanac");
    const { user } = openWindow("#/inbox?kind=index", backend);
    await titled("MEMORY.md");
    await waitFor(() => expect(within(screen.getByTestId("inbox-store")).getAllByRole("option")).toHaveLength(3));
    await user.selectOptions(screen.getByTestId("inbox-store"), almanac.id);
    await screen.findByTestId("inbox-empty");
    expect(window.location.hash).toBe(`#/inbox?store=${almanac.id}&kind=index`);
    expect(screen.getByTestId("inbox-kind")).toHaveValue("index");
    window.history.back();
    await titled("MEMORY.md");
  });

  it("shows one store alone, and the way back to all", async () => {
    const backend = changed();
    const almanac = backend.log.store("almanac");
    openWindow(`#/inbox?store=${almanac.id}`, backend);
    await screen.findByTestId("inbox-empty");
    expect(screen.getByText("Show all stores")).toBeInTheDocument();
  });

  it("says what failed, and asks again", async () => {
    const backend = changed();
    const error = { code: "busy", message: "The log is in use.", hint: "", subject: "" } as const;
    const { user } = openWindow("", backend);
    await badgeIs(3);
    const { id } = backend.log.store("harbour");
    await waitFor(() => expect(within(screen.getByTestId("inbox-store")).getAllByRole("option")).toHaveLength(3));
    backend.failNext("triage", new ApiFailure(error));
    await user.selectOptions(screen.getByTestId("inbox-store"), id);
    const failure = await screen.findByTestId("failure");
    await user.click(within(failure).getByRole("button"));
    await badgeIs(3);
  });

  it("says of what a redaction left that it is redacted, not put back", async () => {
    const backend = changed();
    const newest = backend.log.versions.at(-1)!;
    newest.put_back = {
      version_id: newest.id,
      written_by: null,
      written_at: newest.created_at,
      by: { type: "user_actor", user_id: "ada" },
      at: newest.created_at,
      operation_seq: newest.operation_seq,
      source: "redact",
    };
    openWindow("", backend);
    const row = await rowWith("inbox-row", "pilots.md");
    expect(row).toHaveTextContent("redacted");
    expect(row).not.toHaveTextContent("put back");
  });

  it("keeps the list when an act fails", async () => {
    const backend = changed();
    const { user } = openWindow("", backend);
    await titled("pilots.md");
    backend.failNext("review", new ApiFailure({ code: "cannot_write", message: "No space.", hint: "", subject: "" }));
    await user.keyboard("a");
    expect(await screen.findByTestId("toast")).toHaveTextContent("No space.");
    await badgeIs(3);
  });

  it("names every key", async () => {
    const { user } = openWindow("", changed());
    await titled("pilots.md");
    await user.keyboard("?");
    const help = await screen.findByTestId("key-help");
    for (const word of [
      "Approve",
      "Approve everything that is routine",
      "Next group",
      "Edit the final text",
      "Roll back",
      "Redact",
    ])
      expect(help).toHaveTextContent(word);
    expect(help, "what concerns everything before a change has no key").not.toHaveTextContent("Reviewed up to here");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("key-help")).toBeNull());
  });

  it("puts all that was deleted back from its row, and counts it", async () => {
    const backend = changed();
    const store = backend.log.store("harbour");
    const gone = [...store.disk.keys()].filter((path) => !/MEMORY|pilots|berth|daily/.test(path)).slice(0, 2);
    for (const path of gone) store.disk.delete(path);
    backend.log.scan(store);
    const { fake, user } = openWindow("", backend);
    await titled("2 memories deleted at once");
    await waitFor(() => expect(screen.getByTestId("nav-inbox")).toHaveTextContent("1"));
    expect(screen.getAllByTestId("cluster-member")).toHaveLength(2);
    await user.click(screen.getByTestId("row-remedy"));
    expect(await screen.findByTestId("toast")).toHaveTextContent("Put back: 2 memories");
    for (const path of gone) expect(fake.log.store("harbour").disk.has(path)).toBe(true);
    await titled("pilots.md");
  });

  it("shows one difference for many, opens them, and takes a range that goes on behind it", async () => {
    const backend = fakeBackend();
    const store = backend.log.store("harbour");
    for (const number of [1, 2, 3, 4]) {
      store.disk.set(`note-${number}.md`, "# Note\n");
      backend.log.scan(store);
      backend.inbox.sameEdits.add(`note-${number}.md`);
    }
    store.disk.set("pilots.md", "# Pilots\n\n- on call at night\n");
    backend.log.scan(store);
    const { fake, user } = openWindow("", backend);
    await titled("4 memories, the same edit");
    expect(await screen.findByTestId("cluster-line")).toHaveTextContent("dashed: varies, 4 values");
    expect(rows(), "its changes are asked for").toHaveLength(1);
    screen.getByTestId("inbox-list").focus();
    await user.keyboard("{ArrowRight}j");
    await titled("note-4.md");
    await user.keyboard("{Shift>}J{/Shift}");
    await titled("2 changes chosen");
    await user.keyboard("a");
    await titled("note-2.md");
    expect(callsOf(fake, "review").real[0]?.versions).toHaveLength(2);
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    await titled("2 memories, the same edit");
    await user.keyboard("x");
    await titled("pilots.md");
    expect(fake.log.store("harbour").disk.has("note-1.md")).toBe(false);
    await user.keyboard("u");
    await rowWith("inbox-head", "2 memories, the same edit");
  });
});
