import { expect, test } from "vitest";
import { whenOf } from "./when";

const NOW = new Date(2026, 10, 23, 15, 30).getTime();
const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).toISOString();

test.each([
  ["yesterday", local(2026, 10, 22)],
  ["Yesterday 14:00", local(2026, 10, 22, 14, 0)],
  ["今日 9:05", local(2026, 10, 23, 9, 5)],
  ["昨天 09:05", local(2026, 10, 22, 9, 5)],
  ["어제", local(2026, 10, 22)],
  ["14:00", local(2026, 10, 23, 14, 0)],
  ["2026-11-20", local(2026, 10, 20)],
  ["2026-11-20 8:15", local(2026, 10, 20, 8, 15)],
  ["2h ago", new Date(NOW - 7_200_000).toISOString()],
  ["2 hours ago", new Date(NOW - 7_200_000).toISOString()],
  ["30 min", new Date(NOW - 1_800_000).toISOString()],
  ["2時間前", new Date(NOW - 7_200_000).toISOString()],
  ["2시간 전", new Date(NOW - 7_200_000).toISOString()],
  ["3 天前", new Date(NOW - 3 * 86_400_000).toISOString()],
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000Z"],
])("%s is an instant", (typed, at) => {
  expect(whenOf(typed, NOW)).toEqual({ at, operation: false });
});

test("a number of an operation", () => {
  expect(whenOf("#824", NOW)).toEqual({ at: "824", operation: true });
});

test.each([
  "",
  "soon",
  "2026-02-30",
  "25:00",
  "yesterday noon",
  "16:00",
  "2027-01-01",
  "9999999 d",
  "#",
  "1 2 3",
  "١٢:٠٠",
])("%s is no instant that has come", (typed) => {
  expect(whenOf(typed, NOW)).toBeNull();
});
