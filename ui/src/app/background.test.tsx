import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { DesktopSettings, DesktopState, Variant } from "@/bindings";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

/** A desktop that keeps what it is told; without a tray. */
function desktop() {
  let state: DesktopState = {
    settings: { keep_in_tray: false, digests: true, alarms: true, language: null },
    tray: false,
    paused: false,
    messages_problem: "no service",
  };
  return {
    state: () => Promise.resolve(state),
    set: (settings: DesktopSettings) => {
      state = { ...state, settings };
      return Promise.resolve(state);
    },
  };
}

it("keeps what is chosen for the tray and messages, says what this desktop lacks, and tells it the language", async () => {
  const beside = desktop();
  const { user } = openWindow("#/settings", fakeBackend(undefined, { kind: "desktop", desktop: beside }));
  expect(await screen.findByTestId("no-tray")).toHaveTextContent("closing the window ends the app");
  expect(screen.getByTestId("messages-problem")).toHaveTextContent("no service");
  await waitFor(async () => expect((await beside.state()).settings.language).toBe("en"));
  await user.click(screen.getByRole("checkbox", { name: /One message for each session/ }));
  await waitFor(async () => expect((await beside.state()).settings.digests).toBe(false));
  expect((await beside.state()).settings.alarms).toBe(true);
});

it("shows nothing of it in a browser", async () => {
  openWindow("#/settings");
  expect(await screen.findByTestId("language")).toHaveValue("system");
  expect(screen.queryByTestId("desktop-settings")).toBeNull();
});

it("has fields for compaction on demand, and assumes a model and a life of the cache for all variants", async () => {
  const { fake, user } = openWindow("#/context?transcript=31b7a220&view=settings");
  await rowWith("variant-row", "no editing");
  const asked = () => callsOf(fake, "context_simulate").real;
  await user.selectOptions(await screen.findByTestId("compaction-kind"), "on_demand");
  await user.selectOptions(screen.getByTestId("on-demand-when"), "at");
  await user.type(screen.getByTestId("on-demand-at"), "12, 30{Enter}");
  const config = () => (asked().at(-1)?.["variants"] as Variant[])[0]?.config;
  await waitFor(() => expect(config()).toEqual({ compaction: { type: "summarize" }, at: [11, 29] }));
  await user.selectOptions(screen.getByTestId("compaction-kind"), "off");
  await waitFor(() => expect(config()).toHaveProperty("edits"));
  await user.selectOptions(screen.getByTestId("assumed-cache"), "1h");
  await waitFor(() =>
    expect(
      asked()
        .slice(-2)
        .map((call) => call["cache_ttl"]),
    ).toEqual(["1h", "1h"]),
  );
  await user.selectOptions(screen.getByTestId("assumed-cache"), "");
});
