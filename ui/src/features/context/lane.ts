/** The lane below the chart: where on the chart's axis of requests a file was present. Pure; all lengths in pixels. */
import type { LaneFile, LaneSpan } from "@/bindings";
import type { Plot, Scales } from "./chart";

/** A stretch of the lane. */
export interface Stretch {
  span: LaneSpan;
  x: number;
  width: number;
}

/** No stretch is drawn narrower. */
const NARROWEST = 2;

/** The stretches of a file. Each request has the room around its centre, the first and the last half of it. */
export function stretches(spans: readonly LaneSpan[], plot: Plot, { x }: Pick<Scales, "x">, count: number): Stretch[] {
  const half = count > 1 ? (x(1) - x(0)) / 2 : plot.right - plot.left;
  const within = (at: number) => Math.max(plot.left, Math.min(plot.right, at));
  return spans.map((span) => {
    const from = within(x(span.from) - half);
    const width = Math.max(NARROWEST, within(x(span.to) + half) - from);
    return { span, x: Math.min(from, plot.right - NARROWEST), width };
  });
}

/** The stretch of a file at a request; null where it was absent. */
export function spanAt({ spans }: Pick<LaneFile, "spans">, request: number): LaneSpan | null {
  return spans.find(({ from, to }) => from <= request && request <= to) ?? null;
}

/** Files that the lane shows before somebody asks for more. */
export const FIRST_ROWS = 6;

/** The most tokens that a request had of a file. */
export const mostTokens = ({ spans }: Pick<LaneFile, "spans">) => Math.max(0, ...spans.map(({ tokens }) => tokens));
