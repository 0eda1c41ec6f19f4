import { expect, it } from "vitest";
import type { SimulatedLine } from "@/bindings";
import { keepAhead, positionsAround } from "./ahead";
import type { Json } from "./setting";

const settled = () => new Promise<void>((done) => setTimeout(done));
const line = (keep: number, length = 1): SimulatedLine => ({
  after: Array.from({ length }, () => keep),
  cleared: [],
  thinking: [],
  compacted: [],
  needed_again: [],
});
const configs = (...keeps: number[]): Json[] => keeps.map((keep) => ({ keep }));

/** A keeper over a program that answers when told to; settings below zero are refused. */
function keeper(length = 1) {
  const calls: { keeps: number[]; answer: () => void; fail: () => void }[] = [];
  const ahead = keepAhead(
    (asked) =>
      new Promise((resolve, reject) => {
        const keeps = asked.map(({ keep }) => keep as number);
        calls.push({
          keeps,
          answer: () => resolve(keeps.map((keep) => (keep < 0 ? null : line(keep, length)))),
          fail: () => reject(new Error("gone")),
        });
      }),
  );
  return { ahead, calls };
}

it("asks in the order of the wish, a few at a time, and never twice", async () => {
  const { ahead, calls } = keeper();
  ahead.wish(configs(...Array.from({ length: 20 }, (_, at) => at)));
  expect(calls).toHaveLength(1);
  expect(calls[0]!.keeps).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  calls[0]!.answer();
  await settled();
  expect(calls[1]!.keeps).toEqual([16, 17, 18, 19]);
  calls[1]!.answer();
  await settled();
  ahead.wish(configs(3, 19));
  expect(calls).toHaveLength(2);
  expect(ahead.get({ keep: 19 })?.after).toEqual([19]);
  expect(ahead.get({ keep: 99 })).toBeUndefined();
});

it("drops what was wished before and not asked yet", async () => {
  const { ahead, calls } = keeper();
  ahead.wish(configs(1));
  ahead.wish(configs(2));
  ahead.wish(configs(3));
  calls[0]!.answer();
  await settled();
  expect(calls.map(({ keeps }) => keeps)).toEqual([[1], [3]]);
});

it("asks for a refused setting once, and goes on after a call that failed", async () => {
  const { ahead, calls } = keeper();
  ahead.wish(configs(-1));
  calls[0]!.answer();
  await settled();
  ahead.wish(configs(-1));
  expect(calls).toHaveLength(1);
  ahead.wish(configs(1));
  calls[1]!.fail();
  await settled();
  ahead.wish(configs(1));
  expect(calls).toHaveLength(3);
});

it("keeps within its bounds, the newest and the last used first", async () => {
  const { ahead, calls } = keeper();
  for (let keep = 0; keep < 40; keep += 1) {
    if (keep > 5) ahead.get({ keep: 5 });
    ahead.keep({ keep }, line(keep, 50_000));
  }
  expect(ahead.get({ keep: 39 })).toBeDefined();
  expect(ahead.get({ keep: 5 })).toBeDefined();
  expect(ahead.get({ keep: 0 })).toBeUndefined();
  ahead.close();
  expect(ahead.get({ keep: 39 })).toBeUndefined();
  ahead.wish(configs(1));
  expect(calls).toHaveLength(0);
});

it("looks first where one key goes, then further and further", () => {
  const scale = { minValue: 0, maxValue: 30, step: 5 };
  expect(positionsAround(10, scale)).toEqual([15, 5, 0, 30, 20, 25]);
  // Off the grid a key goes to the grid, as the slider does.
  expect(positionsAround(12, scale).slice(0, 2)).toEqual([15, 5]);
  expect(positionsAround(0, scale)).toEqual([5, 30, 10, 15, 20, 25]);
});
