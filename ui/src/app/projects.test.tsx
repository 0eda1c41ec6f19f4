/** The first run opens with what is there, and new projects are offered once. */
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeBackend, FakeLog } from "@/host/fake";
import { contentsOf } from "@/host/fake/seed";
import { activateLanguage, switchLanguage } from "@/i18n";
import { callsOf, openWindow, rowWith } from "./testing";

beforeEach(() => localStorage.clear());

/** A first run whose directory holds recorded memories with something wrong. */
function first(...paths: string[]) {
  const files = Object.fromEntries(
    paths.map((path) => [path, contentsOf(path, path === "index.md" ? "desk" : "first").at(-1)!]),
  );
  const fake = fakeBackend(new FakeLog(new Date()));
  const add = fake.log.addStore.bind(fake.log);
  fake.log.addStore = (root, kind, name, usual) => add(root, kind, name, name === "harbour" ? files : usual);
  return openWindow("", fake);
}

describe("a first run", () => {
  it("opens with what is there, each with its remedy", async () => {
    const { user } = first("MEMORY.md", "keys.md", "tides.md");
    await user.click(await screen.findByTestId("record-found"));
    const secret = await rowWith("opening-row", "1 secret");
    expect(within(secret).getByRole("button")).toHaveTextContent("Redact key");
    expect(await rowWith("opening-row", "1 place with hidden characters")).toHaveTextContent("Remove it");
    const cut = await rowWith("opening-row", "An index whose last 60 lines no session reads");
    // One line more makes room for the link: the row and the button say the same number.
    expect(cut).toHaveTextContent("Line 200 moves with them, as the link to them takes its place: 61 lines.");
    expect(within(cut).getByRole("button")).toHaveTextContent("Move 61 lines…");
    expect(screen.getByTestId("opening-sessions")).toHaveTextContent("sessions you can look into");
    await user.click(within(secret).getByRole("button"));
    expect(window.location.hash).toContain("#/redactions?");
    expect(screen.queryByTestId("first-run")).toBeNull();
  });

  it("names a secret in the language of the window", async () => {
    const { user } = first("keys.md");
    await user.click(await screen.findByTestId("record-found"));
    expect(await screen.findByTestId("opening-row")).toHaveTextContent("A Stripe key: sk_l");
    await act(() => switchLanguage("ko"));
    expect(screen.getByTestId("opening-row")).toHaveTextContent("Stripe 키: sk_l… (32자).");
    act(activateLanguage);
  });

  it("says that nothing needs anybody where that is so", async () => {
    const { user } = first("index.md");
    await user.click(await screen.findByTestId("record-found"));
    expect(await screen.findByTestId("opening")).toHaveTextContent("nothing needs you");
    await user.click(screen.getByTestId("opening-lab"));
    expect(window.location.hash).toBe("#/context");
  });

  it("keeps a dialog's act on the screen and reads again after it", async () => {
    const { user } = first("tides.md");
    await user.click(await screen.findByTestId("record-found"));
    await user.click(within(await rowWith("opening-row", "hidden")).getByRole("button"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await waitFor(() => expect(screen.queryByTestId("opening-row")).toBeNull());
    expect(screen.getByTestId("first-run")).toBeInTheDocument();
  });
});

describe("new projects", () => {
  it("are offered and recorded", async () => {
    const { fake, user } = openWindow("#/timeline");
    await screen.findByTestId("nav-timeline");
    expect(screen.queryByTestId("new-projects")).toBeNull();
    fake.projects.appear("mill");
    fake.projects.appear("quay");
    expect(await screen.findByTestId("new-projects")).toHaveTextContent("2 new projects have memory: mill, quay");
    await user.click(screen.getByTestId("new-projects-record"));
    await waitFor(() => expect(screen.queryByTestId("new-projects")).toBeNull());
    expect(fake.log.stores.map(({ root }) => root)).toEqual(
      expect.arrayContaining(["/home/ada/mill/memory", "/home/ada/quay/memory"]),
    );
  });

  it("do not come back when they were declined, unless that is undone", async () => {
    const { fake, user } = openWindow("#/timeline");
    await screen.findByTestId("nav-timeline");
    fake.projects.appear("mill");
    await user.click(await screen.findByTestId("new-projects-decline"));
    await waitFor(() => expect(screen.queryByTestId("new-projects")).toBeNull());
    fake.emit({ type: "projects" });
    fake.projects.appear("quay");
    expect(await screen.findByTestId("new-projects")).toHaveTextContent("1 new project has memory: quay");
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(screen.getByTestId("new-projects")).toHaveTextContent("2 new projects"));
  });

  it("are recorded without asking once that is chosen, which Settings takes back", async () => {
    const { fake, user } = openWindow("#/settings");
    const box = () => within(screen.getByTestId("always-record")).getByRole<HTMLInputElement>("checkbox");
    await screen.findByTestId("always-record");
    fake.projects.appear("mill");
    await user.click(await screen.findByTestId("new-projects-always"));
    await waitFor(() => expect(box().checked).toBe(true));
    expect(callsOf(fake, "add_store").real).toHaveLength(1);
    await user.click(box());
    await waitFor(() => expect(fake.projects.always).toBe(false));
  });
});
