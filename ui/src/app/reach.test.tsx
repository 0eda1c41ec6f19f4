import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Reach } from "@/bindings";
import { fakeBackend } from "@/host/fake";
import { openWindow, rowWith } from "./testing";

/** The recorded answer, but that the client cut what is behind line 200, and one run lost the lines in a compaction. */
function recordedReach(reach: Reach, version_id: string): Reach {
  const cut = reach.absent.map((one) => ({ ...one, cause: "cut" as const, cut_after: 200 }));
  if (reach.from === null || cut.length > 0) return { ...reach, absent: cut };
  const long = reach.rows.find(({ transcript }) => transcript === "8c41f0de")!;
  const had = { ...long.spans.at(-1)!, version_id };
  const before = { ...had, from: 0, to: 3, grade: "proved" as const };
  const after = { ...had, from: 4, present: false, lines: 0, cause: "compacted" as const, version_id: null };
  Object.assign(long, { spans: [before, after], cause: "compacted", compactions: [4] });
  return reach;
}

/** The tab of a memory; of one that is short, because a long list is not drawn here. */
async function open(isIt: (lines: number) => boolean) {
  const fake = fakeBackend();
  const files = fake.log.stores.flatMap((store) => [...store.disk].map(([path, text]) => ({ store, path, text })));
  const { store, path } = files.find(({ text }) => isIt(text.split("\n").length))!;
  const { memory_id: memory, id } = fake.log.heads(store).get(path)!;
  fake.answer("reach", (_, usual) => recordedReach(usual(), id));
  const opened = openWindow(`#/memories?store=${store.id}&memory=${memory}&tab=reach`, fake);
  await screen.findByTestId("reach");
  return opened;
}

const isLong = (lines: number) => lines > 250;
const isShort = (lines: number) => lines > 5 && lines < 50;

describe("reach of a memory", () => {
  it("says in how many sessions it was there, and why not in the others", async () => {
    const { user } = await open(isShort);
    expect(screen.getByTestId("reach-sentence")).toHaveTextContent(
      "This memory was before the model in 2 of 2 sessions",
    );
    expect(screen.getAllByText("Present does not mean followed.")).not.toHaveLength(0);
    await user.click((await screen.findAllByTestId("reach-line"))[3]!);
    await waitFor(() => expect(screen.getByTestId("reach-sentence")).toHaveTextContent("Line 4 was before the model"));
    expect(window.location.hash).toContain("line=4");
    screen.getByTestId("reach-lines").focus();
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByTestId("reach-sentence")).toHaveTextContent("Line 5"));
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
    await waitFor(() => expect(screen.getByTestId("reach-sentence")).toHaveTextContent("Lines 5 to 6"));
  });

  it("tells a line that was cut", async () => {
    await open(isLong);
    const hash = window.location.hash;
    window.location.hash = `${hash}&line=214`;
    await waitFor(() => expect(screen.getByTestId("reach-sentence")).toHaveTextContent("2 cut at line 200"));
    expect(screen.getByTestId("reach-sentence")).toHaveTextContent("Line 214 was before the model in 0 of 2 sessions");
    expect(screen.getByTestId("presence-legend")).toBeInTheDocument();
  });

  it("opens the last request that had the line, with the memory's lines marked", async () => {
    const { user } = await open(isShort);
    await user.click(screen.getAllByTestId("reach-line")[3]!);
    const row = await rowWith("reach-row", "berth tables");
    expect(within(row).getByTestId("presence-strip")).toHaveAccessibleName(/requests 1 to 4: present, proved/);
    expect(within(row).getByTestId("presence-strip")).toHaveAccessibleName(/compacted/);
    await user.click(within(row).getAllByRole("button")[0]!);
    await user.click(await screen.findByTestId("reach-open"));
    await waitFor(() => expect(window.location.hash).toContain("turn=4"));
    expect(window.location.hash).toContain("mark=memver_");
    expect(await screen.findByTestId("turn-marks")).toHaveTextContent("lines of");
  });
});
