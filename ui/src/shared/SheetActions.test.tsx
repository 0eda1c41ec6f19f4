/** The foot of dialogs: what has the focus, and what a key does. */
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { I18nProvider } from "@lingui/react";
import { i18n } from "@lingui/core";
import { beforeEach, expect, it, vi } from "vitest";
import { activateLanguage } from "@/i18n";
import { SheetActions, type SheetActionsProps } from "./SheetActions";

const [act, cancel] = [vi.fn(), vi.fn()];

beforeEach(() => {
  activateLanguage();
  vi.clearAllMocks();
});

const foot = (props: Partial<SheetActionsProps>) => (
  <I18nProvider i18n={i18n}>
    <SheetActions verb="Roll back" onAct={act} onCancel={cancel} testId="act" {...props} />
  </I18nProvider>
);

it("does it by Enter where there is only to agree, and not before there is something to agree to", async () => {
  const user = userEvent.setup();
  const { rerender } = render(foot({ focus: "act", isReady: false }));
  await user.keyboard("{Enter}");
  expect(act).not.toHaveBeenCalled();
  rerender(foot({ focus: "act" }));
  expect(screen.getByTestId("act")).toHaveFocus();
  await user.keyboard("{Enter}");
  expect([act.mock.calls.length, cancel.mock.calls.length]).toEqual([1, 0]);
});

it("goes back by Enter before what cannot be taken back", async () => {
  const user = userEvent.setup();
  render(foot({ focus: "cancel" }));
  await user.keyboard("{Enter}");
  expect([act.mock.calls.length, cancel.mock.calls.length]).toEqual([0, 1]);
});

it("leaves the focus where the fields of the dialog are", () => {
  render(foot({}));
  expect(screen.getByTestId("act")).not.toHaveFocus();
  expect(screen.getByRole("button", { name: "Cancel" })).not.toHaveFocus();
});
