/** The geometry of the chart: scales, ticks, paths. Pure; all lengths in pixels. */
import type { ContextShow, SimulatedLine, Simulation } from "@/bindings";

/** The plot's place in the picture. */
export interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Room around the plot. */
const MARGIN = { left: 46, right: 34, top: 18, bottom: 24 };

/** The plot of a picture of this size. What is drawn below the chart on the same axis of requests takes the same width. */
export function plotOf(width: number, height: number): Plot {
  return { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
}

/** Maps requests and tokens to pixels. */
export interface Scales {
  /** Centre of a request. */
  x: (index: number) => number;
  /** Height of a number of tokens. */
  y: (tokens: number) => number;
  /** The request nearest to a place. */
  indexAt: (x: number) => number;
}

/** Makes the scales for `count` requests and up to `most` tokens. */
export function scalesOf(plot: Plot, count: number, most: number): Scales {
  const last = Math.max(1, count - 1);
  const width = plot.right - plot.left;
  return {
    x: (index) => plot.left + (index / last) * width,
    y: (tokens) => plot.bottom - (tokens / Math.max(1, most)) * (plot.bottom - plot.top),
    indexAt: (x) => Math.max(0, Math.min(count - 1, Math.round(((x - plot.left) / Math.max(1, width)) * last))),
  };
}

/** Round numbers from 0 to at least `most`, about `wanted` of them. */
export function ticksOf(most: number, wanted = 4): number[] {
  const rough = Math.max(most, 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((unit) => unit * power).find((unit) => unit >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let at = 0; at < most + step; at += step) ticks.push(at);
  return ticks;
}

/** Requests that get a label below the plot. */
export function requestTicks(count: number): number[] {
  if (count <= 1) return [0];
  return [...new Set([0, Math.floor((count - 1) / 2), count - 1])];
}

/** Points of a line. */
type Points = readonly (readonly [number, number])[];

/**
 * Leaves out what no eye can see: of the points in one pixel's width only the first, the lowest, the highest and the last
 * stay, so that no peak is lost.
 */
export function thin(points: Points, perPixel = 4): Points {
  const first = points[0];
  const last = points[points.length - 1];
  if (!first || !last || points.length <= perPixel * Math.max(1, last[0] - first[0])) return points;
  const out: (readonly [number, number])[] = [];
  let from = 0;
  for (let at = 1; at <= points.length; at += 1) {
    if (at < points.length && Math.floor(points[at]![0]) === Math.floor(points[from]![0])) continue;
    const column = points.slice(from, at).map((point, place) => ({ point, place: from + place }));
    const byHeight = [...column].sort((a, b) => a.point[1] - b.point[1]);
    const kept = new Set([column[0], byHeight[0], byHeight[byHeight.length - 1], column[column.length - 1]]);
    out.push(...column.filter((one) => kept.has(one)).map(({ point }) => point));
    from = at;
  }
  return out;
}

/** A length with at most one decimal. */
const tenth = (length: number) => Math.round(length * 10) / 10;
const coordinates = (points: Points) => points.map(([x, y]) => `${tenth(x)} ${tenth(y)}`).join("L");

/** A line through values, one a request. */
export function linePath(values: readonly number[], { x, y }: Scales): string {
  if (values.length === 0) return "";
  const points = values.map((value, index) => [x(index), y(value)] as const);
  // A lone request is a point; a short stroke shows it.
  if (points.length === 1) return `M${coordinates(points)}h4`;
  return `M${coordinates(thin(points))}`;
}

/** The area between two lines. */
export function areaPath(lower: readonly number[], upper: readonly number[], { x, y }: Scales): string {
  if (upper.length === 0) return "";
  const there = thin(upper.map((value, index) => [x(index), y(value)] as const));
  const back = thin(lower.map((value, index) => [x(index), y(value)] as const));
  return `M${coordinates(there)}L${coordinates([...back].reverse())}Z`;
}

/** Something at a request that the chart marks. */
export interface Mark {
  /** `clearing`: results or inputs; `thinking`: only thinking; the others as named. */
  mark: "clearing" | "thinking" | "compaction" | "regret" | "recorded";
  /** The request. */
  index: number;
}

/** Chart line of a simulation: the same as the program answers where only lines are asked for. */
export function lineOf({ requests, compactions, regrets }: Simulation): SimulatedLine {
  const line: SimulatedLine = {
    after: requests.map(({ after }) => after),
    cleared: [],
    thinking: [],
    compacted: compactions.map(({ request }) => request),
    needed_again: [...new Set(regrets.map(({ needed_at }) => needed_at))].sort((a, b) => a - b),
  };
  let turns = 0;
  for (const request of requests) {
    const cleared = request.cleared_tool_use_ids.length + request.cleared_tool_inputs.length > 0;
    if (cleared) line.cleared.push(request.index);
    else if (request.cleared_thinking_turns > turns) line.thinking.push(request.index);
    turns = request.cleared_thinking_turns;
  }
  return line;
}

/** Marks of a variant's effects and regrets, and what happened while the transcript was written. In order. */
export function marksOf(show: ContextShow, line: SimulatedLine | null): Mark[] {
  const all = (mark: Mark["mark"], indexes: readonly number[]) => indexes.map((index): Mark => ({ mark, index }));
  const recorded = show.events.map((event) => event.before_request);
  return [
    ...all("recorded", recorded),
    ...(line
      ? [
          ...all("clearing", line.cleared),
          ...all("thinking", line.thinking),
          ...all("compaction", line.compacted),
          ...all("regret", line.needed_again),
        ]
      : []),
  ].sort((a, b) => a.index - b.index);
}

/** Distance beyond the lines at which a limit is still be drawn; further away it would press the lines flat. */
const LIMIT_IN_VIEW = 1.6;

/** The top of the chart: above all lines, and above the limits that lie near. */
export function topOf(lines: readonly (readonly number[])[], limits: readonly (number | null)[]): number {
  const highest = lines.reduce((most, values) => values.reduce((a, b) => Math.max(a, b), most), 1);
  const near = limits.filter((limit): limit is number => limit !== null && limit <= highest * LIMIT_IN_VIEW);
  return Math.max(highest, ...near);
}

/** Moves the cursor by a key; null for keys that do not move it. Shift goes to the next mark. */
export function moveCursor(
  index: number,
  count: number,
  key: string,
  shift: boolean,
  marks: readonly Mark[],
): number | null {
  const inside = (to: number) => Math.max(0, Math.min(count - 1, to));
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return inside(shift ? (marks.find((mark) => mark.index > index)?.index ?? index) : index + 1);
    case "ArrowLeft":
    case "ArrowDown":
      return inside(shift ? (marks.findLast((mark) => mark.index < index)?.index ?? index) : index - 1);
    case "PageUp":
      return inside(index + Math.max(1, Math.round(count / 10)));
    case "PageDown":
      return inside(index - Math.max(1, Math.round(count / 10)));
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

/** Spreads labels so that none lies over another, keeping their order; `gap` is the height of one. */
export function spread(wanted: readonly number[], gap: number): number[] {
  const order = wanted.map((y, at) => ({ y, at })).sort((a, b) => a.y - b.y);
  const out = [...wanted];
  let last = -Infinity;
  for (const { y, at } of order) {
    last = Math.max(y, last + gap);
    out[at] = last;
  }
  return out;
}

/** Round numbers between two, both ends included: for an axis that does not begin at 0. */
export function ticksBetween(least: number, most: number, wanted = 4): number[] {
  const [, step = 1] = ticksOf(Math.max(most - least, Number.EPSILON), wanted);
  const ticks: number[] = [];
  for (let at = Math.ceil(least / step) * step; at <= most + step * 1e-9; at += step) ticks.push(at);
  return ticks;
}
