/** Parts that the chart is drawn of: axes, limits, curves, and marks. */
import { useLingui } from "@lingui/react/macro";
import { memo, useMemo } from "react";
import type { ContextShow, SimulatedLine } from "@/bindings";
import { useFormat } from "@/shared/format";
import { areaPath, linePath, type Mark, type Plot, requestTicks, type Scales, spread, ticksOf } from "./chart";
import type { Letter } from "./lab";
import { drawnMarks, labelBox, labelWidth, type Place, regretLabels } from "./labels";
import { partKey, stackOf, tonesOf } from "./parts";
import partsCss from "./parts.module.css";
import { classes } from "@/shared/classes";
import css from "./chart.module.css";

/** A line of the chart. */
export interface ChartLine {
  /** Letter of the variant. */
  letter: Letter;
  /** Its name as shown. */
  name: string;
  /** Its line. */
  line: SimulatedLine;
}

/** Scale of tokens and of requests. */
export const Axes = memo(function Axes({
  plot,
  scales,
  top,
  count,
}: {
  plot: Plot;
  scales: Scales;
  top: number;
  count: number;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const wide = plot.right - plot.left;
  return (
    <g className={css.chartAxes}>
      {ticksOf(top)
        .filter((tick) => tick <= top * 1.02)
        .map((tick) => (
          <g key={tick}>
            <path className={css.chartGrid} d={`M${plot.left} ${scales.y(tick).toFixed(1)}h${wide}`} />
            <text x={plot.left - 7} y={scales.y(tick) + 4} textAnchor="end">
              {format.compact(tick)}
            </text>
          </g>
        ))}
      {requestTicks(count).map((index, at) => (
        <text
          key={index}
          x={scales.x(index)}
          y={plot.bottom + 17}
          textAnchor={at === 0 ? "start" : index === count - 1 ? "end" : "middle"}
        >
          {at === 0 ? t`request ${format.number(index + 1)}` : format.number(index + 1)}
        </text>
      ))}
    </g>
  );
});

/** A limit with its label, and where that stands. */
export interface LimitLabel {
  kind: "window" | "trigger";
  y: number;
  label: string;
  place: Place;
}

/** A line that a limit draws across. */
export function Limit({ plot, limit }: { plot: Plot; limit: LimitLabel }) {
  return (
    <g className={classes(css.chartLimit, css[`chart-limit-${limit.kind}`])}>
      <path d={`M${plot.left} ${limit.y.toFixed(1)}H${plot.right}`} />
      <text {...limit.place}>{limit.label}</text>
    </g>
  );
}

/** Shape of a mark. */
export function MarkShape({
  mark,
  x,
  y,
  base,
  small = false,
}: {
  mark: Mark["mark"];
  x: number;
  y: number;
  base: number;
  small?: boolean;
}) {
  switch (mark) {
    case "clearing":
      return <circle className={css.markClearing} cx={x} cy={y} r={4} />;
    case "thinking":
      return <circle className={css.markThinking} cx={x} cy={y} r={2.2} />;
    case "compaction":
      return <rect className={css.markCompaction} x={x - 4} y={y - 4} width={8} height={8} />;
    case "regret":
      return small ? (
        <path className={css.markRegretHead} d={`M${x} ${y - 13}l3 4-3 4-3-4Z`} />
      ) : (
        <g className={css.markRegret}>
          <path d={`M${x} ${y - 3}v${-11}`} />
          <path className={css.markRegretHead} d={`M${x} ${y - 20}l5 5-5 5-5-5Z`} />
        </g>
      );
    case "recorded":
      return <path className={css.markRecorded} d={`M${x - 4} ${base + 7}l4-6 4 6Z`} />;
  }
}

/** What each context was made of, stacked from below. It stays what ran, whatever a variant does. */
const Areas = memo(function Areas({ show, scales }: { show: ContextShow; scales: Scales }) {
  const stack = useMemo(() => stackOf(show.parts), [show.parts]);
  const tones = useMemo(() => tonesOf(show.parts), [show.parts]);
  const ground = show.requests.map(() => 0);
  return (
    <>
      {show.parts.map((part, at) => {
        const shape = areaPath(stack[at - 1] ?? ground, stack[at]!, scales);
        return (
          <g key={partKey(part)} data-testid="band" data-part={partKey(part).trim()}>
            <path className={classes(partsCss.band, tones.get(partKey(part)))} d={shape} />
            {part.class === "not_recorded" && <path className={css.bandUnknownLines} d={shape} />}
          </g>
        );
      })}
    </>
  );
});

const Line = memo(function Line({
  letter,
  line,
  chosen,
  alone,
  scales,
}: {
  letter: Letter;
  line: SimulatedLine;
  chosen: boolean;
  /** True if there is no other line to be told from. */
  alone: boolean;
  scales: Scales;
}) {
  const d = linePath(line.after, scales);
  return (
    <>
      {!alone && <path className={css.lineCasing} d={d} />}
      <path
        className={classes(css.chartLine, alone ? css.lineAlone : css[`line-${letter}`], chosen && "is-chosen")}
        data-testid={`line-${letter}`}
        d={d}
      />
    </>
  );
});

/** The lines and areas; they do not change when only the cursor moves. */
export const Curves = memo(function Curves({
  show,
  lines,
  chosen,
  scales,
  plot,
}: {
  show: ContextShow;
  lines: readonly ChartLine[];
  chosen: Letter;
  scales: Scales;
  plot: Plot;
}) {
  const ends = spread(
    lines.map(({ line }) => scales.y(line.after.at(-1) ?? 0)),
    14,
  );
  return (
    <g>
      <defs>
        <pattern id="not-recorded" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path className={css.hatch} d="M0 0v6" />
        </pattern>
      </defs>
      <Areas show={show} scales={scales} />
      {[...lines]
        .sort((a, b) => Number(a.letter === chosen) - Number(b.letter === chosen))
        .map(({ letter, line }) => (
          <Line
            key={letter}
            letter={letter}
            line={line}
            chosen={letter === chosen}
            alone={lines.length === 1}
            scales={scales}
          />
        ))}
      {lines.length > 1 &&
        lines.map(({ letter }, at) => (
          <text
            key={letter}
            className={classes(css.lineEnd, css[`end-${letter}`])}
            x={plot.right + 8}
            y={(ends[at] ?? 0) + 4}
          >
            {letter}
          </text>
        ))}
    </g>
  );
});

/** What the label of a limit covers. */
export const limitBox = ({ place, label }: LimitLabel) => labelBox(place, labelWidth(label));

/** Marks at requests; it does not change when only the cursor moves. */
export const Marks = memo(function Marks({
  marks,
  values,
  scales,
  plot,
  limits,
}: {
  marks: readonly Mark[];
  values: readonly number[];
  scales: Scales;
  plot: Plot;
  limits: readonly LimitLabel[];
}) {
  const { t } = useLingui();
  const { x, y } = scales;
  const { drawn, small } = drawnMarks(marks);
  const label = t`needed again`;
  const labelled = regretLabels(marks, values, scales, plot, labelWidth(label), limits.map(limitBox));
  return (
    <g>
      {drawn.map(({ mark, index }, at) => (
        <MarkShape key={at} mark={mark} x={x(index)} y={y(values[index] ?? 0)} base={plot.bottom} small={small} />
      ))}
      {labelled.map(({ index, place }) => (
        <text key={index} className={css.markRegretLabel} {...place}>
          {label}
        </text>
      ))}
    </g>
  );
});
