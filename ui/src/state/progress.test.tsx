/** Reports of long work: each under its name, gone when it ends. */
import { renderHook, act } from "@testing-library/react";
import { expect, test } from "vitest";
import { endProgress, type Progress, setProgress, useProgress } from "./progress";

const report = (task: string, done: number, total: number | null = 10): Progress => ({
  type: "progress",
  task,
  done,
  total,
});

test("two works at once are told apart, and the last report is the one that is shown", () => {
  const any = renderHook(() => useProgress());
  const first = renderHook(() => useProgress("first"));
  act(() => setProgress(report("first", 1)));
  act(() => setProgress(report("second", 5)));
  expect(any.result.current?.task).toBe("second");
  expect(first.result.current?.done).toBe(1);
  act(() => setProgress(report("second", 10)));
  expect(any.result.current?.task).toBe("first");
  act(() => setProgress(report("first", 10)));
  expect(any.result.current).toBeNull();
});

test("work that was stopped stays away, whatever is still reported of it", () => {
  const any = renderHook(() => useProgress());
  act(() => setProgress(report("stopped", 1, null)));
  act(() => endProgress("stopped"));
  act(() => setProgress(report("stopped", 2, null)));
  expect(any.result.current).toBeNull();
});
