/**
 * Context per request: a line for each variant, the chosen one filled with what it is made of, limits, and marks for what
 * was cleared, compacted, and needed again. Drawn as SVG, so that it keeps to the content security policy, grows with the
 * text of the window, and can be read by other programs. Nothing in it is said by colour alone.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ContextShow, SimulatedLine } from "@/bindings";
import { useFormat } from "@/shared/format";
import { type Mark, marksOf, moveCursor, plotOf, scalesOf, topOf } from "./chart";
import { Legend } from "./ChartLegend";
import { Axes, type ChartLine, Curves, Limit, limitBox, type LimitLabel, Marks } from "./ChartParts";
import type { Letter } from "./lab";
import { areaBoxes, type Box, freePlace, labelWidth, limitPlaces, markBoxes, placesBeside } from "./labels";
import css from "./chart.module.css";

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
const NO_VALUES: readonly number[] = [];

/** The width that an element has, followed: what stands on the chart's axis of requests measures itself so. */
export function useWidth() {
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

/** Shares of the picture: where what is drawn, for the chosen variant. */
function usePicture({ show, lines, chosen, trigger }: ChartProps, width: number) {
  const count = show.requests.length;
  const top = useMemo(
    () =>
      topOf(
        lines.map(({ line }) => line.after),
        [trigger, show.context_window],
      ) * 1.06,
    [lines, trigger, show.context_window],
  );
  const plot = useMemo(() => plotOf(width, HEIGHT), [width]);
  const scales = useMemo(() => scalesOf(plot, count, top), [plot, count, top]);
  const drawn = useMemo(() => lines.find(({ letter }) => letter === chosen)?.line ?? null, [lines, chosen]);
  const marks = useMemo(() => marksOf(show, drawn), [show, drawn]);
  const values = drawn?.after ?? NO_VALUES;
  return { count, top, plot, scales, drawn, marks, values };
}

type Picture = ReturnType<typeof usePicture>;

const valueAt = (line: SimulatedLine | null, index: number) => line?.after[index] ?? 0;

/** The limits in view, each with its label where that lies on no mark. */
function useLimits(
  { window, trigger }: { window: number | null; trigger: number | null },
  { top, plot, scales, marks, values }: Picture,
): readonly LimitLabel[] {
  const { t } = useLingui();
  const format = useFormat();
  const windowLabel = window === null ? "" : t`window ${format.compact(window)}`;
  const triggerLabel = trigger === null ? "" : t`trigger ${format.compact(trigger)}`;
  return useMemo(() => {
    const taken: Box[] = markBoxes(marks, values, scales, plot);
    const limits: LimitLabel[] = [];
    const add = (kind: LimitLabel["kind"], tokens: number | null, label: string) => {
      if (tokens === null || tokens > top) return;
      const y = scales.y(tokens);
      const places = limitPlaces(plot, y);
      const limit = { kind, y, label, place: freePlace(places, labelWidth(label), taken, plot) ?? places[0]! };
      taken.push(limitBox(limit));
      limits.push(limit);
    };
    add("window", window, windowLabel);
    add("trigger", trigger, triggerLabel);
    return limits;
  }, [window, trigger, windowLabel, triggerLabel, top, plot, scales, marks, values]);
}

/** The request under the cursor and its size, beside the line; where it lies on no mark. */
function CursorLabel({
  show,
  cursor,
  size,
  picture,
  limits,
}: {
  show: ContextShow;
  cursor: number;
  size: number;
  picture: Picture;
  limits: readonly LimitLabel[];
}) {
  const { t } = useLingui();
  const format = useFormat();
  const { scales, plot, marks, values } = picture;
  const label = t`request ${format.number(cursor + 1)}, ${format.number(size)} tokens`;
  const next = show.events.find((event) => event.before_request === cursor + 1);
  const note = next?.event === "compaction" ? t`compacted right after` : null;
  const width = Math.max(labelWidth(label), note === null ? 0 : labelWidth(note));
  const places = placesBeside(scales.x(cursor), Math.max(plot.top + 10, scales.y(size) - 6), plot);
  const taken = [...markBoxes(marks, values, scales, plot), ...limits.map(limitBox)];
  const lines = note === null ? 1 : 2;
  const place =
    freePlace(places, width, [...taken, ...areaBoxes(values, scales, plot)], plot, lines) ??
    freePlace(places, width, taken, plot, lines) ??
    places[0]!;
  return (
    <g className={css.cursorLabel} data-testid="cursor-label">
      <text {...place}>{label}</text>
      {note !== null && (
        <text {...place} y={place.y + 15} className={css.cursorNote}>
          {note}
        </text>
      )}
    </g>
  );
}

/** Everything that is drawn. */
function Drawing({
  chart,
  picture,
  width,
  hover,
}: {
  chart: ChartProps;
  picture: Picture;
  width: number;
  hover: number | null;
}) {
  const { show, lines, chosen, trigger, cursor } = chart;
  const { count, top, plot, scales, drawn, marks, values } = picture;
  const limits = useLimits({ window: show.context_window, trigger }, picture);
  return (
    <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden focusable="false">
      <Axes plot={plot} scales={scales} top={top} count={count} />
      <Curves show={show} lines={lines} chosen={chosen} scales={scales} plot={plot} />
      {limits.map((limit) => (
        <Limit key={limit.kind} plot={plot} limit={limit} />
      ))}
      <path className={css.chartCursor} d={`M${scales.x(cursor).toFixed(1)} ${plot.top}V${plot.bottom}`} />
      {hover !== null && hover !== cursor && (
        <path className={css.chartHover} d={`M${scales.x(hover).toFixed(1)} ${plot.top}V${plot.bottom}`} />
      )}
      <Marks marks={marks} values={values} scales={scales} plot={plot} limits={limits} />
      {drawn && <circle className={css.chartDot} cx={scales.x(cursor)} cy={scales.y(valueAt(drawn, cursor))} r={3.4} />}
      {drawn && lines.length === 1 && (
        <CursorLabel show={show} cursor={cursor} size={valueAt(drawn, cursor)} picture={picture} limits={limits} />
      )}
    </svg>
  );
}

/** Sizes and events at the request under the pointer. */
function Tip({
  shown,
  lines,
  picture,
  width,
}: {
  shown: number;
  lines: readonly ChartLine[];
  picture: Picture;
  width: number;
}) {
  const format = useFormat();
  const say = useMarkWords();
  const { count, marks, scales } = picture;
  const shownX = scales.x(shown);
  return (
    <div
      className={css.chartTip}
      style={shown > count / 2 ? { right: width - shownX + 12 } : { left: shownX + 12 }}
      aria-hidden
    >
      <b>
        <Trans>Request {shown + 1}</Trans>
      </b>
      {lines.map(({ letter, line }) => (
        <span key={letter}>
          {letter}{" "}
          <span className="num">
            <Trans>{format.number(valueAt(line, shown))} tokens</Trans>
          </span>
        </span>
      ))}
      {marks
        .filter(({ index }) => index === shown)
        .map(({ mark }) => (
          <i key={mark}>{say(mark)}</i>
        ))}
    </div>
  );
}

/** What another program reads out for a request. */
function useSpoken(lines: readonly ChartLine[], { count, marks }: Picture) {
  const { t } = useLingui();
  const format = useFormat();
  const say = useMarkWords();
  return (index: number) => {
    const sizes = lines.map(({ letter, line }) => `${letter} ${format.number(valueAt(line, index))}`).join(", ");
    const events = marks.filter((mark) => mark.index === index).map(({ mark }) => say(mark));
    return [t`Request ${index + 1} of ${count}`, sizes, ...events].join(", ");
  };
}

/** The chart with its legend. */
export function Chart(chart: ChartProps) {
  const { t } = useLingui();
  const { lines, chosen, cursor, onCursor, onOpen } = chart;
  const { element, width } = useWidth();
  const [hover, setHover] = useState<number | null>(null);
  const picture = usePicture(chart, width);
  const { count, scales, marks } = picture;
  const spoken = useSpoken(lines, picture);
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
  return (
    <div className="chart">
      <div
        ref={element}
        className={css.chartPlot}
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
        <Drawing chart={chart} picture={picture} width={width} hover={hover} />
        {hover !== null && <Tip shown={hover} lines={lines} picture={picture} width={width} />}
      </div>
      <Legend lines={lines} chosen={chosen} marks={marks} />
    </div>
  );
}
