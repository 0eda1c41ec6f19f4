import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { callsOf, openWindow, rowWith } from "./testing";

describe("the screen of health", () => {
  it("counts in its badge what its list shows", async () => {
    openWindow("#/health");
    const rows = await screen.findAllByTestId("finding-row");
    expect(await rowWith("finding-row", "limits/index-cut")).toBeInTheDocument();
    expect(screen.getByTestId("nav-health")).toHaveTextContent(String(rows.length));
    expect(screen.getAllByTestId("health-store")).toHaveLength(2);
    expect(await rowWith("health-store", "cut at line 201")).toBeInTheDocument();
  });

  it("folds the stores away, so that the findings have the window", async () => {
    const { user } = openWindow("#/health");
    await rowWith("health-store", "cut at line 201");
    const fold = screen.getByTestId("health-stores");
    expect(fold).toHaveAttribute("aria-expanded", "true");
    await user.click(fold);
    expect(screen.queryByTestId("health-store")).toBeNull();
    expect(screen.getAllByTestId("finding-row").length).toBeGreaterThan(0);
    await user.click(fold);
    expect(await rowWith("health-store", "cut at line 201")).toBeInTheDocument();
  });

  it("opens the memory at the finding", async () => {
    const { user } = openWindow("#/health");
    await user.click(await rowWith("finding-row", "limits/index-cut"));
    await user.keyboard("o");
    await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent("MEMORY.md"));
    expect(window.location.hash).toContain("line=201");
    expect(await screen.findByTestId("cut-chip")).toHaveTextContent("61 lines are not loaded");
    expect(screen.getByTestId("index-actions")).toHaveTextContent("Line 201");
  });

  it("switches a rule off from the list, and on again", async () => {
    const { user, fake } = openWindow("#/health");
    await user.click(await rowWith("finding-row", "limits/index-cut"));
    // It mends nothing, so that it is in a menu and asks.
    expect(screen.queryByText("Switch the rule off")).toBeNull();
    await user.click(screen.getByTestId("finding-more"));
    await user.click(await screen.findByTestId("finding-off"));
    expect(callsOf(fake, "set_finding_rule").real).toHaveLength(0);
    await user.click(await screen.findByTestId("rule-off-confirm"));
    await waitFor(() => expect(screen.queryByText(/those after it are not loaded/)).toBeNull());
    expect(callsOf(fake, "set_finding_rule").real[0]).toEqual({ rule: "limits/index-cut", setting: "off" });
    await user.click(await screen.findByTestId("toast-action"));
    expect(await rowWith("finding-row", "limits/index-cut")).toBeInTheDocument();
  });

  it("lists what each memory costs, in the order that is chosen, and opens its reach", async () => {
    const { user } = openWindow("#/health?view=worth");
    const rows = () => screen.getAllByTestId("worth-row").map((row) => row.dataset.path);
    await screen.findAllByTestId("worth-row");
    const first = rows();
    await user.click(screen.getByText("Costs most"));
    await waitFor(() => expect(rows()).not.toEqual(first));
    expect([...rows()].sort()).toEqual([...first].sort());
    const link = screen.getAllByTestId("worth-row")[0]!.querySelector("a")!;
    expect(link.getAttribute("href")).toContain("tab=reach");
  });

  it("moves the lines that are cut into a topic file, previewed", async () => {
    const { user, fake } = openWindow("#/health");
    await user.click(await rowWith("finding-row", "limits/index-cut"));
    // What moves is one line more than what is cut off, and both say so.
    expect(screen.getByTestId("finding-detail")).toHaveTextContent("Line 200 moves with them");
    const [, moved] = /: (\d+) lines\./.exec(screen.getByTestId("finding-detail").textContent) ?? [];
    expect(screen.getByTestId("finding-move_lines")).toHaveTextContent(`Move ${moved} lines…`);
    await user.click(screen.getByTestId("finding-move_lines"));
    await user.type(await screen.findByTestId("topic-name"), "more");
    await user.click(await screen.findByTestId("topic-new"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(callsOf(fake, "move_entry").real[0]).toMatchObject({ line: 200, to: "more.md" });
  });

  it("takes hidden characters out, previewed and undone, and goes to the redaction of exactly a key", async () => {
    const { user, fake } = openWindow("#/health");
    const { disk } = fake.log.stores.find((store) => [...store.disk.values()].some((text) => text.includes("\u200b")))!;
    const [path, before] = [...disk].find(([, text]) => text.includes("\u200b"))!;
    await user.click(await rowWith("finding-row", "hidden/zero-width"));
    await user.click(screen.getByTestId("finding-strip_character"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(disk.get(path)).toBe(before.replaceAll("\u200b", ""));
    expect(callsOf(fake, "strip_characters").real[0]?.expect).toMatch(/^[0-9a-f]{64}$/);
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(disk.get(path)).toBe(before));
    await user.click(await rowWith("finding-row", "secret/stripe"));
    await user.click(screen.getByTestId("finding-redact"));
    await waitFor(() => expect(window.location.hash).toContain("redactions"));
  });

  it("lists the rules with the person's settings", async () => {
    const { user, fake } = openWindow("#/health?view=rules");
    const row = await rowWith("rule-row", "links/wiki");
    await user.selectOptions(within(row).getByTestId("rule-setting"), "error");
    await waitFor(() => expect(callsOf(fake, "set_finding_rule").real).toHaveLength(1));
    await waitFor(async () =>
      expect(within(await rowWith("rule-row", "links/wiki")).getByTestId("rule-setting")).toHaveValue("error"),
    );
  });

  it("allows a finding in place, previewed and undone", async () => {
    const { user, fake } = openWindow("#/health");
    await user.click(await rowWith("finding-row", "secret/stripe"));
    await user.keyboard("l");
    const dialog = await screen.findByTestId("act-dialog");
    await within(dialog).findAllByTestId("diff-line");
    const store = fake.log.store("almanac");
    expect(store.disk.get("sources.md")).not.toContain("retrace-allow");
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(store.disk.get("sources.md")).toContain("retrace-allow: secret/stripe");
    expect(callsOf(fake, "allow_finding").real[0]?.expect).toMatch(/^[0-9a-f]{64}$/);
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(store.disk.get("sources.md")).not.toContain("retrace-allow"));
  });

  it("removes what was chosen of the proposals, and nothing else", async () => {
    const { user, fake } = openWindow("#/health?view=expiry");
    const row = await rowWith("expiry-row", "logs/2025/04/2025-04-30.md");
    expect(screen.getByTestId("expire")).toBeDisabled();
    await user.click(within(row).getByRole("checkbox"));
    await user.click(screen.getByTestId("expire"));
    await waitFor(() => expect(screen.getByTestId("act-confirm")).toBeEnabled());
    const store = fake.log.store("harbour");
    expect(store.disk.has("logs/2025/04/2025-04-30.md")).toBe(true);
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(store.disk.has("logs/2025/04/2025-04-30.md")).toBe(false);
    await user.keyboard("u");
    await waitFor(() => expect(store.disk.has("logs/2025/04/2025-04-30.md")).toBe(true));
  });
});

describe("an entry of an index", () => {
  it("moves into a topic file by key, and comes back", async () => {
    const { user, fake } = openWindow("#/memories");
    // Short enough that all lines are drawn, which a list without layout needs.
    const entries = Array.from({ length: 40 }, (_, at) => `- [Note ${at + 1}](notes/note-${at + 1}.md): one line`);
    fake.log.store("harbour").disk.set("MEMORY.md", `# Long index\n\n${entries.join("\n")}\n`);
    fake.record();
    await user.click(await rowWith("memory-row", "MEMORY.md"));
    const line = await rowWith("document-line", "[Note 1](");
    await user.click(line);
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}m");
    await user.type(await screen.findByTestId("topic-name"), "first notes");
    await user.click(await screen.findByTestId("topic-new"));
    const dialog = await screen.findByTestId("act-dialog");
    expect(await within(dialog).findAllByTestId("act-file")).toHaveLength(2);
    const { disk } = fake.log.store("harbour");
    const before = disk.get("MEMORY.md");
    await user.click(screen.getByTestId("act-confirm"));
    await screen.findByTestId("toast");
    expect(disk.get("first-notes.md")).toContain("Note 2");
    expect(disk.get("MEMORY.md")).toContain("(first-notes.md)");
    expect(callsOf(fake, "move_entry").real[0]).toMatchObject({ line: 3, end_line: 4, to: "first-notes.md" });
    await user.click(screen.getByTestId("toast-action"));
    await waitFor(() => expect(disk.get("MEMORY.md")).toBe(before));
  });
});
