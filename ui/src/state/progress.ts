/** Long work that the program reports on. */
import type { Event } from "@/bindings";
import { observable, useObservable } from "./observable";

/** One report. */
export type Progress = Extract<Event, { type: "progress" }>;

/** The last report of each work, the one reported on last at the end. */
const running = observable<ReadonlyMap<string, Progress>>(new Map());

/** Work that ended before its end; reports of it may still be on their way. Names of work are never used again. */
const ended = new Set<string>();

/** Takes a report; work that is done disappears. */
export function setProgress(report: Progress): void {
  if (ended.has(report.task)) return;
  const next = new Map(running.get());
  next.delete(report.task);
  if (report.total === null || report.done < report.total) next.set(report.task, report);
  running.set(next);
}

/** Forgets work that ended before its end. */
export function endProgress(task: string): void {
  ended.add(task);
  if (!running.get().has(task)) return;
  const next = new Map(running.get());
  next.delete(task);
  running.set(next);
}

/** The work of a name, or that which reported last, if any is going on. */
export function useProgress(task?: string | null): Progress | null {
  const all = useObservable(running);
  if (task !== undefined) return (task !== null && all.get(task)) || null;
  return [...all.values()].at(-1) ?? null;
}
