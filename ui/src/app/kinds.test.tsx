import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

async function atMemories(fake = fakeBackend()) {
  const opened = openWindow("#/memories", fake);
  await screen.findByTestId("memory-title");
  return opened;
}

describe("daily logs", () => {
  it("are a calendar whose days open their log, by pointer and by keyboard", async () => {
    const fake = fakeBackend();
    const store = fake.log.store("harbour");
    store.disk.set("logs/2025/04/07.md", "Two ships.\n");
    store.disk.set("logs/2025/04/2025-04-03.md", "Fog all day, nothing moved.\n".repeat(20));
    fake.log.scan(store);
    const { user } = await atMemories(fake);
    const calendar = await screen.findByTestId("log-calendar");
    const days = within(calendar)
      .getAllByTestId("log-day")
      .filter((day) => within(day).queryByTestId("log-mark"));
    expect(days.map((day) => day.dataset["day"])).toEqual(["2025-04-03", "2025-04-07", "2025-04-30"]);
    expect(days[1]).toHaveTextContent("1 log, 11 byte");
    await user.click(days[0]!);
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("2025-04-03.md"));
    await waitFor(() => expect(screen.getByTestId("kind-class")).toHaveTextContent("daily log"));
    expect(
      within(calendar)
        .getAllByTestId("log-day")
        .find((day) => day.dataset["day"] === "2025-04-03"),
    ).toHaveAttribute("data-selected");
    // Four days on with the arrow key, and Enter.
    await user.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{Enter}");
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("07.md"));
  });

  it("say nothing in a store that has none", async () => {
    openWindow("#/memories?store=almanac");
    await screen.findByTestId("memory-title");
    expect(screen.queryByTestId("log-calendar")).not.toBeInTheDocument();
  });
});

describe("instruction files", () => {
  it("are asked for when their section is opened, listed, and shown with the reason", async () => {
    const { fake, user } = await atMemories();
    expect(callsOf(fake, "instructions").real).toHaveLength(0);
    await user.click(screen.getByTestId("instruction-toggle"));
    const items = await screen.findAllByTestId("instruction-item");
    expect(items.map((item) => item.textContent)).toContainEqual(expect.stringContaining("cranes.md"));
    // A file that cannot be read has no page of its own.
    expect(items.some((item) => item.textContent?.includes("gone.md"))).toBe(false);
    await user.click(items.find((item) => item.textContent?.includes("cranes.md"))!);
    expect(await screen.findByTestId("instruction-title")).toHaveTextContent("cranes.md");
    expect(await screen.findByText(/Cranes are numbered/)).toBeInTheDocument();
    expect(screen.getByTestId("instruction-not-recorded")).toBeInTheDocument();
  });

  it("are all on one page, those that are not read among them", async () => {
    const { user } = openWindow("#/memories?instruction=all");
    await user.click(await screen.findByText("All, with the reason for each"));
    const gone = await rowWith("instruction-row", "gone.md");
    expect(gone).toHaveTextContent("missing");
    expect(within(gone).queryByRole("button")).not.toBeInTheDocument();
    expect(await rowWith("instruction-row", "CLAUDE.local.md")).toHaveTextContent("Leads to /home/ada/notes.md");
    expect(await rowWith("instruction-row", "cut at byte 12")).toHaveTextContent("AGENTS.md");
    const [claude, codex] = screen.getAllByTestId("instruction-rules");
    expect(claude).toHaveTextContent("version 2.1.330, rules as of 2.1.330 · Read from the newest session.");
    expect(codex).toHaveTextContent("version 0.100.0, rules as of 0.169.0");
  });
});

describe("agents on this machine", () => {
  it("are listed in the settings with what is exact for their version", async () => {
    openWindow("#/settings");
    const [claude, codex] = await screen.findAllByTestId("agent");
    expect(claude).toHaveTextContent("Claude Code 2.1.330");
    expect(within(claude!).getByText("exact since 2.1.300")).toBeInTheDocument();
    expect(codex).toHaveTextContent("exact since 0.169.0, not proved for 0.100.0");
  });
});

describe("memories of one kind", () => {
  const listed = () =>
    screen
      .queryAllByTestId("memory-row")
      .filter((row) => row.querySelector(".tree-chevron") === null)
      .map((row) => row.getAttribute("data-key"));

  it("are listed alone, counted, and remembered in the address", async () => {
    const fake = fakeBackend();
    const store = fake.log.store("harbour");
    store.disk.set("team/wish.md", "---\ntype: feedback\n---\n\nShort answers.\n");
    store.disk.set("logs/2025/04/07.md", "Two ships.\n");
    fake.log.scan(store);
    const { user } = await atMemories(fake);
    const choice = await screen.findByTestId("memories-kind");
    await waitFor(() => expect(choice).toHaveTextContent("topic, feedback (1)"));
    expect(choice).toHaveTextContent("team (1)");
    await user.selectOptions(choice, "team");
    await waitFor(() => expect(listed()).toEqual(["team/wish.md"]));
    // The shown memory is not among them: the first of them is.
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("wish.md"));
    expect(window.location.hash).toContain("kind=team");
    expect(screen.queryByTestId("log-calendar")).not.toBeInTheDocument();
    await user.selectOptions(choice, "daily_log");
    await screen.findByTestId("log-calendar");
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("2025-04-30.md"));
    await user.selectOptions(choice, "");
    await waitFor(() => expect(listed().length).toBeGreaterThan(2));
    expect(screen.getByTestId("memory-title"), "it is in the list of all too").toHaveTextContent("2025-04-30.md");
  });

  it("that there are none of are said to be none, with the way to all", async () => {
    const { user } = openWindow("#/memories?store=almanac&kind=agent_user");
    expect(await screen.findByText("No memory of this kind here")).toBeInTheDocument();
    expect(screen.getByText("This store holds no memories of this kind.")).toBeInTheDocument();
    expect(screen.getByTestId("memories-kind")).toHaveValue("agent_user");
    await user.click(screen.getByTestId("memories-all-kinds"));
    await screen.findByTestId("memory-title");
    expect(window.location.hash).not.toContain("kind");
  });

  it("follow each other by keyboard", async () => {
    const { user } = await atMemories();
    await waitFor(() => expect(screen.getByTestId("memories-kind")).toHaveTextContent("topic"));
    await user.keyboard("f");
    await waitFor(() => expect(window.location.hash).toContain("kind="));
    await user.keyboard("{Shift>}F{/Shift}");
    await waitFor(() => expect(window.location.hash).not.toContain("kind="));
  });
});
