import { describe, expect, it } from "vitest";
import type { ActivityMark } from "@/bindings";
import { nearest, placeMarks, stepFrom } from "./axis";

const mark = (seq: number, at: number, modified = 1): ActivityMark => ({
  operation_seq: seq,
  at: new Date(at).toISOString(),
  source: "scan",
  created: 0,
  modified,
  deleted: 0,
  rebuilt: false,
});

describe("the axis", () => {
  it("places marks by time between the first and now", () => {
    const placed = placeMarks([mark(1, 0, 100), mark(2, 500), mark(3, 1000)], 2000);
    expect(placed.map(({ x }) => x)).toEqual([0, 0.25, 0.5]);
    expect(placed[0]?.height).toBe(1);
    expect(placed[1]?.height).toBeGreaterThan(0.1);
    expect(placeMarks([], 5)).toEqual([]);
    expect(placeMarks([mark(1, 10)], 10)[0]?.x).toBe(0);
  });

  it("finds the nearest mark, the newer of two as near", () => {
    const placed = placeMarks([mark(1, 0), mark(2, 1000)], 1000);
    expect(nearest(placed, 0.2)).toBe(0);
    expect(nearest(placed, 0.5)).toBe(1);
    expect(nearest([], 0.5)).toBe(-1);
  });

  it("is walked by keys from now backwards", () => {
    expect(stepFrom(3, -1, "ArrowLeft")).toBe(2);
    expect(stepFrom(3, 0, "ArrowLeft")).toBe(0);
    expect(stepFrom(3, 2, "ArrowRight")).toBe(-1);
    expect(stepFrom(3, 1, "Home")).toBe(0);
    expect(stepFrom(3, 1, "End")).toBe(-1);
    expect(stepFrom(30, -1, "PageDown")).toBe(20);
    expect(stepFrom(3, 1, "x")).toBeNull();
  });
});
