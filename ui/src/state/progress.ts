/** Long work that the program reports on. */
import type { Event } from "@/bindings";
import { observable, useObservable } from "./observable";

/** One report. */
export type Progress = Extract<Event, { type: "progress" }>;

const current = observable<Progress | null>(null);

/** Takes a report; work that is done disappears. */
export function setProgress(report: Progress): void {
  current.set(report.total !== null && report.done >= report.total ? null : report);
}

/** The work that is going on, if any. */
export function useProgress(): Progress | null {
  return useObservable(current);
}
