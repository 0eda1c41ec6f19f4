/** For tests: the whole window over the fake. */
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type FakeBackend, fakeBackend } from "@/host/fake";
import { makeQueryClient } from "@/state/queries";
import { Root } from "./Root";

/** Opens the window at a place. */
export function openWindow(hash = "", fake: FakeBackend = fakeBackend()) {
  window.location.hash = hash;
  const user = userEvent.setup();
  const view = render(<Root backend={fake} queries={makeQueryClient()} />);
  return { fake, user, view };
}

/** Calls of a command so far, dry runs and others apart. */
export function callsOf(fake: FakeBackend, name: string) {
  const requests = fake.calls
    .filter((call) => call.name === name)
    .map((call) => call.request as Record<string, unknown>);
  return {
    dry: requests.filter(({ dry_run }) => dry_run === true),
    real: requests.filter(({ dry_run }) => dry_run !== true),
  };
}

/** The row of a list with a certain text, once it is there. */
export function rowWith(testId: string, text: string): Promise<HTMLElement> {
  return waitFor(() => {
    const rows = screen.getAllByTestId(testId);
    const row = rows.find(({ textContent }) => textContent?.includes(text));
    if (!row) throw new Error(`no ${testId} with ${text}: ${rows.map(({ textContent }) => textContent).join(" | ")}`);
    return row;
  });
}
