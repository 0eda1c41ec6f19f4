import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

/** Opens the palette over the fake and types a text. */
async function typed(text: string, fake = fakeBackend()) {
  const opened = openWindow("#/stores", fake);
  await screen.findAllByTestId("store-row");
  await opened.user.keyboard("{Control>}k{/Control}");
  await opened.user.type(await screen.findByTestId("palette-input"), text);
  return opened;
}

afterEach(() => localStorage.clear());

describe("the palette as a command line", () => {
  it("changes the theme by its typed name", async () => {
    const { user } = await typed("theme dark");
    await rowWith("palette-item", "Theme: dark");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(localStorage.getItem("retrace.theme")).toBe("dark"));
    expect(screen.queryByTestId("palette")).toBeNull();
  });

  it("pauses a store that is named behind the verb", async () => {
    const { user, fake } = await typed("pause harbour");
    await rowWith("palette-item", "Pause recording of harbour");
    await user.keyboard("{Enter}");
    await waitFor(() => expect(callsOf(fake, "pause_store").real).toHaveLength(1));
  });

  it("goes from the verb to the store to the preview of the restore", async () => {
    const { user, fake } = await typed("restore ");
    await user.click(await rowWith("palette-item", "Restore harbour to a time"));
    const input = screen.getByTestId("palette-input");
    expect(input).toHaveValue("restore harbour ");
    await user.type(input, "2h ago");
    await rowWith("palette-item", "Restore harbour as of");
    await user.keyboard("{Enter}");
    expect(await screen.findByTestId("act-dialog")).toHaveTextContent("harbour as of");
    const [asked] = callsOf(fake, "restore").dry;
    expect(asked?.from_imported).toBe(false);
    expect(Date.now() - Date.parse(String(asked?.at))).toBeGreaterThan(2 * 3_600_000 - 1);
    expect(callsOf(fake, "restore").real).toHaveLength(0);
  });

  it("finds a store by a part of its name, without the time behind it", async () => {
    await typed("restore harb yesterday 14:00");
    await rowWith("palette-item", "Restore harbour as of");
  });

  it("says what a verb expects where it finds nothing", async () => {
    await typed("restore nowhere 14:00");
    expect(screen.queryByTestId("palette-item")).toBeNull();
    expect(screen.getByText(/Nothing found/)).toHaveTextContent("Expected: the name of a store");
  });

  it("says what a time looks like behind a part of a name", async () => {
    await typed("restore harb someday");
    await rowWith("palette-item", "yesterday 14:00");
  });

  it("says what a time looks like where it reads none", async () => {
    await typed("restore harbour someday");
    await rowWith("palette-item", "yesterday 14:00");
  });

  it("never searches for what stands behind redact", async () => {
    const { fake, user } = await typed("redact hunter2-of-the-north");
    await rowWith("palette-item", "Redact a text or a pattern");
    // The search rests for a moment after the last key; a later one shows that it would have come.
    await user.clear(screen.getByTestId("palette-input"));
    await user.type(screen.getByTestId("palette-input"), "useBooking");
    await screen.findByTestId("search-hit");
    expect(JSON.stringify(fake.calls)).not.toContain("hunter2");
  });

  it("lists actions first, then memories, and the text last", async () => {
    await typed("rules");
    await screen.findAllByTestId("search-hit");
    const list = within(screen.getByTestId("palette"));
    const names = list
      .getAllByRole("group")
      .map((group) => document.getElementById(group.getAttribute("aria-labelledby") ?? "")?.textContent);
    const order = ["Actions", "Go to", "Stores", "Memories", "Sessions", "Findings", "In the text"];
    expect(names).toEqual(order.filter((name) => names.includes(name)));
    expect(names).toContain("Memories");
    expect(names.at(-1)).toBe("In the text");
  });
});
