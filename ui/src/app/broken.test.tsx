import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { callsOf, openWindow } from "./testing";

/** The inbox after a session broke rules. */
async function openInbox() {
  const opened = openWindow("#/inbox");
  await screen.findByTestId("inbox-empty");
  opened.fake.rules.breakRule(1, true);
  opened.fake.rules.breakRule(2, false);
  opened.fake.emit({ type: "broken" });
  await waitFor(() => expect(screen.getAllByTestId("broken-rule")).toHaveLength(2));
  return opened;
}

describe("rules that running sessions broke", () => {
  it("stand in the inbox as soon as one is broken, with what was before the model", async () => {
    await openInbox();
    const [newest, first] = screen.getAllByTestId("broken-rule");
    expect(newest).toHaveTextContent("pnpm, never npm");
    expect(newest).toHaveTextContent("npm install part-2");
    expect(newest).toHaveTextContent("the rule was not before the model: cut (recorded)");
    expect(newest).toHaveTextContent("harbour:MEMORY.md:3");
    expect(first).toHaveTextContent("the rule was before the model (recorded)");
    expect(within(newest!).getByTestId("broken-open")).toHaveAttribute(
      "href",
      expect.stringMatching(/^#\/context\?transcript=.*&turn=2$/) as string,
    );
  });

  it("are marked as seen by a key, and put back", async () => {
    const { fake, user } = await openInbox();
    const [newest] = screen.getAllByTestId("broken-rule");
    within(newest!).getByTestId("broken-seen").focus();
    await user.keyboard("a");
    await waitFor(() => expect(screen.getAllByTestId("broken-rule")).toHaveLength(1));
    expect(callsOf(fake, "see_broken_rules").real[0]).toMatchObject({ broken: ["break_2"], put_back: false });
    expect(callsOf(fake, "review").real).toHaveLength(0);
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(screen.getAllByTestId("broken-rule")).toHaveLength(2));
  });
});
