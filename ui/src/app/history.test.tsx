/** The history of a memory: a row a version, walked by key. */
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { openWindow, rowWith } from "./testing";

it("lists each version once, and goes from one to the next", async () => {
  const { user } = openWindow("#/memories");
  await user.click(await rowWith("memory-row", "berth-rules.md"));
  const listed = (await screen.findAllByTestId("version-row")).length;
  await user.click(screen.getByTestId("tab-history"));
  await waitFor(() => expect(screen.getAllByTestId("history-row")).toHaveLength(listed));
  expect(screen.getAllByTestId("version-row")).toHaveLength(listed);

  const chosen = () => screen.getAllByTestId("history-row").findIndex((row) => row.hasAttribute("aria-current"));
  expect(chosen()).toBe(0);
  await user.keyboard("j");
  await waitFor(() => expect(chosen()).toBe(1));
  await user.keyboard("k");
  await waitFor(() => expect(chosen()).toBe(0));
});
