import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { SECRET } from "@/host/fake/seed";
import { callsOf, openWindow, rowWith } from "./testing";

describe("a redaction", () => {
  it("goes from the text to the receipt, and asks once", async () => {
    const { fake, user } = openWindow("#/redactions");
    await user.type(await screen.findByTestId("redact-secret"), SECRET);
    await user.type(screen.getByTestId("redact-reason"), "token of the almanac");
    await user.click(screen.getByTestId("redact-find"));

    const matches = await screen.findAllByTestId("match");
    expect(matches.map(({ dataset }) => dataset.place)).toEqual(["live", "version"]);
    expect(screen.getAllByTestId("mask-bar").length).toBeGreaterThan(0);
    expect(document.body.textContent).not.toContain(SECRET);
    expect(callsOf(fake, "redact").real).toHaveLength(0);

    await user.click(screen.getByTestId("redact-places"));
    const dialog = await screen.findByTestId("redact-dialog");
    expect(dialog).toHaveTextContent("cannot be undone");
    expect(callsOf(fake, "redact").real).toHaveLength(0);
    await user.click(within(dialog).getByTestId("redact-confirm"));

    const receipt = await screen.findByTestId("receipt");
    expect(callsOf(fake, "redact").real).toHaveLength(1);
    expect(within(receipt).getByTestId("purge-pending")).toBeInTheDocument();
    expect(
      within(receipt)
        .getAllByTestId("receipt-place")
        .map(({ dataset }) => dataset.state),
    ).toEqual([...Array<string>(9).fill("clean"), "out_of_reach"]);
    expect(fake.log.store("almanac").disk.get("sources.md")).not.toContain(SECRET);

    // The places fill the middle; what can be done with the receipt stands beside them.
    expect(screen.getByRole("region", { name: "Receipt" })).toContainElement(receipt);
    const beside = screen.getByRole("complementary", { name: "What to do with the receipt" });
    await user.click(within(beside).getByTestId("recheck"));
    await waitFor(() => expect(screen.queryByTestId("purge-pending")).toBeNull());
    expect(await rowWith("receipt-row", "token of the almanac")).toBeInTheDocument();
  });

  it("leaves the text nowhere: not in the address, in storage, or on the page", async () => {
    const { user } = openWindow("#/redactions");
    await user.type(await screen.findByTestId("redact-secret"), SECRET);
    await user.click(screen.getByTestId("redact-find"));
    await screen.findAllByTestId("match");
    const stored = [window.location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join();
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain(btoa(SECRET));
  });

  it("can be left before anything happens", async () => {
    const { fake, user } = openWindow("#/redactions");
    await user.type(await screen.findByTestId("redact-secret"), SECRET);
    await user.click(screen.getByTestId("redact-find"));
    await user.click(await screen.findByTestId("redact-places"));
    await user.click(within(await screen.findByTestId("redact-dialog")).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByTestId("redact-dialog")).toBeNull());
    expect(callsOf(fake, "redact").real).toHaveLength(0);
    expect(fake.log.store("almanac").disk.get("sources.md")).toContain(SECRET);
  });

  it("warns of a short text and of a reason that gives it away", async () => {
    const { user } = openWindow("#/redactions");
    await user.type(await screen.findByTestId("redact-secret"), "live");
    await user.type(screen.getByTestId("redact-reason"), "it was live");
    expect(screen.getByRole("alert")).toHaveTextContent("holds the text itself");
    expect(screen.getByTestId("redact-find")).toBeDisabled();
    await user.clear(screen.getByTestId("redact-reason"));
    await user.click(screen.getByTestId("redact-find"));
    const [warning] = await screen.findAllByTestId("redact-warning");
    expect(warning).toHaveTextContent("The secret is shorter than 12 bytes");
  });

  it("shows the typed text only while the button is held", async () => {
    const { user } = openWindow("#/redactions");
    const field = await screen.findByTestId("redact-secret");
    await user.type(field, SECRET);
    expect(field).toHaveClass("is-masked");
    await user.pointer({ keys: "[MouseLeft>]", target: screen.getByTestId("hold-to-show") });
    expect(field).not.toHaveClass("is-masked");
    await user.pointer({ keys: "[/MouseLeft]" });
    expect(field).toHaveClass("is-masked");
  });

  it("says that nothing was found, and offers to prove it", async () => {
    const { user } = openWindow("#/redactions");
    await user.type(await screen.findByTestId("redact-secret"), "nowhere to be found");
    await user.click(screen.getByTestId("redact-find"));
    await user.click(await screen.findByRole("button", { name: /every file of the log/ }));
    expect(await screen.findByText(/in no file of the data directory/)).toBeInTheDocument();
  });

  it("starts from a version, and leaves who and when behind", async () => {
    const { user } = openWindow("#/memories");
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    await user.click(await rowWith("version-row", "v1"));
    await user.click(await screen.findByTestId("redact-button"));
    expect(await screen.findByText("berth-rules.md")).toBeInTheDocument();
    await user.click(screen.getByTestId("redact-find"));
    await user.click(await screen.findByTestId("redact-places"));
    await user.click(await screen.findByTestId("redact-confirm"));
    await screen.findByTestId("receipt");
    await user.click(screen.getByTestId("nav-memories"));
    await user.click(await rowWith("memory-row", "berth-rules.md"));
    const row = await rowWith("version-row", "v1");
    expect(row).toHaveTextContent("redacted");
    await user.click(row);
    await user.click(screen.getByTestId("tab-content"));
    expect(await screen.findByText(/cannot be restored/)).toBeInTheDocument();
    expect(screen.getByTestId("rollback-button")).toBeDisabled();
  });
});
