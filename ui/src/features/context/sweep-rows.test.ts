import { expect, it } from "vitest";
import type { Argument, Message, SweepPoint } from "@/bindings";
import { mergedMessages, rowsOf } from "./sweep-rows";

const say = (value: Argument) => JSON.stringify(value);
const above = (tokens: number, keep = 10): Message => ({
  id: "setting_words.clear_above_keep",
  args: { trigger: { tokens: tokens * 1000 }, keep },
  text: `clear above ${tokens}K, keep ${keep}`,
});
const withLeast = (tokens: number): Message => ({
  id: "setting_words.with",
  args: { first: above(tokens), second: { id: "setting_words.at_least", args: {}, text: "at least 20K at once" } },
  text: `clear above ${tokens}K, keep 10, at least 20K at once`,
});
const point = (what: Message, cost_usd: number) =>
  ({ what, cost_usd, peak: 100, input: 5, regrets: 1, clears: 2, pareto: true }) as unknown as SweepPoint;

it("makes one row of settings with the same results, which names their values, also of a part in it", () => {
  const points = [30, 50, 100].map((tokens) => point(withLeast(tokens), 20));
  const [row, ...others] = rowsOf(points, () => false, say);
  expect(others).toEqual([]);
  expect(row?.points).toEqual(points);
  expect(row?.what?.text).toBe("clear above 30K / 50K / 100K, keep 10, at least 20K at once");
  expect((row?.what?.args.first as Message).args.trigger).toBe(
    '{"tokens":30000} / {"tokens":50000} / {"tokens":100000}',
  );
});

it("keeps apart what has other results, and what stands for comparison", () => {
  const points = [point(above(30), 20), point(above(50), 21), point(above(70), 20)];
  expect(rowsOf(points, () => false, say).map((row) => row.points.length)).toEqual([2, 1]);
  expect(rowsOf(points, () => true, say)).toHaveLength(3);
});

it("finds no common name for settings that differ in more than one number", () => {
  expect(mergedMessages([above(30, 3), above(50, 5)], say)).toBeNull();
  expect(mergedMessages([above(30), withLeast(30)], say)).toBeNull();
  expect(mergedMessages([above(30)], say)).toEqual(above(30));
});
