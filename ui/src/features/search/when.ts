/** An instant as a person types it: `yesterday 14:00`, `2h ago`, `2026-11-20`, `#824`. Pure. */

/** What was typed, as a command takes it. */
export interface When {
  /** RFC 3339 in UTC, or the number of an operation. */
  at: string;
  /** True if it is the number of an operation. */
  operation: boolean;
}

/** Milliseconds of each unit, with its words in the languages of the window. */
const UNITS: readonly [number, RegExp][] = [
  [60_000, /^(?:m|min|mins|minutes?|分|分鐘|분)$/],
  [3_600_000, /^(?:h|hours?|時間|小時|시간)$/],
  [86_400_000, /^(?:d|days?|日|天|일)$/],
  [7 * 86_400_000, /^(?:w|weeks?|週間|週|주)$/],
];
/** Days before today, by their words. */
const DAYS: readonly [number, RegExp][] = [
  [0, /^(?:today|今日|今天|오늘)$/],
  [1, /^(?:yesterday|昨日|昨天|어제)$/],
];
const AGO = /^(\d{1,4})\s*(\p{L}+?)\s*(?:ago|前|전)?$/u;
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME = /^(\d{1,2}):(\d{2})$/;
const ZONED = /^\d{4}-\d{2}-\d{2}T\S+(?:Z|[+-]\d{2}:\d{2})$/i;

/** Midnight of a typed day in the zone of the window; null for what is no day. */
function dayOf(text: string, now: Date): Date | null {
  const named = DAYS.find(([, words]) => words.test(text));
  if (named) return new Date(now.getFullYear(), now.getMonth(), now.getDate() - named[0]);
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return null;
  const made = new Date(year, month - 1, day);
  return made.getMonth() === month - 1 && made.getDate() === day ? made : null;
}

function instantOf(text: string, now: Date): Date | null {
  if (ZONED.test(text)) return new Date(text);
  const ago = AGO.exec(text);
  const unit = ago && UNITS.find(([, words]) => words.test(ago[2] ?? ""));
  if (ago && unit) return new Date(now.getTime() - Number(ago[1]) * unit[0]);
  const parts = text.split(/\s+/);
  if (parts.length > 2) return null;
  const last = TIME.exec(parts.at(-1) ?? "");
  const clock = last?.slice(1).map(Number);
  if (!clock) return parts.length === 1 ? dayOf(text, now) : null;
  const day = parts.length === 2 ? dayOf(parts[0] ?? "", now) : dayOf("today", now);
  const [hours = 0, minutes = 0] = clock;
  if (!day || hours > 23 || minutes > 59) return null;
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours, minutes);
}

/** Reads what was typed. Null for what is no instant, and for one that has not come yet. */
export function whenOf(typed: string, now: number): When | null {
  const text = typed.trim().toLowerCase();
  const number = /^#(\d{1,15})$/.exec(text);
  if (number?.[1]) return { at: number[1], operation: true };
  const instant = instantOf(ZONED.test(typed.trim()) ? typed.trim() : text, new Date(now));
  if (!instant || Number.isNaN(instant.getTime()) || instant.getTime() > now) return null;
  return { at: instant.toISOString(), operation: false };
}
