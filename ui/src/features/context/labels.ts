/** Where the labels of the chart stand: on no mark, and not on each other. Pure; all lengths in pixels. */
import type { Mark, Plot, Scales } from "./chart";

/** A part of the picture. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where a text begins or ends, on its base line. */
export interface Place {
  x: number;
  y: number;
  textAnchor: "start" | "end";
}

/** With more regrets than this their marks are drawn small. */
const MANY_REGRETS = 20;
/** With thinking cleared at more requests than this there is no mark for each; the legend gives their number. */
const MANY_THINKING = 80;
/** So many labels of regrets say it; the legend says the rest. */
const MAX_LABELS = 3;
/** Room that a letter takes: one of Latin, and one of a language that writes in squares. */
const LETTER = 6.4;
const SQUARE = 11.5;
/** Height of a text above its base line, and below. */
const ASCENT = 10;
const DESCENT = 3;
/** From a base line to the next. */
const LINE = 15;

/** The marks that are drawn, and if those of regrets are small. */
export function drawnMarks(marks: readonly Mark[]): { drawn: readonly Mark[]; small: boolean } {
  const number = (of: Mark["mark"]) => marks.filter(({ mark }) => mark === of).length;
  const drawn = number("thinking") > MANY_THINKING ? marks.filter(({ mark }) => mark !== "thinking") : marks;
  return { drawn, small: number("regret") > MANY_REGRETS };
}

/** What a mark covers. */
function markBox(mark: Mark["mark"], x: number, y: number, base: number, small: boolean): Box {
  const around = (room: number) => ({ left: x - room, right: x + room, top: y - room, bottom: y + room });
  switch (mark) {
    case "clearing":
    case "compaction":
      return around(5);
    case "thinking":
      return around(3);
    case "regret":
      return small
        ? { left: x - 3, right: x + 3, top: y - 13, bottom: y - 5 }
        : { left: x - 6, right: x + 6, top: y - 21, bottom: y - 3 };
    case "recorded":
      return { left: x - 5, right: x + 5, top: base, bottom: base + 8 };
  }
}

/** What the marks cover. */
export function markBoxes(marks: readonly Mark[], values: readonly number[], { x, y }: Scales, plot: Plot): Box[] {
  const { drawn, small } = drawnMarks(marks);
  return drawn.map(({ mark, index }) => markBox(mark, x(index), y(values[index] ?? 0), plot.bottom, small));
}

/** What lies below the line, request by request: a text on it would be read badly. */
export function areaBoxes(values: readonly number[], { x, y }: Scales, plot: Plot): Box[] {
  const half = (x(1) - x(0)) / 2;
  return values.map((value, index) => ({
    left: x(index) - half,
    right: x(index) + half,
    top: y(value),
    bottom: plot.bottom,
  }));
}

/** About how wide a label is. */
export function labelWidth(text: string): number {
  return [...text].reduce((width, letter) => width + (letter >= "\u2e80" ? SQUARE : LETTER), 0);
}

/** What a label covers, of so many lines. */
export function labelBox({ x, y, textAnchor }: Place, width: number, lines = 1): Box {
  const left = textAnchor === "end" ? x - width : x;
  return { left, right: left + width, top: y - ASCENT, bottom: y + DESCENT + (lines - 1) * LINE };
}

const meet = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The first of some places where a label lies on nothing that is taken and stays within the plot; null where none does. */
export function freePlace(
  places: readonly Place[],
  width: number,
  taken: readonly Box[],
  plot: Plot,
  lines = 1,
): Place | null {
  const fits = (box: Box) => box.left >= plot.left && box.right <= plot.right && box.top >= 0;
  const free = places.find((place) => {
    const box = labelBox(place, width, lines);
    return fits(box) && !taken.some((other) => meet(box, other));
  });
  return free ?? null;
}

/** Where the label of a limit may stand, the best first: above its line, below it, at the left and at the right. */
export function limitPlaces(plot: Plot, y: number): Place[] {
  const sides = [
    { x: plot.left + 6, textAnchor: "start" as const },
    { x: plot.right - 6, textAnchor: "end" as const },
  ];
  return [y - 4, y + 13].flatMap((base) => sides.map((side) => ({ ...side, y: base })));
}

/** Where a label may stand beside a point, the best first: on the side with more room, on the other, above and below. */
export function placesBeside(x: number, y: number, plot: Plot): Place[] {
  const right = { x: x + 9, textAnchor: "start" as const };
  const left = { x: x - 9, textAnchor: "end" as const };
  const sides = x > (plot.left + plot.right) / 2 ? [left, right] : [right, left];
  return [y, y - 16, y + 18, y - 32, y + 34, y - 48].flatMap((base) => sides.map((side) => ({ ...side, y: base })));
}

/** Labels of regrets, each beside its mark. One without room is left out: the mark and the legend say it too. */
export function regretLabels(
  marks: readonly Mark[],
  values: readonly number[],
  scales: Scales,
  plot: Plot,
  width: number,
  taken: readonly Box[],
): { index: number; place: Place }[] {
  const over = [...taken, ...markBoxes(marks, values, scales, plot)];
  const labels: { index: number; place: Place }[] = [];
  for (const { index } of marks.filter(({ mark }) => mark === "regret")) {
    if (labels.length === MAX_LABELS) break;
    const places = placesBeside(scales.x(index), scales.y(values[index] ?? 0) - 12, plot).slice(0, 4);
    const place = freePlace(places, width, over, plot);
    if (!place) continue;
    labels.push({ index, place });
    over.push(labelBox(place, width));
  }
  return labels;
}
