/** Messages about what was done speak the language of the window, and say what to do next. */
import { act, screen, waitFor } from "@testing-library/react";
import { t } from "@lingui/core/macro";
import { expect, it } from "vitest";
import { ApiFailure } from "@/host";
import { switchLanguage } from "@/i18n";
import { sayFailed } from "@/shared/say-failed";
import { say } from "@/state/toasts";
import { openWindow } from "./testing";

it("words a message anew once the language changed", async () => {
  openWindow("#/settings");
  await screen.findByTestId("language");
  act(() => say(() => ({ tone: "notice", title: t`Nothing to do`, action: { label: t`Undo`, run: () => undefined } })));
  expect(await screen.findByTestId("toast")).toHaveTextContent("Nothing to do");
  await act(() => switchLanguage("ko"));
  await waitFor(() => expect(screen.getByTestId("toast")).not.toHaveTextContent("Nothing to do"));
  expect(screen.getByTestId("toast-action")).not.toHaveTextContent("Undo");
  await act(() => switchLanguage("en"));
  await waitFor(() => expect(screen.getByTestId("toast")).toHaveTextContent("Nothing to do"));
});

it("says what to do next where something failed", async () => {
  openWindow("#/settings");
  await screen.findByTestId("language");
  const error = { code: "busy", message: "The log is locked.", hint: "Close the other program.", subject: "" } as const;
  act(() => sayFailed(new ApiFailure(error)));
  const toast = await screen.findByTestId("toast");
  expect(toast).toHaveTextContent("The log is in use");
  expect(toast).toHaveTextContent("The log is locked. Close the other program.");
});
