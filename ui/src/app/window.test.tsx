import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ApiFailure, Unauthorized } from "@/host";
import { fakeBackend, FakeLog } from "@/host/fake";
import { endProgress, setProgress } from "@/state/progress";
import { callsOf, openWindow, rowWith } from "./testing";

describe("the first run", () => {
  const empty = () => fakeBackend(new FakeLog(new Date()));

  it("finds directories, records the chosen ones with one button, and opens them", async () => {
    const { fake, user } = openWindow("", empty());
    const rows = await screen.findAllByTestId("found-row");
    expect(rows).toHaveLength(3);
    expect(rows.map((row) => within(row).getByRole<HTMLInputElement>("checkbox").checked)).toEqual([true, true, false]);
    await user.click(screen.getByTestId("record-found"));
    await user.click(await screen.findByTestId("first-run-open"));
    expect(fake.log.stores.map(({ name }) => name)).toEqual(["harbour", "lighthouse"]);
    expect(await screen.findByTestId("memory-title")).toHaveTextContent("MEMORY.md");
  });

  it("moves nothing once the way on is there", async () => {
    const { user } = openWindow("", empty());
    await user.click(await screen.findByTestId("record-found"));
    const way = await screen.findByTestId("first-run-open");
    // Not only when what was found is read again.
    expect(screen.queryByTestId("record-found")).toBeNull();
    act(() => setProgress({ type: "progress", task: "joining", done: 1, total: 2 }));
    const progress = screen.getByText("joining 1 / 2");
    expect(way.compareDocumentPosition(progress)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    act(() => endProgress("joining"));
  });

  it("says which directory failed and keeps the others", async () => {
    const backend = empty();
    const { fake, user } = openWindow("", backend);
    await screen.findAllByTestId("found-row");
    fake.failNext(
      "add_store",
      new ApiFailure({ code: "store_unavailable", message: "No permission.", hint: "", subject: "" }),
    );
    await user.click(screen.getByTestId("record-found"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("No permission.");
    await waitFor(() => expect(fake.log.stores.map(({ name }) => name)).toEqual(["lighthouse"]));
    expect(screen.getByTestId("first-run")).toBeInTheDocument();
  });

  it("shows the evidence when asked, and what could not be read", async () => {
    const { user } = openWindow("", empty());
    const [row] = await screen.findAllByTestId("found-row");
    await user.click(within(row!).getByRole("button"));
    expect(within(row!).getByText(/settings name/)).toBeVisible();
    expect(screen.getByText(/is not valid JSON/)).toBeInTheDocument();
  });

  it("takes any directory, typed or chosen in the system's dialog", async () => {
    const backend = fakeBackend(new FakeLog(new Date()), {
      kind: "desktop",
      pickDirectory: async () => "/home/ada/notes",
    });
    const { fake, user } = openWindow("", backend);
    await user.click(await screen.findByTestId("pick-directory"));
    await waitFor(() => expect(screen.getByTestId("add-root")).toHaveValue("/home/ada/notes"));
    await user.click(screen.getByTestId("add-store"));
    await screen.findByTestId("first-run-open");
    expect(fake.log.stores.map(({ root }) => root)).toEqual(["/home/ada/notes"]);
  });
});

describe("a page without a key", () => {
  it("says which address to open", async () => {
    const fake = fakeBackend();
    fake.failNext("status", new Unauthorized());
    openWindow("", fake);
    expect(await screen.findByText("retrace serve")).toBeInTheDocument();
  });
});

describe("a log that cannot be opened", () => {
  it("says why, and what to do", async () => {
    const fake = fakeBackend();
    fake.failNext("status", new ApiFailure({ code: "database_newer", message: "Schema 9.", hint: "", subject: "" }));
    openWindow("", fake);
    expect(await screen.findByTestId("failure")).toHaveTextContent("newer version");
  });
});

describe("the memories", () => {
  it("show the cut of an index only where it is passed", async () => {
    const { user } = openWindow("#/memories");
    expect(await screen.findByTestId("cut-chip")).toHaveTextContent("61 lines are not loaded");
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    await waitFor(() => expect(screen.queryByTestId("cut-chip")).toBeNull());
  });

  it("show hidden characters, in the content and in the diff", async () => {
    const { user } = openWindow("#/memories");
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    expect(await screen.findByTestId("hidden-mark")).toHaveTextContent("U+200B");
    await user.click(await rowWith("version-row", "v2"));
    await screen.findAllByTestId("diff-line");
    expect(screen.getByTestId("hidden-mark")).toHaveTextContent("U+200B");
  });

  it("compare any two versions", async () => {
    const { fake, user } = openWindow("#/memories");
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    await user.click(await rowWith("version-row", "v2"));
    await user.keyboard("{Control>}");
    await user.click(await rowWith("version-row", "v1"));
    await user.keyboard("{/Control}");
    await waitFor(() => expect(screen.getByTestId("diff-from")).not.toHaveValue(""));
    const asked = callsOf(fake, "diff").real.at(-1);
    expect(String(asked?.a)).toMatch(/^memver_/);
    expect(String(asked?.b)).toMatch(/^memver_/);
  });

  it("tell when the file on disk is another", async () => {
    const { fake, user } = openWindow("#/memories");
    await user.click(await rowWith("memory-row", "daily.md"));
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("daily.md"));
    fake.log.store("harbour").disk.set("cranes/daily.md", "# Daily checks\n\n- rope\n");
    fake.emit({ type: "advanced", cursor: 99 });
    await user.click(within(await screen.findByTestId("disk-differs")).getByRole("button"));
    await waitFor(() =>
      expect(screen.getAllByTestId("diff-line").some(({ textContent }) => textContent?.includes("rope"))).toBe(true),
    );
  });

  it("are walked by the keyboard", async () => {
    const { user } = openWindow("#/memories");
    await screen.findAllByTestId("memory-row");
    await user.keyboard("j");
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("berth-rules.md"));
    screen.getByRole("tree").focus();
    await user.keyboard("{End}");
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("2025-04-30.md"));
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    await waitFor(() =>
      expect(screen.queryAllByTestId("memory-row").some(({ textContent }) => textContent === "2025-04-30.md")).toBe(
        false,
      ),
    );
  });
});

describe("the stores", () => {
  it("are paused, removed, and added again", async () => {
    const { fake, user } = openWindow("#/stores");
    const row = await rowWith("store-row", "almanac");
    await user.click(within(row).getByTestId("store-menu"));
    await user.click(await screen.findByTestId("store-pause"));
    await waitFor(async () => expect(await rowWith("store-row", "almanac")).toHaveTextContent("paused"));
    await user.click(within(await rowWith("store-row", "almanac")).getByTestId("store-menu"));
    await user.click(await screen.findByTestId("store-remove"));
    expect(await screen.findByTestId("remove-dialog")).toHaveTextContent("history stays");
    await user.click(screen.getByTestId("remove-confirm"));
    await waitFor(() => expect(fake.log.stores).toHaveLength(1));
    await user.click(await screen.findByTestId("toast-action"));
    await waitFor(() => expect(fake.log.stores).toHaveLength(2));
  });

  it("are looked at now", async () => {
    const { fake, user } = openWindow("#/stores");
    await screen.findAllByTestId("store-row");
    fake.log.store("harbour").disk.set("late.md", "x\n");
    await user.click(screen.getByTestId("scan-all"));
    expect(await screen.findByTestId("toast")).toHaveTextContent("Recorded 1 version");
  });
});

describe("search", () => {
  it("finds memories, text and actions, and opens a hit at its line", async () => {
    const { user } = openWindow("#/stores");
    await screen.findAllByTestId("store-row");
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByTestId("palette-input"), "useBooking");
    const hit = await screen.findByTestId("search-hit");
    expect(hit).toHaveTextContent("berth-rules.md");
    expect(hit.querySelector("mark")).toHaveTextContent("useBooking");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(screen.queryByTestId("palette")).toBeNull());
    await waitFor(() =>
      expect(document.querySelector('[data-testid="document-line"][aria-current]')?.textContent).toContain(
        "useBooking",
      ),
    );
  });

  it("looks into the history when asked", async () => {
    const { user } = openWindow("#/stores");
    await screen.findAllByTestId("store-row");
    await user.keyboard("/");
    const input = await screen.findByTestId("palette-input");
    await user.type(input, "three times");
    await screen.findByText(/Nothing found/);
    await user.click(screen.getByTestId("palette-history"));
    expect(await screen.findByTestId("search-hit")).toHaveTextContent("three times");
  });

  it("goes places", async () => {
    const { user } = openWindow("#/memories");
    await screen.findAllByTestId("memory-row");
    await user.keyboard("gs");
    await screen.findAllByTestId("store-row");
    await user.keyboard("?");
    expect(await screen.findByTestId("key-help")).toHaveTextContent("Go to Timeline");
  });

  it("goes places from a list too, whatever its rows are called", async () => {
    const backend = fakeBackend();
    backend.log.store("harbour").disk.set("tides.md", "x\n");
    await backend.call("scan", { stores: [] });
    const { user } = openWindow("#/memories", backend);
    await user.click(await rowWith("memory-row", "tides.md"));
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    await user.keyboard("gt");
    expect(await screen.findAllByTestId("timeline-row")).not.toHaveLength(0);
  });
});
