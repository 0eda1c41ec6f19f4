import { verbatim } from "@/host/fake/verbatim";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Finding, Severity } from "@/bindings";
import { type FakeBackend, fakeBackend } from "@/host/fake";
import { forgetReviews } from "@/state/reviews";
import { callsOf, openWindow, rowWith } from "./testing";

beforeEach(() => forgetReviews());

function finding(path: string, rule: string, severity: Severity): Finding {
  const place = { line: 1, column: 1, end_line: 1, end_column: 2, start: 0, end: 1 };
  return { rule, severity, path, message: verbatim("Something is found."), remedy: "", ...place };
}

/** Four changes, oldest first: one with a secret, one with a warning, and two clean ones. */
function changed(): FakeBackend {
  const backend = fakeBackend();
  const store = backend.log.store("harbour");
  for (const path of ["leak.md", "odd.md", "clean.md", "pilots.md"]) {
    store.disk.set(path, `# ${path}\n`);
    backend.log.scan(store);
  }
  backend.inbox.findings.set("leak.md", [finding("leak.md", "secret/github", "error")]);
  backend.inbox.findings.set("odd.md", [finding("odd.md", "hidden/zero-width", "warning")]);
  return backend;
}

/** Chooses all four and approves them. */
const ALL = "{Shift>}JJJ{/Shift}a";

const rows = () => screen.queryAllByTestId("inbox-row").map((row) => row.textContent);
const titled = (name: string) => waitFor(() => expect(screen.getByTestId("item-title")).toHaveTextContent(name));
const left = (count: number) => waitFor(() => expect(rows()).toHaveLength(count));

describe("an approval of several", () => {
  it("says how many, which and what is found first, and leaves errors out", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    await user.keyboard(ALL);
    const sheet = await screen.findByTestId("approve-sheet");
    const button = await within(sheet).findByRole("button", { name: "Approve 3, leave 1 with findings" });
    expect(callsOf(fake, "review").real, "nothing is done yet").toEqual([]);
    expect(within(sheet).getByTestId("approve-direction")).toHaveTextContent("The chosen changes");
    const found = within(sheet).getByTestId("approve-findings");
    expect(found).toHaveTextContent("error, in 1 change");
    expect(found).toHaveTextContent("warning, in 1 change");
    expect(within(sheet).getByTestId("approve-errors")).toHaveTextContent("leak.md");
    await waitFor(() => expect(button).toHaveFocus());
    await user.keyboard("{Enter}");
    await left(1);
    expect(rows()[0]).toContain("leak.md");
    expect(screen.queryByTestId("skipped"), "what was said before is not said again").toBeNull();
    // All of it is taken back.
    await user.keyboard("u");
    await left(4);
  });

  it("takes along what is ticked, and says so on its button", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    await user.keyboard("{Shift>}JJJ{/Shift}");
    await user.click(await screen.findByTestId("approve-group"));
    const sheet = await screen.findByTestId("approve-sheet");
    await within(sheet).findByRole("button", { name: "Approve 3, leave 1 with findings" });
    await user.click(within(sheet).getByRole("checkbox", { name: "leak.md" }));
    await user.click(within(sheet).getByRole("button", { name: "Approve 4" }));
    await screen.findByTestId("inbox-empty");
    const [request] = callsOf(fake, "review").real;
    expect(request?.ticked).toHaveLength(1);
  });

  it("is left by Escape and by Cancel, and nothing is done", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    for (const leave of ["key", "button"]) {
      await user.keyboard(ALL);
      await screen.findByTestId("approve-several");
      if (leave === "key") await user.keyboard("{Escape}");
      else await user.click(await screen.findByTestId("approve-cancel"));
      await waitFor(() => expect(screen.queryByTestId("approve-sheet")).toBeNull());
    }
    expect(callsOf(fake, "review").real).toEqual([]);
    await left(4);
  });

  it("says what failed, and asks again", async () => {
    const backend = changed();
    const { user } = openWindow("", backend);
    await titled("leak.md");
    backend.failNext("review", new Error("no answer"));
    await user.keyboard(ALL);
    const sheet = await screen.findByTestId("approve-sheet");
    await user.click(within(await within(sheet).findByTestId("failure")).getByRole("button"));
    await within(sheet).findByRole("button", { name: /leave 1 with findings/ });
  });
});

describe("reviewed up to here", () => {
  it("is in the menu of a row, says its direction, and leaves errors out", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    const row = await rowWith("inbox-row", "clean.md");
    await user.click(within(row).getByTestId("row-menu"));
    await user.click(await screen.findByTestId("review-up-to"));
    const sheet = await screen.findByTestId("approve-sheet");
    await within(sheet).findByRole("button", { name: "Approve 2, leave 1 with findings" });
    const direction = within(sheet).getByTestId("approve-direction");
    expect(direction).toHaveTextContent("clean.md and everything that was recorded before it");
    expect(direction).toHaveTextContent("What was recorded later stays");
    expect(callsOf(fake, "review_up_to").real).toEqual([]);
    await user.click(within(sheet).getByTestId("approve-several"));
    await left(2);
    expect(rows().join()).toContain("pilots.md");
    expect(rows().join()).toContain("leak.md");
  });

  it("is reached by the keyboard: by the menu key of a row, and in the toolbar", async () => {
    const { user } = openWindow("", changed());
    await titled("leak.md");
    // A browser sends this for the menu key, to the list, which has the focus.
    fireEvent.contextMenu(screen.getByTestId("inbox-list"));
    const menu = await screen.findByRole("menu", { name: "More for leak.md" });
    expect(within(menu).getByTestId("review-up-to")).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    await user.click(screen.getByTestId("more-for-item"));
    await user.click(await screen.findByTestId("review-up-to"));
    await screen.findByTestId("approve-sheet");
  });
});

describe("keys", () => {
  it("do nothing after G alone, however long one waits, and after a slip of the second key", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      await user.keyboard("g");
      await act(() => vi.advanceTimersByTimeAsync(5000));
      await user.keyboard("{Shift>}G{/Shift}");
      await act(() => vi.advanceTimersByTimeAsync(5000));
      await user.keyboard("ga");
      await user.keyboard("gx");
      await act(() => vi.advanceTimersByTimeAsync(5000));
    } finally {
      vi.useRealTimers();
    }
    expect([...callsOf(fake, "review").real, ...callsOf(fake, "review_up_to").real]).toEqual([]);
    expect(rows()).toHaveLength(4);
    expect(screen.queryByTestId("approve-sheet")).toBeNull();
  });

  it("approve one change a press, not one after the other while held", async () => {
    const { fake, user } = openWindow("", changed());
    await titled("leak.md");
    await user.keyboard("{a>8/}");
    await left(3);
    expect(callsOf(fake, "review").real).toHaveLength(1);
  });
});
