import { describe, expect, it } from "vitest";
import type { RuleWording } from "@/bindings";
import { effectOf, judgedOf, rateOf, stepsOf } from "./wordings";

const wording = (broken: number, opportunities: number): RuleWording => ({
  version_id: "memver_1",
  since: null,
  line: null,
  number: null,
  opportunities,
  followed: opportunities - broken,
  broken,
  excepted: 0,
  undecidable: 0,
});

describe("wordings of a rule", () => {
  it("have a rate from ten opportunities on", () => {
    expect(rateOf(wording(1, 9))).toBeNull();
    expect(rateOf(wording(1, 10))).toBe(0.1);
  });

  it("say what an edit did only where both sides have a rate", () => {
    expect(effectOf(wording(5, 10), wording(1, 10))).toBe("better");
    expect(effectOf(wording(1, 10), wording(5, 10))).toBe("worse");
    expect(effectOf(wording(1, 10), wording(1, 10))).toBeNull();
    expect(effectOf(wording(5, 10), wording(0, 3))).toBeNull();
  });

  it("leave out those under which it never applied", () => {
    expect(judgedOf({ by_version: [wording(0, 0), wording(1, 2)] })).toHaveLength(1);
  });

  it("are drawn as wide as they had opportunities, and never too narrow to see", () => {
    const steps = stepsOf([wording(1, 1), wording(99, 198), wording(0, 1)]);
    expect(steps.map(({ share }) => share)).toEqual([1, 0.5, 0]);
    for (const { from, to } of steps) expect(to - from).toBeGreaterThanOrEqual(12);
    expect(steps.at(-1)!.to).toBeCloseTo(100);
  });

  it("fill the drawing where there are more than fit at the least width", () => {
    const steps = stepsOf(Array.from({ length: 20 }, () => wording(1, 4)));
    expect(steps.at(-1)!.to).toBeCloseTo(100);
  });
});
