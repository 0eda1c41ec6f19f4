/**
 * Context per request: a line for each variant, the chosen one filled with what it is made of, limits, and marks for what
 * was cleared, compacted, and needed again. Drawn as SVG, so that it keeps to the content security policy, grows with the
 * text of the window, and can be read by other programs. Nothing in it is said by colour alone.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, memo, type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ContextShow, SimulatedLine } from "@/bindings";
import { useFormat } from "@/shared/format";
import {
  areaPath,
  bandsOf,
  linePath,
  type Mark,
  marksOf,
  moveCursor,
  type Plot,
  requestTicks,
  type Scales,
  scalesOf,
  spread,
  ticksOf,
  topOf,
} from "./chart";
import type { Letter } from "./lab";

/** A line of the chart. */
export interface ChartLine {
  /** Letter of the variant. */
  letter: Letter;
  /** Its name as shown. */
  name: string;
  /** Its line. */
  line: SimulatedLine;
}

/** Props of the chart. */
export interface ChartProps {
  /** The transcript. */
  show: ContextShow;
  /** The lines, in the order of their letters. */
  lines: readonly ChartLine[];
  /** The variant that is filled and marked. */
  chosen: Letter;
  /** Tokens at which it begins to act. */
  trigger: number | null;
  /** The request under the cursor. */
  cursor: number;
  /** Moves the cursor. */
  onCursor: (index: number) => void;
  /** Opens the messages of a request. */
  onOpen: (index: number) => void;
}

const HEIGHT = 296;
const MARGIN = { left: 46, right: 34, top: 18, bottom: 24 };
/** Room that the label of a regret takes, in pixels; it stands only where no other mark needs the place. */
const LABEL_ROOM = 92;
/** With more regrets than this their marks are drawn small. */
const MANY_REGRETS = 20;
/** With thinking cleared at more requests than this there is no mark for each; the legend gives their number. */
const MANY_THINKING = 80;
/** So many labels say it; the legend says the rest. */
const MAX_LABELS = 3;
const NO_VALUES: readonly number[] = [];

function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = () => setWidth(Math.max(240, box.clientWidth || 640));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

/** Text for the marks of one request. */
function useMarkWords() {
  const { t } = useLingui();
  return (mark: Mark["mark"]) =>
    ({
      clearing: t`clears results`,
      thinking: t`clears thinking`,
      compaction: t`compacts`,
      regret: t`needs again what was cleared`,
      recorded: t`after something was taken out while it was recorded`,
    })[mark];
}

const Axes = memo(function Axes({
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
    <g className="chart-axes">
      {ticksOf(top)
        .filter((tick) => tick <= top * 1.02)
        .map((tick) => (
          <g key={tick}>
            <path className="chart-grid" d={`M${plot.left} ${scales.y(tick).toFixed(1)}h${wide}`} />
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

function Limit({ plot, y, label, kind }: { plot: Plot; y: number; label: string; kind: string }) {
  return (
    <g className={`chart-limit chart-limit-${kind}`}>
      <path d={`M${plot.left} ${y.toFixed(1)}H${plot.right}`} />
      <text x={plot.left + 6} y={y - 4}>
        {label}
      </text>
    </g>
  );
}

function MarkShape({
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
      return <circle className="mark-clearing" cx={x} cy={y} r={4} />;
    case "thinking":
      return <circle className="mark-thinking" cx={x} cy={y} r={2.2} />;
    case "compaction":
      return <rect className="mark-compaction" x={x - 4} y={y - 4} width={8} height={8} />;
    case "regret":
      return small ? (
        <path className="mark-regret-head" d={`M${x} ${y - 13}l3 4-3 4-3-4Z`} />
      ) : (
        <g className="mark-regret">
          <path d={`M${x} ${y - 3}v${-11}`} />
          <path className="mark-regret-head" d={`M${x} ${y - 20}l5 5-5 5-5-5Z`} />
        </g>
      );
    case "recorded":
      return <path className="mark-recorded" d={`M${x - 4} ${base + 7}l4-6 4 6Z`} />;
  }
}

/** The picture of a mark, beside its word in the legend. */
function MarkSwatch({ mark }: { mark: Mark["mark"] }) {
  const place = mark === "regret" ? { x: 7, y: 22 } : { x: 7, y: 7 };
  return (
    <svg className="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden focusable="false">
      <MarkShape mark={mark} {...place} base={3} />
    </svg>
  );
}

const Legend = memo(function Legend({
  lines,
  chosen,
  marks,
}: {
  lines: readonly ChartLine[];
  chosen: Letter;
  marks: readonly Mark[];
}) {
  const { t } = useLingui();
  const words: [Mark["mark"], string][] = [
    ["clearing", t`clearing`],
    ["thinking", t`thinking cleared`],
    ["compaction", t`compaction`],
    ["regret", t`needed again`],
    ["recorded", t`removed while recording`],
  ];
  const bands: [string, string][] = [
    ["conversation", t`conversation and tools`],
    ["unknown", t`not recorded`],
    ["fixed", t`memory + system`],
  ];
  return (
    <ul className="legend" aria-label={t`Legend`}>
      {lines.map(({ letter, name }) => (
        <li key={letter} className={letter === chosen ? "is-chosen" : undefined}>
          <svg className="swatch" viewBox="0 0 22 8" width="22" height="8" aria-hidden focusable="false">
            <path className={`chart-line line-${letter}${letter === chosen ? " is-chosen" : ""}`} d="M0 4h22" />
          </svg>
          {name}
        </li>
      ))}
      {bands.map(([band, word]) => (
        <li key={band}>
          <svg className="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden focusable="false">
            <rect className={`band band-${band}`} width="12" height="12" rx="2" />
          </svg>
          {word}
        </li>
      ))}
      {words
        .filter(([mark]) => marks.some((one) => one.mark === mark))
        .map(([mark, word]) => (
          <li key={mark}>
            <MarkSwatch mark={mark} />
            {word}
            <span className="muted num">{marks.filter((one) => one.mark === mark).length}</span>
          </li>
        ))}
    </ul>
  );
});

/** Composition of the chosen variant, from below. */
const Areas = memo(function Areas({ show, line, scales }: { show: ContextShow; line: SimulatedLine; scales: Scales }) {
  const bands = bandsOf(show, line.after);
  const unknown = areaPath(bands.fixed, bands.notRecorded, scales);
  const ground = bands.fixed.map(() => 0);
  return (
    <>
      <path className="band band-conversation" d={areaPath(bands.notRecorded, bands.all, scales)} />
      <path className="band band-unknown" d={unknown} />
      <path className="band band-unknown-lines" d={unknown} />
      <path className="band band-fixed" d={areaPath(ground, bands.fixed, scales)} />
    </>
  );
});

const Line = memo(function Line({
  letter,
  line,
  chosen,
  scales,
}: {
  letter: Letter;
  line: SimulatedLine;
  chosen: boolean;
  scales: Scales;
}) {
  return (
    <path
      className={`chart-line line-${letter}${chosen ? " is-chosen" : ""}`}
      data-testid={`line-${letter}`}
      d={linePath(line.after, scales)}
    />
  );
});

/** The lines and areas; they do not change when only the cursor moves. */
const Curves = memo(function Curves({
  show,
  lines,
  chosen,
  scales,
  plot,
}: Pick<ChartProps, "show" | "lines" | "chosen"> & { scales: Scales; plot: Plot }) {
  const filled = lines.find(({ letter }) => letter === chosen);
  const ends = spread(
    lines.map(({ line }) => scales.y(line.after.at(-1) ?? 0)),
    14,
  );
  return (
    <g>
      <defs>
        <pattern id="not-recorded" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path className="hatch" d="M0 0v6" />
        </pattern>
      </defs>
      {filled && <Areas show={show} line={filled.line} scales={scales} />}
      {[...lines]
        .sort((a, b) => Number(a.letter === chosen) - Number(b.letter === chosen))
        .map(({ letter, line }) => (
          <Line key={letter} letter={letter} line={line} chosen={letter === chosen} scales={scales} />
        ))}
      {lines.map(({ letter }, at) => (
        <text key={letter} className={`line-end end-${letter}`} x={plot.right + 8} y={(ends[at] ?? 0) + 4}>
          {letter}
        </text>
      ))}
    </g>
  );
});

/** Marks at requests; it does not change when only the cursor moves. */
const Marks = memo(function Marks({
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
          className="mark-regret-label"
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

/** The chart with its legend. */
export function Chart({ show, lines, chosen, trigger, cursor, onCursor, onOpen }: ChartProps) {
  const { t } = useLingui();
  const format = useFormat();
  const say = useMarkWords();
  const { element, width } = useWidth();
  const [hover, setHover] = useState<number | null>(null);
  const count = show.requests.length;
  const top = useMemo(
    () =>
      topOf(
        lines.map(({ line }) => line.after),
        [trigger, show.context_window],
      ) * 1.06,
    [lines, trigger, show.context_window],
  );
  const plot = useMemo(
    () => ({ left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: HEIGHT - MARGIN.bottom }),
    [width],
  );
  const scales = useMemo(() => scalesOf(plot, count, top), [plot, count, top]);
  const drawn = useMemo(() => lines.find(({ letter }) => letter === chosen)?.line ?? null, [lines, chosen]);
  const marks = useMemo(() => marksOf(show, drawn), [show, drawn]);
  const values = drawn?.after ?? NO_VALUES;
  const valueAt = (line: SimulatedLine | null, index: number) => line?.after[index] ?? 0;

  const spoken = (index: number) => {
    const sizes = lines.map(({ letter, line }) => `${letter} ${format.number(valueAt(line, index))}`).join(", ");
    const events = marks.filter((mark) => mark.index === index).map(({ mark }) => say(mark));
    return [t`Request ${index + 1} of ${count}`, sizes, ...events].join(", ");
  };
  const indexOf = (event: PointerEvent<HTMLElement>) =>
    scales.indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      onOpen(cursor);
      return;
    }
    const next = moveCursor(cursor, count, event.key, event.shiftKey, marks);
    if (next === null) return;
    event.preventDefault();
    onCursor(next);
  };
  const inView = (limit: number | null): limit is number => limit !== null && limit <= top;
  const shown = hover ?? cursor;
  const shownX = scales.x(shown);
  return (
    <div className="chart">
      <div
        ref={element}
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={t`Context per request. Arrows move the cursor, with Shift from mark to mark, Enter opens the messages.`}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={cursor + 1}
        aria-valuetext={spoken(cursor)}
        data-testid="chart"
        data-cursor={cursor}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => onCursor(indexOf(event))}
        onDoubleClick={() => onOpen(cursor)}
        onPointerMove={(event) => {
          const at = indexOf(event);
          setHover(at);
          if (event.buttons === 1 && at !== cursor) onCursor(at);
        }}
        onPointerLeave={() => setHover(null)}
      >
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden focusable="false">
          <Axes plot={plot} scales={scales} top={top} count={count} />
          <Curves show={show} lines={lines} chosen={chosen} scales={scales} plot={plot} />
          {inView(show.context_window) && (
            <Limit
              plot={plot}
              y={scales.y(show.context_window)}
              kind="window"
              label={t`window ${format.compact(show.context_window)}`}
            />
          )}
          {inView(trigger) && (
            <Limit plot={plot} y={scales.y(trigger)} kind="trigger" label={t`trigger ${format.compact(trigger)}`} />
          )}
          <path className="chart-cursor" d={`M${scales.x(cursor).toFixed(1)} ${plot.top}V${plot.bottom}`} />
          {hover !== null && hover !== cursor && (
            <path className="chart-hover" d={`M${shownX.toFixed(1)} ${plot.top}V${plot.bottom}`} />
          )}
          <Marks marks={marks} values={values} scales={scales} plot={plot} />
          <circle className="chart-dot" cx={scales.x(cursor)} cy={scales.y(valueAt(drawn, cursor))} r={3} />
        </svg>
        {hover !== null && (
          <div
            className="chart-tip"
            style={shown > count / 2 ? { right: width - shownX + 12 } : { left: shownX + 12 }}
            aria-hidden
          >
            <b>
              <Trans>Request {shown + 1}</Trans>
            </b>
            {lines.map(({ letter, line }) => (
              <span key={letter}>
                {letter} <span className="num">{format.number(valueAt(line, shown))}</span>
              </span>
            ))}
            {marks
              .filter(({ index }) => index === shown)
              .map(({ mark }) => (
                <i key={mark}>{say(mark)}</i>
              ))}
          </div>
        )}
      </div>
      <Legend lines={lines} chosen={chosen} marks={marks} />
    </div>
  );
}
