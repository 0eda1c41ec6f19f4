import { renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { add, choose, edit, put, remove, resetBench, useBench } from "./lab";

const bench = () => renderHook(() => useBench()).result.current;
const names = () => bench().variants.map(({ letter, name }) => `${letter} ${name}`.trim());

beforeEach(resetBench);

it("always holds the variant without editing, which cannot be changed", () => {
  edit("A", { name: "mine", config: { edits: [1] } });
  remove("A");
  expect(bench().variants[0]).toEqual({ letter: "A", name: "", config: {} });
});

it("holds up to four, gives the first free letter, and chooses what was added", () => {
  expect(add({ name: "c", config: {} })).toBe(true);
  expect(add({ name: "d", config: {} })).toBe(true);
  expect(add({ name: "e", config: {} })).toBe(false);
  expect(names()).toEqual(["A", "B", "C c", "D d"]);
  expect(bench().chosen).toBe("D");
  remove("C");
  add({ name: "again", config: {} });
  expect(names()).toEqual(["A", "B", "C again", "D d"]);
});

it("chooses the one before when the chosen one goes", () => {
  add({ name: "c", config: {} });
  remove("C");
  expect(bench().chosen).toBe("B");
  remove("B");
  expect(bench().chosen).toBe("A");
});

it("puts a saved variant in the chosen place when all are taken, and never in that of no editing", () => {
  add({ name: "c", config: {} });
  add({ name: "d", config: {} });
  choose("B");
  put({ name: "saved", config: {} });
  choose("A");
  put({ name: "other", config: {} });
  expect(names()).toEqual(["A", "B saved", "C c", "D other"]);
});
