import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ApiFailure } from "@/host";
import { callsOf, openWindow, rowWith } from "./testing";

const USER = "/home/ada/.claude/settings.json";
/** Where a rule of a memory of the project goes unless another place is chosen. */
const OWN = "/home/ada/harbour/.claude/settings.local.json";

/** Opens the dialog that makes a guard of the rule about npm. */
async function openDialog() {
  const opened = openWindow("#/rules");
  const row = await rowWith("ledger-row", "pnpm, never npm");
  await opened.user.click(within(row).getByTestId("make-guard"));
  const dialog = await screen.findByTestId("guard-sheet");
  await waitFor(() => expect(dialog).toHaveTextContent(OWN));
  await waitFor(() => expect(within(dialog).getByTestId("guard-confirm")).toBeEnabled());
  return { ...opened, dialog };
}

/** What an edit of the settings says. */
const linesOf = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByTestId("guard-line")
    .map(({ textContent }) => textContent)
    .join("\n");

const guardRows = () => screen.queryAllByTestId("rule-guard");

describe("a rule as a guard", () => {
  it("is offered only where one call can break the rule", async () => {
    openWindow("#/rules");
    expect(within(await rowWith("ledger-row", "pnpm, never npm")).getByTestId("make-guard")).toBeInTheDocument();
    expect(
      within(await rowWith("ledger-row", "Run `pnpm lint` before `git commit`.")).queryByTestId("make-guard"),
    ).toBeNull();
  });

  it("says what it would have done, shows the edit, and writes nothing before it is installed", async () => {
    const { fake, user, dialog } = await openDialog();
    const test = within(dialog).getByTestId("guard-test");
    expect(test).toHaveTextContent("It would have fired 3 times in 2 sessions.");
    expect(test).toHaveTextContent("1 call although you had asked for it: wrong there.");
    expect(test).toHaveTextContent("1 call from when the rule's line did not stand there.");
    expect(within(test).getAllByTestId("rule-case")).toHaveLength(3);
    expect(linesOf(dialog)).toContain("rule check --rule rule_1");
    expect(callsOf(fake, "guard_rule").real).toHaveLength(0);
    await user.keyboard("{Escape}");
    expect(fake.rules.settings.size).toBe(0);
  });

  it("is installed as it was previewed, shown on the rule, and taken back", async () => {
    const { fake, user, dialog } = await openDialog();
    await user.click(within(dialog).getByTestId("view-remind"));
    await waitFor(() => expect(linesOf(dialog)).toContain("--remind"));
    await user.selectOptions(within(dialog).getByTestId("guard-where"), "");
    await waitFor(() => expect(dialog).toHaveTextContent(USER));
    await waitFor(() => expect(within(dialog).getByTestId("guard-confirm")).toBeEnabled());
    await user.click(within(dialog).getByTestId("guard-confirm"));
    await waitFor(() => expect(screen.queryByTestId("guard-sheet")).toBeNull());
    expect(callsOf(fake, "guard_rule").real[0]).toMatchObject({ remind: true, expect: "absent" });
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("in place"));
    expect(guardRows()[0]).toHaveTextContent("Guard: reminds the model");
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(guardRows()).toHaveLength(0));
    expect(fake.rules.settings.size).toBe(0);
  });

  it("gets its former answer back when a new one is undone", async () => {
    const { fake, user, dialog } = await openDialog();
    await user.click(within(dialog).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("Guard: refuses the call"));
    await user.click(screen.getByTestId("make-guard"));
    const again = await screen.findByTestId("guard-sheet");
    await user.click(within(again).getByTestId("view-remind"));
    await waitFor(() => expect(again).toHaveTextContent("--remind"));
    await waitFor(() => expect(within(again).getByTestId("guard-confirm")).toBeEnabled());
    await user.click(within(again).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("Guard: reminds the model"));
    const undo = screen.getAllByTestId("toast-action");
    await user.click(undo[0]!);
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("Guard: refuses the call"));
    expect(fake.rules.settings.get(OWN)).not.toContain("--remind");
  });

  it("is taken off after a preview, and put back", async () => {
    const { fake, user, dialog } = await openDialog();
    await user.click(within(dialog).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()).toHaveLength(1));
    await user.click(screen.getByTestId("guard-take-off"));
    const sheet = await screen.findByTestId("guard-off-sheet");
    await waitFor(() => expect(linesOf(sheet)).toContain("rule check --rule rule_1"));
    for (const line of within(sheet).getAllByTestId("guard-line")) expect(line).toHaveAttribute("data-tag", "delete");
    expect(fake.rules.settings.has(OWN)).toBe(true);
    await user.click(within(sheet).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()).toHaveLength(0));
    expect(fake.rules.settings.has(OWN)).toBe(false);
    await user.click(screen.getAllByTestId("toast-action")[0]!);
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("in place"));
  });

  it("says that its hook is no longer in the settings, and offers no way back into them", async () => {
    const { fake, user, dialog } = await openDialog();
    await user.click(within(dialog).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()).toHaveLength(1));
    fake.rules.settings.set(OWN, "{}\n");
    fake.emit({ type: "transcripts" });
    await waitFor(() => expect(guardRows()[0]).toHaveTextContent("no longer in the settings"));
    await user.click(screen.getByTestId("guard-take-off"));
    const sheet = await screen.findByTestId("guard-off-sheet");
    await waitFor(() => expect(sheet).toHaveTextContent("Nothing changes in the settings"));
    const offered = screen.getAllByTestId("toast-action").length;
    await user.click(within(sheet).getByTestId("guard-confirm"));
    await waitFor(() => expect(guardRows()).toHaveLength(0));
    expect(screen.getAllByTestId("toast-action")).toHaveLength(offered);
    expect(fake.rules.settings.get(OWN)).toBe("{}\n");
  });

  it("shows why settings that changed meanwhile were left alone, and previews again", async () => {
    const { fake, user, dialog } = await openDialog();
    const error = {
      code: "head_moved",
      message: "The settings were changed meanwhile.",
      hint: "",
      subject: USER,
    } as const;
    fake.failNext("guard_rule", new ApiFailure(error));
    const before = callsOf(fake, "guard_rule").dry.length;
    await user.click(within(dialog).getByTestId("guard-confirm"));
    expect(await within(dialog).findByTestId("failure")).toHaveTextContent("changed meanwhile");
    await waitFor(() => expect(callsOf(fake, "guard_rule").dry.length).toBeGreaterThan(before));
    expect(fake.rules.settings.size).toBe(0);
  });
});
