import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { closeUse } from "@/features/memories/UseSection";
import { fakeBackend } from "@/host/fake";
import { callsOf, openWindow, rowWith } from "./testing";

afterEach(closeUse);

async function open(name: string, fake = fakeBackend()) {
  const opened = openWindow("#/memories", fake);
  await opened.user.click(await rowWith("memory-row", name));
  await waitFor(() => expect(screen.getByTestId("memory-title")).toHaveTextContent(name));
  return opened;
}

describe("the use of a memory", () => {
  it("reads no transcript before somebody asks", async () => {
    const { fake, user } = await open("berth-rules.md");
    expect(callsOf(fake, "memory_loads").real).toHaveLength(0);
    await user.click(screen.getByTestId("use-toggle"));
    await screen.findByTestId("memory-loads");
    expect(callsOf(fake, "memory_loads").real[0]).toEqual({
      memory: `${fake.log.store("harbour").id}:berth-rules.md`,
    });
    // The next memory is asked about too, as long as the section is open.
    await user.click(await rowWith("memory-row", "MEMORY.md"));
    await waitFor(() => expect(callsOf(fake, "memory_loads").real.length).toBeGreaterThan(1));
  });

  it("says in how many sessions it was loaded, when last and why, with the list behind it", async () => {
    const fake = fakeBackend();
    fake.answer("memory_loads", (_, usual) => {
      const loads = usual();
      const [newest, other] = loads.rows;
      const begun = { ...newest!, hook: true, reasons: ["session_start" as const, "compact" as const] };
      return { ...loads, sessions: 9, loaded: 3, rows: [begun, { ...other!, title: null }, other!] };
    });
    const { user } = await open("berth-rules.md", fake);
    await user.click(screen.getByTestId("use-toggle"));
    const loads = await screen.findByTestId("memory-loads");
    expect(loads).toHaveTextContent("Loaded in 3 of 9 sessions that tell what they loaded.");
    expect(loads).toHaveTextContent("when the session began, again after a compaction");
    await user.click(within(loads).getByTestId("open-loads"));
    const rows = within(await screen.findByTestId("loads-sheet")).getAllByTestId("loading-row");
    expect(rows).toHaveLength(3);
    expect(within(rows[0]!).getByRole("link")).toHaveAttribute("href", "#/session?session=8c41f0de");
    expect(rows[0]).toHaveTextContent("told by the hook");
    expect(rows[1]).toHaveTextContent("A session without a prompt");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("loads-sheet")).toBeNull());
  });

  it("has the honest line: price, presence, and how its rules fared", async () => {
    const fake = fakeBackend();
    const [before, after] = [
      { followed: 3, broken: 6 },
      { followed: 11, broken: 1 },
    ];
    fake.answer("memory_worth", (_, usual) => {
      const { memories, ...rest } = usual();
      const rules = [{ rule_id: "rule_1", sentence: "pnpm, never npm", before, after }];
      return { ...rest, memories: memories.map((one) => ({ ...one, sessions: 9, present: 9, rules })) };
    });
    const { user } = await open("berth-rules.md", fake);
    await user.click(screen.getByTestId("use-toggle"));
    const worth = await screen.findByTestId("memory-worth");
    expect(worth).toHaveTextContent(/\d+ tokens per session/);
    expect(worth).toHaveTextContent(/Before the model in \d of 9 conversations\./);
    // Nine points before the line was written are a count, twelve after it a rate.
    expect(worth).toHaveTextContent("before it was written 3 of 9 followed · after 11 of 12 followed (91.7 %)");
    expect(worth).toHaveTextContent("Present does not mean followed.");
  });
});
