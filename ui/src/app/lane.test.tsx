import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { openWindow } from "./testing";

/** The recorded run, whose index was before the model until a compaction in the middle. */
async function openRun() {
  const fake = fakeBackend();
  fake.answer("presence_lane", (_, usual) => {
    const lane = usual();
    const [index, instructions] = lane.files;
    Object.assign(index!, { requests: 23, spans: [{ ...index!.spans[0]!, to: 22, grade: "inferred" }] });
    instructions!.spans[0]!.grade = "proved";
    return { ...lane, compactions: [23] };
  });
  const opened = openWindow("#/context?transcript=31b7a220", fake);
  await screen.findAllByTestId("lane-row");
  return opened;
}

const rowOf = (path: string) => screen.getAllByTestId("lane-row").find((row) => row.dataset["path"] === path)!;

describe("the lane below the chart", () => {
  it("names each file with what the request under the cursor had of it", async () => {
    const { user } = await openRun();
    expect(screen.getAllByTestId("lane-row").map((row) => row.dataset["path"])).toEqual([
      "MEMORY.md",
      "/home/ada/harbour/CLAUDE.md",
      "berth-rules.md",
    ]);
    // The cursor is at the peak, which the compaction came before or right after.
    expect(rowOf("/home/ada/harbour/CLAUDE.md")).toHaveTextContent("29 tokens, proved");
    await user.click(screen.getByTestId("chart"));
    await user.keyboard("{Home}");
    await waitFor(() => expect(rowOf("MEMORY.md")).toHaveTextContent("1,983 tokens, inferred"));
    expect(rowOf("berth-rules.md")).toHaveTextContent("absent here");
    await user.keyboard("{End}");
    await waitFor(() => expect(rowOf("MEMORY.md")).toHaveTextContent("absent here"));
    expect(rowOf("berth-rules.md")).toHaveTextContent("73 tokens, recorded");
    expect(screen.getByTestId("lane")).toHaveTextContent("Present does not mean followed.");
  });

  it("tells the stretches of a file by key, and opens what the model saw", async () => {
    const { user } = await openRun();
    const toggle = within(rowOf("MEMORY.md")).getByRole("button");
    toggle.focus();
    await user.keyboard("{Enter}");
    const detail = within(rowOf("MEMORY.md")).getByTestId("lane-detail");
    expect(detail).toHaveTextContent(/requests 1 to \d+: lines: 200, tokens: 1,983, inferred/);
    await user.click(within(detail).getByRole("button", { name: /What the model saw/ }));
    expect(await screen.findByTestId("turn-sheet")).toBeInTheDocument();
  });

  it("leads to the reach of a memory", async () => {
    const { user, fake } = await openRun();
    await user.click(within(rowOf("berth-rules.md")).getByRole("button"));
    await user.click(screen.getByTestId("lane-memory"));
    expect(await screen.findByTestId("reach")).toBeInTheDocument();
    const store = fake.log.store("harbour");
    expect(window.location.hash).toContain(fake.log.heads(store).get("berth-rules.md")!.memory_id);
  });

  it("hatches what is inferred alone", async () => {
    await openRun();
    const grades = (path: string) =>
      [...rowOf(path).querySelectorAll("rect")].map((bar) => [bar.dataset["grade"], bar.getAttribute("fill")]);
    expect(grades("/home/ada/harbour/CLAUDE.md")).toEqual([["proved", null]]);
    expect(grades("MEMORY.md")).toEqual([["inferred", expect.stringMatching(/^url\(#/)]]);
  });

  it("has a table behind it", async () => {
    const { user } = await openRun();
    await user.keyboard("t");
    const table = await screen.findByTestId("lane-table");
    const rows = within(table).getAllByRole("row");
    expect(rows).toHaveLength(4);
    expect(rows[1]).toHaveTextContent("MEMORY.md");
    expect(rows[1]).toHaveTextContent("inferred");
    expect(screen.queryAllByTestId("lane-row")).toHaveLength(0);
  });
});
