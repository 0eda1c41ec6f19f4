import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeBackend } from "@/host/fake";
import { recorded } from "@/host/fake/fixtures";
import { callsOf, openWindow, rowWith } from "./testing";

/** Opens a run on its answer. */
async function openRun(fake = fakeBackend(), query = "transcript=31b7a220") {
  const opened = openWindow(`#/context?${query}`, fake);
  await screen.findByTestId("answer");
  return opened;
}

/** A number in the notation of sentences. */
const size = (text: string) => {
  const [, digits = "", unit = ""] = /([\d.,]+)([KM]?)\.?$/.exec(text.trim()) ?? [];
  return Number(digits.replaceAll(",", "")) * ({ K: 1_000, M: 1_000_000 }[unit] ?? 1);
};

describe("a run opens on its answer", () => {
  it("names the parts of the largest context, the largest first, and they add up", async () => {
    const { fake } = await openRun();
    const answer = screen.getByTestId("answer");
    expect(answer).toHaveTextContent(/^At its peak \(request 46\) this run held [\d.]+K tokens: /);
    const parts = screen.getAllByTestId("answer-part").map((part) => size(part.textContent ?? ""));
    expect(parts).toEqual([...parts].sort((a, b) => b - a));
    expect(Math.round(parts.reduce((sum, part) => sum + part))).toBe(Number(answer.dataset["said"]));
    // It needs no sweep and no simulation.
    expect(callsOf(fake, "context_simulate").real).toHaveLength(0);
    expect(callsOf(fake, "context_sweep").real).toHaveLength(0);
  });

  it("has the cursor at the peak, the parts stacked, and the same figures as a list", async () => {
    const { user } = await openRun();
    const chart = screen.getByTestId("chart");
    expect(chart.dataset["cursor"]).toBe("45");
    const rows = () => screen.getAllByTestId("parts-row");
    expect(screen.getAllByTestId("band").map((band) => band.dataset["part"])).toEqual(
      rows()
        .map((row) => row.dataset["part"])
        .reverse(),
    );
    const figures = () =>
      rows().map((row) =>
        Number(/[\d,]+/.exec(within(row).getByRole("cell").textContent ?? "")![0].replaceAll(",", "")),
      );
    const whole = () => {
      const foot = within(screen.getByTestId("parts-list")).getByText("context").closest("tr")!;
      return Number(/[\d,]+/.exec(within(foot).getByRole("cell").textContent ?? "")![0].replaceAll(",", ""));
    };
    expect(figures().reduce((sum, part) => sum + part)).toBe(whole());
    const most = whole();
    await user.keyboard("[[");
    expect(chart.dataset["cursor"]).toBe("44");
    expect(whole()).toBeLessThan(most);
    await user.keyboard("p");
    expect(chart.dataset["cursor"]).toBe("45");
    await user.keyboard("t");
    expect(await screen.findByTestId("request-table")).toHaveTextContent("what ran");
  });

  it("stands at the request that the address names", async () => {
    await openRun(fakeBackend(), "transcript=31b7a220&at=12");
    expect(screen.getByTestId("chart").dataset["cursor"]).toBe("11");
  });

  it("recommends one setting with its price, says why, and takes it along under a name that follows it", async () => {
    const { user } = await openRun(fakeBackend(), "transcript=8c41f0de");
    expect(await screen.findByTestId("recommended-what")).toHaveTextContent(
      /^Recommended: clear above \d+K, keep \d+, at least \d+K at once$/,
    );
    expect(screen.getByTestId("recommended-input")).toHaveTextContent(/^−\d+\s%$/);
    expect(screen.getByTestId("recommended-cost")).toHaveTextContent(/^[−+]\$/);
    expect(screen.queryByTestId("recommended-why")).toBeNull();
    await user.click(screen.getByTestId("why-recommended"));
    expect(screen.getByTestId("recommended-why")).toHaveTextContent(/^Of 24 settings tried on this run/);
    const named = screen.getByTestId("recommended-what").textContent.replace("Recommended: ", "");
    await user.click(screen.getByTestId("try-recommended"));
    await rowWith("variant-row", `C · ${named}`);
    // It is renamed when the setting changes, unless a person named it.
    const trigger = screen.getByTestId("trigger-input");
    await user.clear(trigger);
    await user.type(trigger, "90000{Enter}");
    await rowWith("variant-row", "C · clear above 90K, keep");
    await user.type(screen.getByTestId("variant-name"), "mine");
    await rowWith("variant-row", "C · mine");
    await user.clear(trigger);
    await user.type(trigger, "80000{Enter}");
    await rowWith("variant-row", "C · mine");
  });

  it("waits for the recommendation in its place, and shows all that was tried", async () => {
    const fake = fakeBackend();
    const release = fake.holdNext("context_recommend");
    const { user } = await openRun(fake, "transcript=8c41f0de");
    expect(screen.getByTestId("recommended")).toHaveAttribute("aria-busy", "true");
    release();
    await user.click(await screen.findByTestId("all-settings"));
    expect(await screen.findAllByTestId("sweep-point")).not.toHaveLength(0);
    const none = screen.getAllByTestId("sweep-point").filter((row) => row.dataset["baseline"]);
    expect(none).toHaveLength(1);
    expect(none[0]).toHaveTextContent("no editing");
    await user.click(screen.getByTestId("view-all"));
    await waitFor(() => expect(screen.getAllByTestId("sweep-point")).toHaveLength(25));
  });

  it("says how much of the run is proved", async () => {
    await openRun(fakeBackend(), "transcript=d02e9b51");
    expect(screen.getByTestId("proved")).toHaveTextContent("exact, proved by digest");
  });

  it("shows what ran under the setting in force as the row that others are compared with", async () => {
    const fake = fakeBackend();
    const what = { id: "verbatim", args: {}, text: "as it ran: clear above 30K, keep 3" };
    const edit = { type: "clear_tool_uses_20250919", exclude_tools: ["memory"], keep: { type: "tool_uses", value: 5 } };
    const tokens = (value: number) => ({ type: "input_tokens", value });
    const config = { edits: [{ ...edit, trigger: tokens(30_000), clear_at_least: tokens(15_000) }] };
    fake.answer("context_simulate", ({ in_force, transcript }, usual) => {
      if (!in_force) return usual();
      const [ran] = recorded("context_simulate", { transcript, variants: [{ name: "variant", config }] }).simulations;
      return { ...usual(), in_force: { ...ran!, in_force: true, what } };
    });
    openWindow("#/context?transcript=8c41f0de&view=settings", fake);
    const ran = await rowWith("variant-row", "A · as it ran: clear above 30K, keep 3");
    expect((await within(ran).findByTestId("cell-peak")).querySelector(".change")).toBeNull();
    const without = await screen.findByTestId("row-without");
    expect(without).toHaveTextContent("no editing");
    expect((await within(without).findByTestId("cell-peak")).querySelector(".change")).not.toBeNull();
  });
});

describe("the runs", () => {
  it("are in the order of cost, peak or date, told apart by prompt and project, and never by an id", async () => {
    const fake = fakeBackend();
    Object.assign(fake.lab.transcripts.transcripts[1]!, { title: "", first_prompt: null });
    const { user } = await openRun(fake);
    const titles = () => screen.getAllByTestId("transcript-row").map((row) => row.querySelector("b")?.textContent);
    await waitFor(() => expect(titles()).toHaveLength(3));
    expect(titles()).toEqual([
      "move the berth tables to the new schema",
      expect.stringMatching(/^Session of .*09:00$/),
      "write the lamp schedule",
    ]);
    expect(screen.getAllByTestId("transcript-row")[2]).toHaveTextContent("lighthouse");
    for (const row of screen.getAllByTestId("transcript-row")) expect(row).not.toHaveTextContent(/8c41|31b7|d02e/);
    expect(screen.getByTestId("runs-total")).toHaveTextContent("3, $3.56");
    await user.click(screen.getByTestId("view-peak"));
    expect(titles()[0]).toBe("move the berth tables to the new schema");
    await user.click(screen.getByTestId("view-date"));
    expect(titles()[1]).toMatch(/^Session of /);
    expect(screen.getByTestId("lab-title")).toHaveTextContent(/^Session of /);
  });
});
