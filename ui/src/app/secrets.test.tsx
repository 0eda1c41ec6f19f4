import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { forgetSecrets } from "@/shared/known-secrets";
import { callsOf, openWindow, rowWith } from "./testing";
// Screens that the window loads when it goes there: on a busy machine that takes longer than a condition is waited for.
import "@/features/memories/MemoriesScreen";
import "@/features/search/Palette";

const PATH = "sources.md";

beforeEach(() => forgetSecrets());

/** The window at the memory with a key in it, and the key. */
async function atKey(tab: string) {
  const backend = fakeBackend();
  const store = [...backend.log.stores].find(({ disk }) => disk.has(PATH))!;
  const text = store.disk.get(PATH)!;
  const { findings } = await backend.call("health", { store: null, loads: false });
  const { finding } = findings.find((one) => one.finding.path === PATH && one.finding.rule.startsWith("secret/"))!;
  const key = text.split("\n")[finding.line - 1]!.slice(finding.column - 1, finding.end_column! - 1);
  expect(key.length).toBeGreaterThan(12);
  const memory = [...backend.log.heads(store).values()].find(({ path }) => path === PATH)!.memory_id;
  const lines = text
    .split("\n")
    .map((line, at) => ({ line: at + 1, text: line, version: null, line_then: 1, or_before: false }));
  const blame = { live: false, target: memory, version_id: null, path: PATH, kind: "text" as const };
  backend.answer("blame", () => ({ ...blame, lines, versions: [], truncated: false }));
  const opened = openWindow(`#/memories?store=${store.id}&memory=${memory}&tab=${tab}`, backend);
  await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent(PATH));
  const word = /[A-Za-z]{4,}/.exec(text.split("\n")[finding.line - 1]!.replace(key, ""))![0];
  return { ...opened, key, finding, word };
}

const page = () => document.body.textContent;

describe("a secret in memory", () => {
  it.each(["content", "diff"])("is out of sight in %s until somebody asks for it", async (tab) => {
    const { user, key } = await atKey(tab);
    const show = await screen.findByTestId("show-secrets");
    expect(page()).not.toContain(key);
    await user.click(show);
    await waitFor(() => expect(page()).toContain(key));
    await user.click(screen.getByTestId("show-secrets"));
    await waitFor(() => expect(page()).not.toContain(key));
  });

  it("is out of sight beside who wrote each line, and in the hits of a search", async () => {
    const { user, key, word } = await atKey("content");
    await user.click(await screen.findByTestId("blame-toggle"));
    await screen.findByTestId("blame");
    expect(page()).not.toContain(key);
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), word);
    await screen.findAllByTestId("search-hit");
    expect(page()).not.toContain(key);
  });

  it("is named on the page of its memory, with what mends it", async () => {
    const { user, fake, finding } = await atKey("content");
    const row = await rowWith("memory-finding", `line ${finding.line}`);
    expect(row).toHaveAttribute("data-rule", finding.rule);
    await user.click(screen.getByTestId("remedy-redact"));
    await waitFor(() => expect(window.location.hash).toContain("#/redactions"));
    expect(callsOf(fake, "redact").real).toHaveLength(0);
  });
});

describe("hostile text that was there before recording", () => {
  it("can be redacted, allowed or removed with its memory from there", async () => {
    const backend = fakeBackend();
    const store = backend.log.store("harbour");
    const [path] = [...store.disk.keys()];
    const health = await backend.call("health", { store: null, loads: false });
    const hostile = {
      ...health.findings[0]!.finding,
      path: path!,
      rule: "hostile/instructions",
      severity: "error" as const,
      line: 1,
      start: 0,
      remedies: [{ act: "open" as const, path: path!, line: 1 }],
    };
    const memory = [...backend.log.heads(store).values()].find((head) => head.path === path)!.memory_id;
    backend.answer("health", () => ({
      ...health,
      findings: [{ store_id: store.id, memory_id: memory, finding: hostile }],
    }));
    const { user } = openWindow(`#/memories?store=${store.id}&memory=${memory}`, backend);
    await rowWith("memory-finding", "line 1");
    expect(screen.getByTestId("memory-allow")).toBeVisible();
    await user.click(screen.getByTestId("remedy-remove"));
    expect(await screen.findByTestId("act-dialog")).toHaveTextContent(path!);
    await user.keyboard("{Escape}");
    await user.click(await screen.findByTestId("remedy-redact"));
    await waitFor(() => expect(window.location.hash).toContain("hostile"));
  });
});
