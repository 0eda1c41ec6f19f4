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
    store.disk.set("logs/2031/04/07.md", "Two ships.\n");
    store.disk.set("logs/2031/04/2031-04-03.md", "Fog all day, nothing moved.\n".repeat(20));
    fake.log.scan(store);
    const { user } = await atMemories(fake);
    const calendar = await screen.findByTestId("log-calendar");
    const days = within(calendar)
      .getAllByTestId("log-day")
      .filter((day) => day.querySelector(".log-mark"));
    expect(days.map((day) => day.dataset["day"])).toEqual(["2031-04-03", "2031-04-07"]);
    expect(days[1]).toHaveTextContent("1 log, 11 byte");
    await user.click(days[0]!);
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("2031-04-03.md"));
    await waitFor(() => expect(screen.getByTestId("kind-class")).toHaveTextContent("daily log"));
    expect(
      within(calendar)
        .getAllByTestId("log-day")
        .find((day) => day.dataset["day"] === "2031-04-03"),
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
    // What cannot be read has no page of its own.
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
    expect(await rowWith("instruction-row", "CLAUDE.local.md")).toHaveTextContent("Leads to /srv/notes.md");
  });
});
