/** Daily logs by day. Pure. */
import type { Memory } from "@/bindings";

/** A day that has logs. */
export interface LogDay {
  /** `YYYY-MM-DD` */
  day: string;
  /** Its logs, by path. */
  logs: Memory[];
  /** Bytes of all of them. */
  bytes: number;
}

/** Steps of the mark beside a day: how much was written, compared with the fullest day. */
export const LEVELS = 4;

/** The days that have logs, in order. Logs whose day is not known are in none. */
export function logDays(memories: readonly Memory[]): LogDay[] {
  const days = new Map<string, LogDay>();
  for (const memory of memories) {
    const { day } = memory.kind;
    if (memory.kind.class !== "daily_log" || day === null) continue;
    const known = days.get(day) ?? { day, logs: [], bytes: 0 };
    known.logs.push(memory);
    known.bytes += memory.content_size_bytes ?? 0;
    days.set(day, known);
  }
  for (const { logs } of days.values()) logs.sort((a, b) => (a.path ?? "").localeCompare(b.path ?? ""));
  return [...days.values()].sort((a, b) => a.day.localeCompare(b.day));
}

/** Level of a day against the fullest, from 1 to [`LEVELS`]. Even a little is seen. */
export function levelOf(bytes: number, most: number): number {
  if (most <= 0) return 1;
  return Math.max(1, Math.min(LEVELS, Math.ceil((bytes / most) * LEVELS)));
}
