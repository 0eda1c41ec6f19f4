import { describe, expect, it } from "vitest";
import type { LaneSpan } from "@/bindings";
import { plotOf, scalesOf } from "./chart";
import { mostTokens, spanAt, stretches } from "./lane";

const span = (from: number, to: number, tokens = 10): LaneSpan => ({ from, to, lines: 3, tokens, grade: "proved" });

describe("the lane below the chart", () => {
  const plot = plotOf(480, 100);
  const of = (count: number, ...spans: LaneSpan[]) => stretches(spans, plot, scalesOf(plot, count, 1), count);

  it("covers the whole axis where every request had the file", () => {
    expect(of(11, span(0, 10))).toMatchObject([{ x: plot.left, width: plot.right - plot.left }]);
    expect(of(1, span(0, 0))).toMatchObject([{ x: plot.left, width: plot.right - plot.left }]);
  });

  it("puts each request around the place that the chart has for it", () => {
    const { x } = scalesOf(plot, 11, 1);
    const [one] = of(11, span(3, 5));
    expect(one!.x).toBeCloseTo((x(2) + x(3)) / 2);
    expect(one!.x + one!.width).toBeCloseTo((x(5) + x(6)) / 2);
    const [before, after] = of(11, span(0, 3), span(4, 10));
    expect(before!.x + before!.width).toBeCloseTo(after!.x);
  });

  it("draws no stretch too narrow to see, nor beyond the plot", () => {
    const [last] = of(100_000, span(99_999, 99_999));
    expect(last).toMatchObject({ width: 2, x: plot.right - 2 });
  });

  it("knows what a request had", () => {
    const file = { spans: [span(0, 3, 10), span(6, 6, 40)] };
    expect(spanAt(file, 3)?.from).toBe(0);
    expect(spanAt(file, 4)).toBeNull();
    expect(mostTokens(file)).toBe(40);
    expect(mostTokens({ spans: [] })).toBe(0);
  });
});
