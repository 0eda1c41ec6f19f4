/** The axis of the time machine: where marks stand, and which one is nearest. Pure. */
import type { ActivityMark } from "@/bindings";

/** A mark with its place. */
export interface PlacedMark {
  /** The mark. */
  mark: ActivityMark;
  /** Place from 0 (the first mark) to 1 (now). */
  x: number;
  /** Height from 0 to 1: more changes, higher, on a logarithmic scale so that a baseline does not flatten the rest. */
  height: number;
}

/** Memories a mark touched. */
export function sizeOf(mark: ActivityMark): number {
  return mark.created + mark.modified + mark.deleted;
}

/** Places marks between the first one and now, by time. */
export function placeMarks(marks: readonly ActivityMark[], now: number): PlacedMark[] {
  const times = marks.map(({ at }) => new Date(at).getTime());
  const start = Math.min(...times);
  const span = Math.max(now, ...times) - start || 1;
  const largest = Math.max(1, ...marks.map(sizeOf));
  return marks.map((mark, at) => ({
    mark,
    x: (times[at]! - start) / span,
    height: Math.log1p(sizeOf(mark)) / Math.log1p(largest),
  }));
}

/** The place in the list of the mark nearest to `x`; -1 for none. */
export function nearest(marks: readonly PlacedMark[], x: number): number {
  let best = -1;
  marks.forEach((mark, at) => {
    if (best < 0 || Math.abs(mark.x - x) <= Math.abs(marks[best]!.x - x)) best = at;
  });
  return best;
}

/** Where a key leads from the mark at `index` (-1: now, past the last); null when the key means nothing here. */
export function stepFrom(count: number, index: number, key: string): number | null {
  const at = index < 0 ? count : index;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, at - 1);
    case "ArrowRight":
    case "ArrowUp":
      return at + 1 >= count ? -1 : at + 1;
    case "PageDown":
      return Math.max(0, at - 10);
    case "PageUp":
      return at + 10 >= count ? -1 : at + 10;
    case "Home":
      return 0;
    case "End":
      return -1;
    default:
      return null;
  }
}
