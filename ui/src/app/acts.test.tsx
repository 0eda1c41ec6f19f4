import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ApiFailure, Unreachable } from "@/host";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

/** Opens the window at berth-rules.md with its older version chosen. */
async function atOlderVersion() {
  const opened = openWindow("#/memories");
  const { user } = opened;
  await user.click(await rowWith("memory-row", "berth-rules.md"));
  await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("berth-rules.md"));
  await user.click(await rowWith("version-row", "v1"));
  await waitFor(() => expect(screen.getByTestId("rollback-button")).toHaveTextContent("Roll back to v1"));
  const store = opened.fake.log.store("harbour");
  return { ...opened, disk: store.disk, text: () => store.disk.get("berth-rules.md") };
}

describe("a rollback", () => {
  it("is previewed, carried out, and undone", async () => {
    const { fake, user, text } = await atOlderVersion();
    const before = text();
    await user.click(screen.getByTestId("rollback-button"));
    const dialog = await screen.findByTestId("act-dialog");
    await within(dialog).findAllByTestId("diff-line");
    expect(within(dialog).getAllByTestId("act-file")).toHaveLength(1);
    expect(callsOf(fake, "rollback").real).toHaveLength(0);
    expect(text()).toBe(before);

    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(text()).toContain("three times");
    const [done] = callsOf(fake, "rollback").real;
    expect(done).toMatchObject({ to: callsOf(fake, "rollback").dry[0]?.to });
    // The act names the content that the preview saw, so that a newer edit cannot be lost.
    expect(done?.expect).toMatch(/^[0-9a-f]{64}$/);

    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(text()).toBe(before));
    expect(callsOf(fake, "undo").dry).toHaveLength(1);
  });

  it("is undone by its key", async () => {
    const { user, text } = await atOlderVersion();
    const before = text();
    await user.keyboard("x");
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(text()).not.toBe(before);
    await user.keyboard("u");
    await waitFor(() => expect(text()).toBe(before));
  });

  it("shows the three contents when the file changed since, and replaces it only when told to", async () => {
    const { fake, user, disk, text } = await atOlderVersion();
    await user.click(screen.getByTestId("rollback-button"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    disk.set("berth-rules.md", "written in the meantime\n");
    await user.click(screen.getByTestId("act-confirm"));
    const conflict = await screen.findByTestId("conflict");
    await within(conflict).findByText("written in the meantime");
    expect(within(conflict).getByRole("region", { name: "Wanted" })).toBeInTheDocument();
    expect(text()).toBe("written in the meantime\n");
    expect(screen.getByTestId("act-confirm")).toBeDisabled();

    await user.click(within(conflict).getByTestId("conflict-replace"));
    await waitFor(() => expect(screen.queryByTestId("conflict")).toBeNull());
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await waitFor(() => expect(text()).toContain("three times"));
    // The found content is in the log, so nothing is lost.
    expect(fake.log.versions.some((version) => version.text === "written in the meantime\n")).toBe(true);
  });

  it("says what went wrong and stays open", async () => {
    const { fake, user, text } = await atOlderVersion();
    const before = text();
    await user.click(screen.getByTestId("rollback-button"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    fake.failNext(
      "rollback",
      new ApiFailure({ code: "cannot_write", message: "The disk is full.", hint: "", subject: "" }),
    );
    await user.click(screen.getByTestId("act-confirm"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("The disk is full.");
    expect(text()).toBe(before);
  });

  it("with the newest version chosen goes to the one before it", async () => {
    const { user } = openWindow("#/memories");
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    await waitFor(() => expect(screen.getByTestId("rollback-button")).toHaveTextContent("Roll back to v1"));
  });
});

describe("a session's rollback", () => {
  it("offers what is known by time alone, and takes back only what is ticked", async () => {
    const fake = fakeBackend();
    const store = fake.log.store("harbour");
    const by = { type: "session_actor", session_id: "time-1", evidence: "time_only" } as const;
    store.disk.set("likely-a.md", "by time\n");
    fake.log.scan(store, { source: "scan", by });
    store.disk.set("likely-b.md", "by time, too\n");
    fake.log.scan(store, { source: "scan", by });
    const { user } = openWindow("#/timeline", fake);
    await user.click(await rowWith("timeline-row", "likely-b.md"));
    await user.click(await screen.findByTestId("rollback-session"));
    const list = await screen.findByTestId("act-likely");
    expect(list).toHaveTextContent("2 changes are only likely to be this session's.");
    expect(list).toHaveTextContent("by time alone");
    expect(screen.getByTestId("act-confirm")).toBeDisabled();
    const ticks = within(list).getAllByTestId("act-likely-change");
    await user.click(within(ticks[1]!).getByRole("checkbox"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    expect(screen.getAllByTestId("act-file")).toHaveLength(1);
    await user.click(screen.getByTestId("act-confirm"));
    await waitFor(() => expect(store.disk.has("likely-b.md")).toBe(false));
    expect(store.disk.has("likely-a.md")).toBe(true);
    expect(callsOf(fake, "rollback").real[0]).toMatchObject({ session: "time-1", include: [expect.any(String)] });
  });

  it("takes back what is known to be its own, but for what is unticked", async () => {
    const fake = fakeBackend();
    const store = fake.log.store("harbour");
    const by = { type: "session_actor", session_id: "sure-1", evidence: "exact_content" } as const;
    for (const name of ["sure-a.md", "sure-b.md"]) {
      store.disk.set(name, `of ${name}\n`);
      fake.log.scan(store, { source: "scan", by });
    }
    const { user } = openWindow("#/timeline", fake);
    await user.click(await rowWith("timeline-row", "sure-b.md"));
    await user.click(await screen.findByTestId("rollback-session"));
    const list = await screen.findByTestId("act-sure");
    expect(list).toHaveTextContent("2 changes are known to be this session's.");
    await waitFor(() => expect(screen.getAllByTestId("act-file")).toHaveLength(2));
    const ticks = within(list).getAllByTestId("act-sure-change");
    await user.click(within(ticks[0]!).getByRole("checkbox"));
    await waitFor(() => expect(screen.getAllByTestId("act-file")).toHaveLength(1));
    expect(screen.queryByTestId("act-likely")).toBeNull();
    await user.click(screen.getByTestId("act-confirm"));
    await waitFor(() => expect(store.disk.has("sure-b.md")).toBe(false));
    expect(store.disk.has("sure-a.md")).toBe(true);
    expect(callsOf(fake, "rollback").real[0]).toMatchObject({ session: "sure-1", except: [expect.any(String)] });
  });
});

describe("the time machine", () => {
  it("shows an instant and restores it, file by file in the preview", async () => {
    const { fake, user } = openWindow("#/memories");
    const axis = await screen.findByTestId("time-axis");
    axis.focus();
    await user.keyboard("{Home}");
    expect(await screen.findByTestId("against-disk")).toHaveTextContent("1 added, 2 changed, 1 removed");
    await rowWith("memory-row", "tides.md");
    expect(axis).toHaveAttribute("aria-valuenow", "0");
    expect(axis.getAttribute("aria-valuetext")).toContain("5 created");

    expect(screen.getByTestId("restore-button")).toHaveTextContent("Restore: writes 3, deletes 1 file…");
    await user.click(screen.getByTestId("restore-button"));
    await waitFor(() => expect(screen.getAllByTestId("act-file")).toHaveLength(4));
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    const { disk } = fake.log.store("harbour");
    expect([...disk.keys()]).toContain("tides.md");
    expect([...disk.keys()]).not.toContain("cranes/weekly.md");
    await user.keyboard("u");
    await waitFor(() => expect([...disk.keys()]).toContain("cranes/weekly.md"));
  });

  it("says the same as a table", async () => {
    const { user } = openWindow("#/memories");
    await waitFor(() => expect(screen.getByTestId("as-table")).toBeEnabled());
    await user.click(screen.getByTestId("as-table"));
    const table = await screen.findByTestId("mark-table");
    expect(within(table).getAllByRole("row")).toHaveLength(5);
  });
});

describe("the timeline", () => {
  it("rolls an operation back and takes that back again", async () => {
    const { fake, user } = openWindow("#/timeline");
    await user.click(await rowWith("timeline-row", "weekly.md"));
    await user.click(await screen.findByTestId("rollback-operation"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    const { disk } = fake.log.store("harbour");
    await waitFor(() => expect(disk.has("cranes/weekly.md")).toBe(false));
    await user.click(await rowWith("timeline-row", "rolled back"));
    await user.click(await screen.findByTestId("undo-operation"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await waitFor(() => expect(disk.has("cranes/weekly.md")).toBe(true));
  });

  it("follows what is recorded", async () => {
    const { fake } = openWindow("#/timeline");
    const before = (await screen.findAllByTestId("timeline-row")).length;
    fake.log.store("harbour").disk.set("new.md", "one\n");
    fake.record();
    await waitFor(() => expect(screen.getAllByTestId("timeline-row")).toHaveLength(before + 1));
    await waitFor(() => expect(screen.getByTestId("status-line")).toHaveTextContent("12 versions"));
  });

  it("holds still while somebody reads further down, and says how much is new", async () => {
    const { fake, user } = openWindow("#/timeline");
    const before = (await screen.findAllByTestId("timeline-row")).length;
    const list = screen.getByRole("tree", { name: "Operations" });
    list.scrollTop = 500;
    fireEvent.scroll(list);
    fake.log.store("harbour").disk.set("new.md", "one\n");
    fake.record();
    expect(await screen.findByTestId("new-pill")).toHaveTextContent("1 new");
    expect(screen.getAllByTestId("timeline-row")).toHaveLength(before);
    await user.click(screen.getByTestId("new-pill"));
    await waitFor(() => expect(screen.getAllByTestId("timeline-row")).toHaveLength(before + 1));
    expect(screen.queryByTestId("new-pill")).toBeNull();
  });

  it("opens operations and shows the diff of a version", async () => {
    const { user } = openWindow("#/timeline");
    const row = await rowWith("timeline-row", "MEMORY.md and 1 more");
    await user.click(row);
    await user.keyboard("{ArrowRight}");
    await user.click(await rowWith("timeline-row", "tides.md"));
    await waitFor(() => expect(screen.getByRole("heading", { name: "tides.md" })).toBeInTheDocument());
    await waitFor(() =>
      expect(screen.getAllByTestId("diff-line").every(({ dataset }) => dataset.tag === "delete")).toBe(true),
    );
  });
});

describe("a program that does not answer", () => {
  it("is said to be so, and asked again", async () => {
    const { fake, user } = openWindow("#/timeline");
    await screen.findAllByTestId("timeline-row");
    fake.failNext("receipts", new Unreachable("refused"));
    await user.click(screen.getByTestId("nav-redactions"));
    expect(await screen.findByTestId("redact-secret")).toBeInTheDocument();
  });
});
