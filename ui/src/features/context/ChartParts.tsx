/** Parts that the chart is drawn of: axes, limits, curves, and marks. */
import { useLingui } from "@lingui/react/macro";
import { memo, useMemo } from "react";
import type { ContextShow, SimulatedLine } from "@/bindings";
import { useFormat } from "@/shared/format";
import { areaPath, linePath, type Mark, type Plot, requestTicks, type Scales, spread, ticksOf } from "./chart";
import type { Letter } from "./lab";
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

/** Room that the label of a regret takes, in pixels; it stands only where no other mark needs the place. */
const LABEL_ROOM = 92;
/** With more regrets than this their marks are drawn small. */
const MANY_REGRETS = 20;
/** With thinking cleared at more requests than this there is no mark for each; the legend gives their number. */
const MANY_THINKING = 80;
/** So many labels say it; the legend says the rest. */
const MAX_LABELS = 3;
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

/** A line that a limit draws across. */
export function Limit({ plot, y, label, kind }: { plot: Plot; y: number; label: string; kind: string }) {
  return (
    <g className={classes(css.chartLimit, css[`chart-limit-${kind}`])}>
      <path d={`M${plot.left} ${y.toFixed(1)}H${plot.right}`} />
      <text x={plot.left + 6} y={y - 4}>
        {label}
      </text>
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

/** Marks at requests; it does not change when only the cursor moves. */
export const Marks = memo(function Marks({
  marks,
  values,
  scales,
  plot,
}: {
  marks: readonly Mark[];
  values: readonly number[];
  scales: Scales;
  plot: Plot;
}) {
  const { t } = useLingui();
  const { x, y } = scales;
  const heightOf = (index: number) => y(values[index] ?? 0);
  const regrets = marks.filter(({ mark }) => mark === "regret");
  const thinking = marks.filter(({ mark }) => mark === "thinking");
  const drawn = thinking.length > MANY_THINKING ? marks.filter(({ mark }) => mark !== "thinking") : marks;
  const middle = values.length / 2;
  const labelled = regrets
    .filter(({ index }) =>
      regrets.every((other) => other.index === index || Math.abs(x(other.index) - x(index)) > LABEL_ROOM),
    )
    .slice(0, MAX_LABELS);
  return (
    <g>
      {drawn.map(({ mark, index }, at) => (
        <MarkShape
          key={at}
          mark={mark}
          x={x(index)}
          y={heightOf(index)}
          base={plot.bottom}
          small={regrets.length > MANY_REGRETS}
        />
      ))}
      {labelled.map(({ index }) => (
        <text
          key={index}
          className={css.markRegretLabel}
          x={x(index) + (index > middle ? -9 : 9)}
          y={heightOf(index) - 12}
          textAnchor={index > middle ? "end" : "start"}
        >
          {t`needed again`}
        </text>
      ))}
    </g>
  );
});
