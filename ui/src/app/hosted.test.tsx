import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { forgetAsked } from "@/features/stores/DreamsView";
import { forgetMounts } from "@/features/stores/MountsSheet";
import { type FakeBackend, fakeBackend } from "@/host/fake";
import { openStoresSheet } from "@/state/sheets";
import { callsOf, openWindow, rowWith } from "./testing";

const HOSTED = "#/stores?view=hosted";
const BERTHS = "berths.md";

beforeEach(() => {
  forgetAsked();
  forgetMounts();
  openStoresSheet(null);
});

/** A program with one mirrored store, as it is right after its first pull. */
async function mirrored(): Promise<FakeBackend> {
  const fake = fakeBackend();
  await fake.call("set_host_key", { key: fake.remote.accepted });
  await fake.call("add_remote", { remote_id: fake.remote.stores[0]!.remote_id });
  fake.calls.length = 0;
  return fake;
}

/** The same with a change at the host that is in the inbox. */
async function pulled(path = BERTHS): Promise<FakeBackend> {
  const fake = await mirrored();
  fake.remote.write("Harbour desk", path, "# Berths\n\n- All berths closed.\n");
  await fake.call("pull_remote", {});
  return fake;
}

const hostText = (fake: FakeBackend, path = BERTHS) =>
  fake.remote.stores.find(({ name }) => name === "Harbour desk")!.files.get(path);

describe("adding a hosted store", () => {
  it("says what is wrong with a key, then lists the host's stores and mirrors what is chosen", async () => {
    const { fake, user } = openWindow(HOSTED);
    await user.click((await screen.findAllByRole("button", { name: "Add a hosted store…" }))[0]!);
    expect(screen.getByTestId("host-url")).toHaveValue("https://api.anthropic.com");
    await user.click(screen.getByTestId("list-hosted"));
    expect(await screen.findByTestId("host-failure")).toHaveTextContent("There is no key for this host.");
    await user.type(screen.getByTestId("host-key"), "wrong");
    await user.click(screen.getByTestId("list-hosted"));
    await waitFor(() => expect(screen.getByTestId("host-failure")).toHaveTextContent("The host refused the key."));
    expect(screen.getByTestId("host-failure")).toHaveTextContent("The host did not accept the key");
    await user.click(screen.getByTestId("other-key"));
    expect(screen.getByTestId("host-key")).toHaveFocus();
    await user.clear(screen.getByTestId("host-key"));
    await user.type(screen.getByTestId("host-key"), `${fake.remote.accepted}{Enter}`);
    const row = await rowWith("hosted-found", "Harbour desk");
    await user.click(within(row).getByRole("checkbox", { name: "Mirror Harbour desk" }));
    await user.click(screen.getByTestId("mirror-chosen"));
    expect(await rowWith("mirror-row", "Harbour desk")).toHaveTextContent("mirrored");
    expect(document.body.innerHTML).not.toContain(fake.remote.accepted);
    expect(await screen.findByTestId("toast")).toHaveTextContent("Mirrored 1 hosted store");
  });

  it("tells a host that does not answer from one that takes no more calls", async () => {
    const fake = fakeBackend();
    await fake.call("set_host_key", { key: fake.remote.accepted });
    fake.remote.trouble = "unreachable";
    const { user } = openWindow(HOSTED, fake);
    await user.click((await screen.findAllByRole("button", { name: "Add a hosted store…" }))[0]!);
    await waitFor(() => expect(screen.getByTestId("list-hosted")).toBeEnabled());
    await user.click(screen.getByTestId("list-hosted"));
    expect(await screen.findByTestId("host-failure")).toHaveTextContent("The host does not answer");
    fake.remote.trouble = "limited";
    await user.click(screen.getByTestId("list-hosted"));
    await waitFor(() =>
      expect(screen.getByTestId("host-failure")).toHaveTextContent("The host takes no more calls for now"),
    );
    expect(screen.getByTestId("host-failure")).toHaveTextContent("It asks to wait 40 seconds.");
  });

  it("takes no address that would send the key in the clear", async () => {
    const { user } = openWindow(HOSTED);
    await user.click((await screen.findAllByRole("button", { name: "Add a hosted store…" }))[0]!);
    await user.clear(screen.getByTestId("host-url"));
    await user.type(screen.getByTestId("host-url"), "http://example.com");
    await user.type(screen.getByTestId("host-key"), "k");
    expect(screen.getByTestId("list-hosted")).toBeDisabled();
    expect(screen.getByTestId("host-url")).toHaveAttribute("aria-invalid", "true");
  });

  it("shows the first pull and can stop it", async () => {
    const fake = fakeBackend();
    await fake.call("set_host_key", { key: fake.remote.accepted });
    const { user } = openWindow(HOSTED, fake);
    await user.click((await screen.findAllByRole("button", { name: "Add a hosted store…" }))[0]!);
    await waitFor(() => expect(screen.getByTestId("list-hosted")).toBeEnabled());
    await user.click(screen.getByTestId("list-hosted"));
    await user.click(within(await rowWith("hosted-found", "Night shift")).getByRole("checkbox"));
    const release = fake.holdNext("add_remote");
    await user.click(screen.getByTestId("mirror-chosen"));
    await user.click(await screen.findByTestId("job-cancel"));
    const add = callsOf(fake, "add_remote").real[0]!;
    expect(callsOf(fake, "cancel").real).toEqual([{ job: add.job }]);
    release();
    await rowWith("mirror-row", "Night shift");
  });
});

describe("the queue", () => {
  it("gets what is rejected in the inbox, says so, and sends it with a push", async () => {
    const fake = await pulled();
    const { user } = openWindow("", fake);
    await waitFor(() => expect(screen.getByTestId("item-title")).toHaveTextContent(BERTHS));
    await user.keyboard("x");
    expect(await screen.findByTestId("toast")).toHaveTextContent(`Queued for api.anthropic.com: ${BERTHS}`);
    expect(screen.getByTestId("toast")).toHaveTextContent("Push to send it");
    expect(hostText(fake)).toContain("All berths closed");
    await user.click(await screen.findByTestId("queued-note"));
    const row = await rowWith("queue-row", BERTHS);
    expect(within(row).getByRole("img", { name: "changes" })).toHaveTextContent("~");
    expect(row).toHaveTextContent("waiting");
    expect(within(screen.getByTestId("queue-detail")).getAllByTestId("diff-line").length).toBeGreaterThan(1);
    await user.keyboard("p");
    expect(await screen.findByText("Nothing is queued")).toBeInTheDocument();
    expect(hostText(fake)).toContain("Ferries take berth 1 to 4");
  });

  it("is taken back by undo, which also brings the item back", async () => {
    const fake = await pulled();
    const { user } = openWindow("", fake);
    await waitFor(() => expect(screen.getByTestId("item-title")).toHaveTextContent(BERTHS));
    await user.keyboard("x");
    await screen.findByTestId("queued-note");
    await user.keyboard("u");
    await waitFor(() => expect(screen.getByTestId("item-title")).toHaveTextContent(BERTHS));
    expect(fake.remote.queue).toEqual([]);
  });

  it("explains a conflict, overwrites nothing, and lets it be taken back", async () => {
    const fake = await pulled();
    const [item] = fake.inbox.page({}).groups.flatMap(({ items }) => items);
    await fake.call("review", { versions: [item!.version_id], verdict: "reject" });
    fake.remote.write("Harbour desk", BERTHS, "# Berths\n\n- Newer.\n");
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("push-all"));
    const trouble = await screen.findByTestId("queue-trouble");
    expect(trouble).toHaveTextContent("It changed at the host in the meantime. Nothing was overwritten.");
    expect(await rowWith("queue-row", BERTHS)).toHaveTextContent("conflict");
    expect(hostText(fake)).toContain("Newer");
    await user.click(screen.getByTestId("queue-pull"));
    await waitFor(() => expect(fake.log.store("Harbour desk").disk.get(BERTHS)).toContain("Newer"));
    await user.keyboard("w");
    expect(await screen.findByText("Nothing is queued")).toBeInTheDocument();
  });

  it("shows what happened at the host beside a change before it is queued over that", async () => {
    const fake = await pulled();
    const [item] = fake.inbox.page({}).groups.flatMap(({ items }) => items);
    await fake.call("review", { versions: [item!.version_id], verdict: "reject" });
    fake.remote.write("Harbour desk", BERTHS, "# Berths\n\n- Newer.\n");
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("push-all"));
    expect(await screen.findByTestId("conflict-unseen")).toBeInTheDocument();
    expect(screen.getByTestId("queue-retry")).toBeDisabled();
    await user.click(screen.getByTestId("queue-pull"));
    expect(await screen.findByTestId("conflict-happened")).toHaveTextContent("Newer");
    expect(screen.getByTestId("conflict-would")).toHaveTextContent("Ferries take berth 1 to 4");
    await waitFor(() => expect(screen.getByTestId("queue-retry")).toBeEnabled());
    await user.click(screen.getByTestId("queue-retry"));
    await waitFor(async () => expect(await rowWith("queue-row", BERTHS)).toHaveTextContent("waiting"));
    expect(hostText(fake)).toContain("Newer");
    await user.click(screen.getByTestId("push-all"));
    expect(await screen.findByText("Nothing is queued")).toBeInTheDocument();
    expect(hostText(fake)).toContain("Ferries take berth 1 to 4");
  });

  it("takes an archiving like any other change", async () => {
    const fake = await mirrored();
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("mirror-menu"));
    await user.click(await screen.findByTestId("mirror-archive"));
    await user.click(screen.getByTestId("archive-hosted-confirm"));
    expect(await rowWith("queue-row", "Harbour desk")).toHaveTextContent("waiting");
    expect(fake.remote.stores[0]!.archived_at).toBeNull();
    await user.click(screen.getByTestId("mirror-push"));
    await waitFor(() => expect(fake.remote.stores[0]!.archived_at).not.toBeNull());
  });

  it("keeps what waits when the host does not answer", async () => {
    const fake = await pulled();
    const [item] = fake.inbox.page({}).groups.flatMap(({ items }) => items);
    await fake.call("review", { versions: [item!.version_id], verdict: "reject" });
    fake.remote.trouble = "unreachable";
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("push-all"));
    expect(await screen.findByTestId("toast")).toHaveTextContent("The host does not answer");
    expect(await rowWith("queue-row", BERTHS)).toHaveTextContent("waiting");
  });
});

describe("mirrors", () => {
  it("list every call that was made", async () => {
    const { user } = openWindow(HOSTED, await mirrored());
    await user.click(await screen.findByRole("radio", { name: /^Calls/ }));
    const rows = screen.getAllByTestId("remote-call");
    expect(rows.length).toBe(2);
    expect(rows[0]).toHaveTextContent("https://api.anthropic.com/v1/memory_stores/");
  });

  it("lead to redacting here what the host redacted", async () => {
    const fake = await mirrored();
    fake.remote.redactAtHost("Harbour desk", BERTHS);
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("redact-here"));
    await waitFor(() => expect(window.location.hash).toContain("#/redactions?versions=memver_"));
    expect(callsOf(fake, "pull_remote").real).toEqual([]);
  });

  it("can be looked through as a whole", async () => {
    const fake = await mirrored();
    const { user } = openWindow(HOSTED, fake);
    await user.click(await screen.findByTestId("mirror-menu"));
    await user.click(await screen.findByTestId("mirror-full"));
    await waitFor(() => expect(callsOf(fake, "pull_remote").real).toMatchObject([{ full: true }]));
  });

  it("stand apart from the stores of this machine", async () => {
    openWindow("#/stores", await mirrored());
    expect(await rowWith("store-row", "harbour")).toBeInTheDocument();
    expect(
      screen
        .queryAllByTestId("store-row")
        .map((row) => row.textContent)
        .join(),
    ).not.toContain("Harbour desk");
  });
});

/** The form of a new dream, filled in, while a change of its input store is queued. */
async function dreamWithSomethingQueued() {
  const fake = await pulled();
  const [item] = fake.inbox.page({}).groups.flatMap(({ items }) => items);
  await fake.call("review", { versions: [item!.version_id], verdict: "reject" });
  const opened = openWindow("#/stores?view=dreams", fake);
  await opened.user.click(await screen.findByTestId("new-dream-button"));
  await opened.user.type(screen.getByTestId("dream-model"), "claude-x");
  await opened.user.type(screen.getByTestId("dream-sessions"), "sesn_1");
  return { ...opened, fake };
}

describe("dreams", () => {
  it("are asked for only when wanted, mirrored, held side by side and taken over in part", async () => {
    const fake = await mirrored();
    fake.remote.dreamt("Harbour desk", {
      [BERTHS]: "# Berths\n\n- Shorter.\n",
      "new.md": "# New\n",
      "people.md": "# People\n\n- The harbour master signs at seven.\n",
    });
    const { user } = openWindow("#/stores?view=dreams", fake);
    expect(await screen.findByText("The host was not contacted yet")).toBeInTheDocument();
    expect(callsOf(fake, "dreams").real).toEqual([]);
    await user.click(screen.getByTestId("list-dreams"));
    expect(await rowWith("dream-row", "Harbour desk")).toHaveTextContent("completed");
    await user.click(screen.getByTestId("dream-hold"));
    await rowWith("compare-row", "new.md");
    expect(screen.getByTestId("compare-summary")).toHaveTextContent("1 created");
    expect(screen.getByTestId("compare-summary")).toHaveTextContent("1 deleted");
    const change = within(await rowWith("compare-row", "new.md"));
    await user.click(change.getByRole("img", { name: "not chosen" }));
    await user.keyboard("a");
    const dialog = await screen.findByTestId("act-dialog");
    expect(await within(dialog).findByTestId("act-queued")).toHaveTextContent("1 change is queued for its host");
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toHaveFocus());
    await user.keyboard("{Enter}");
    expect(await screen.findByTestId("toast")).toHaveTextContent("Queued for api.anthropic.com: 1 memory");
    expect(fake.remote.queue.map(({ kind, path }) => [kind, path])).toEqual([["create", "new.md"]]);
  });

  it("say before they are asked for that they do not read what is queued", async () => {
    const { user } = await dreamWithSomethingQueued();
    expect(screen.getByTestId("dream-queued")).toHaveTextContent("1 change of this store is queued here.");
    expect(screen.getByTestId("create-dream")).toBeDisabled();
    await user.click(screen.getByTestId("dream-push-first"));
    await waitFor(() => expect(window.location.hash).toContain("view=hosted"));
    await user.click(await screen.findByTestId("push-all"));
    expect(await screen.findByText("Nothing is queued")).toBeInTheDocument();
  });

  it("may be asked for without what is queued, when a person says so", async () => {
    const { user, fake } = await dreamWithSomethingQueued();
    await user.click(screen.getByRole("checkbox", { name: "Start without them" }));
    await user.click(screen.getByTestId("create-dream"));
    expect(await rowWith("dream-row", "Harbour desk")).toHaveTextContent("waiting to begin");
    expect(callsOf(fake, "create_dream").real).toMatchObject([{ without_queued: true }]);
  });

  it("are made with what the host takes, and can be canceled", async () => {
    const fake = await mirrored();
    const { user } = openWindow("#/stores?view=dreams", fake);
    await user.click(await screen.findByTestId("new-dream-button"));
    await user.type(screen.getByTestId("dream-model"), "claude-x");
    expect(screen.getByTestId("create-dream")).toBeDisabled();
    await user.type(screen.getByTestId("dream-sessions"), "sesn_2{Enter}sesn_1");
    await user.type(screen.getByTestId("dream-instructions"), "Short.");
    expect(screen.getByTestId("dream-count")).toHaveTextContent("6 of 4,096 characters");
    await user.click(screen.getByTestId("create-dream"));
    expect(await rowWith("dream-row", "Harbour desk")).toHaveTextContent("waiting to begin");
    expect(fake.remote.dreams[0]).toMatchObject({ sessions: ["sesn_1", "sesn_2"], instructions: "Short." });
    await user.click(screen.getByTestId("dream-cancel"));
    await waitFor(async () => expect(await rowWith("dream-row", "Harbour desk")).toHaveTextContent("canceled"));
  });
});

describe("two stores", () => {
  it("are compared from a store's menu and taken over whole by keyboard", async () => {
    const fake = fakeBackend();
    const { user } = openWindow("#/stores", fake);
    await user.click(within(await rowWith("store-row", "almanac")).getByTestId("store-menu"));
    await user.click(await screen.findByTestId("store-compare"));
    await user.selectOptions(await screen.findByTestId("compare-to"), "harbour");
    await user.click(await rowWith("compare-row", "berth-rules.md"));
    await user.keyboard("{Shift>}a{/Shift}");
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toHaveFocus());
    await user.keyboard("{Enter}");
    expect(await screen.findByText("No difference")).toBeInTheDocument();
    expect([...fake.log.store("almanac").disk.keys()].sort()).toEqual(
      [...fake.log.store("harbour").disk.keys()].sort(),
    );
  });

  it("say what to do before both are chosen, and walk by keys", async () => {
    const fake = fakeBackend();
    const [one, two] = [fake.log.store("harbour").id, fake.log.store("almanac").id];
    const { user } = openWindow(`#/stores?view=compare&from=${one}`, fake);
    expect(await screen.findByText("Choose two stores")).toBeInTheDocument();
    await user.selectOptions(screen.getByTestId("compare-to"), two);
    const first = await screen.findAllByTestId("compare-row");
    await user.click(first[0]!);
    await user.keyboard("j ");
    await waitFor(() => expect(screen.getAllByRole("img", { name: "chosen" })).toHaveLength(1));
    expect(within(first[1]!).getByRole("img", { name: "chosen" })).toBeInTheDocument();
    await user.keyboard("s");
    await waitFor(() => expect(screen.getByTestId("compare-from")).toHaveValue(two));
  });
});

describe("attach lists", () => {
  it("are built, counted and previewed, and pasted ones are checked", async () => {
    const { user } = openWindow(HOSTED, await mirrored());
    await user.click(await screen.findByTestId("open-mounts"));
    await waitFor(() => expect(screen.getByTestId("mount-add")).toBeEnabled());
    await user.click(screen.getByTestId("mount-add"));
    await user.type(screen.getByTestId("mount-instructions"), "Look.");
    expect(screen.getByTestId("mount-count")).toHaveTextContent("5 of 4,096 characters");
    expect(await screen.findByTestId("mount-path")).toHaveTextContent("/mnt/memory/harbour-desk");
    expect(screen.getByTestId("mount-sum")).toHaveAttribute("data-ok", "true");
    await user.click(screen.getByRole("radio", { name: "JSON" }));
    expect(screen.getByTestId<HTMLTextAreaElement>("mounts-json").value).toContain('"instructions": "Look."');
    await user.clear(screen.getByTestId("mounts-json"));
    await user.click(screen.getByTestId("mounts-json"));
    await user.paste("[{");
    expect(screen.getByTestId("mounts-problem")).toHaveTextContent("This is not JSON yet.");
    await user.clear(screen.getByTestId("mounts-json"));
    await user.paste('[{"type":"memory_store","memory_store_id":"memstore_x","access":"write"}]');
    await waitFor(() => expect(screen.getByTestId("mount-sum")).toHaveAttribute("data-ok", "false"));
    await user.click(screen.getByRole("radio", { name: "Form" }));
    await waitFor(() => expect(screen.getAllByTestId("mount-problem")).toHaveLength(2));
    expect(screen.getByTestId("mount-item")).toHaveTextContent("/0/access");
  });
});

describe("a store in the Memory Stores API", () => {
  it("is shown, used, unmounted and mounted", async () => {
    const fake = fakeBackend();
    const { user } = openWindow("#/stores", fake);
    const menu = async () => user.click(within(await rowWith("store-row", "harbour")).getByTestId("store-menu"));
    await menu();
    await user.click(await screen.findByTestId("store-share"));
    const id = fake.log.store("harbour").id;
    expect(await screen.findByTestId("sdk-python")).toHaveTextContent(id);
    await user.keyboard("{Escape}");
    expect(within(await rowWith("store-row", "harbour")).getByTestId("shared-chip")).toHaveTextContent("API");
    await menu();
    await user.click(await screen.findByTestId("store-unmount"));
    await user.click(screen.getByTestId("unmount-confirm"));
    await waitFor(() => expect(fake.log.store("harbour").mounted).toBe(false));
    await menu();
    await user.click(await screen.findByTestId("store-mount"));
    await user.type(screen.getByTestId("mount-directory"), "/home/ada/full");
    await user.click(screen.getByTestId("mount-confirm"));
    expect(await screen.findByTestId("failure")).toHaveTextContent("The directory is not empty.");
    await user.clear(screen.getByTestId("mount-directory"));
    await user.type(screen.getByTestId("mount-directory"), "/home/ada/mounted{Enter}");
    await waitFor(() => expect(fake.log.store("harbour").root).toBe("/home/ada/mounted"));
  });
});
