import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { fakeHubRedaction, fakeProposal } from "@/host/fake/hub";
import { callsOf, openWindow, rowWith } from "./testing";

function joined() {
  const fake = fakeBackend();
  fake.hub.joined = true;
  return fake;
}

describe("the hub", () => {
  it("is joined with an address and a token, and says why where it is not", async () => {
    const { fake, user } = openWindow("#/hub");
    await user.type(await screen.findByTestId("hub-url"), "https://hub.example");
    await user.type(screen.getByTestId("hub-token"), "wrong");
    await user.click(screen.getByTestId("hub-join-confirm"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("The token is unknown.");
    await user.clear(screen.getByTestId("hub-token"));
    await user.type(screen.getByTestId("hub-token"), "right");
    await user.click(screen.getByTestId("hub-join-confirm"));
    expect(await screen.findByTestId("hub-total")).toHaveTextContent("3 memories that nobody reviewed");
    expect(callsOf(fake, "hub_join").real.at(-1)).toMatchObject({ token: "right", send: "everything" });
  });

  it("shows one change after the other by keys, and approves it", async () => {
    const { fake, user } = openWindow("#/hub", joined());
    await rowWith("hub-item", "berths.md");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("Berth 2 is closed."));
    await user.keyboard("j");
    await waitFor(() => expect(screen.getByTestId("hub-pane")).toHaveTextContent("tides.md"));
    await user.keyboard("a");
    await waitFor(() => expect(screen.getByTestId("hub-total")).toHaveTextContent("2 memories"));
    expect(callsOf(fake, "hub_approve").real).toEqual([{ versions: ["memver_hub2@machine_laptop"] }]);
  });

  it("says that the content of a machine that sends none is not there", async () => {
    openWindow("#/hub?version=memver_hub3@machine_laptop", joined());
    expect(await screen.findByText("Its machine sends paths and hashes only.")).toBeInTheDocument();
  });

  it("keeps comments, and proposes a rollback that can be withdrawn", async () => {
    const { fake, user } = openWindow("#/hub", joined());
    await user.type(await screen.findByTestId("hub-comment-text"), "Is that so?");
    await user.click(screen.getByTestId("hub-comment-send"));
    expect(await screen.findByTestId("hub-comment")).toHaveTextContent("Is that so?");
    await user.click(await screen.findByTestId("hub-propose-rollback"));
    await user.click(await screen.findByRole("button", { name: "Withdraw" }));
    await waitFor(() => expect(fake.hub.proposals[0]?.state).toBe("withdrawn"));
  });

  it("carries out a proposal for this machine", async () => {
    const fake = joined();
    fake.hub.proposals = [fakeProposal("proposal_1", { here: true })];
    const { user } = openWindow("#/hub?view=proposals", fake);
    await user.click(await screen.findByTestId("proposal-accept"));
    await waitFor(() => expect(screen.getByTestId("proposal")).toHaveAttribute("data-state", "done"));
    expect(screen.queryByTestId("proposal-accept")).toBeNull();
  });

  it("shows how far a redaction reached, and is its second person", async () => {
    const fake = joined();
    fake.hub.redactions = [fakeHubRedaction({ state: "waiting" })];
    const { user } = openWindow("#/hub?view=redactions", fake);
    const redaction = await screen.findByTestId("hub-redaction");
    expect(redaction).toHaveTextContent("1 of 2 machines");
    expect(
      within(redaction)
        .getAllByTestId("reach")
        .map((one) => one.dataset.state),
    ).toEqual(["done", "outstanding"]);
    await user.click(screen.getByTestId("approve-redaction"));
    await waitFor(() => expect(screen.queryByTestId("approve-redaction")).toBeNull());
  });

  it("lists machines and makes a token that is shown once", async () => {
    const { user } = openWindow("#/hub?view=machines", joined());
    expect(await screen.findAllByTestId("hub-machine")).toHaveLength(2);
    await user.click(screen.getByTestId("hub-make-token"));
    expect(await screen.findByTestId("hub-made-token")).toHaveTextContent("rthub_once");
  });

  it("lists what was done and refused", async () => {
    openWindow("#/hub?view=audit", joined());
    expect(await screen.findByTestId("audit-row")).toHaveAttribute("data-outcome", "refused");
  });
});
