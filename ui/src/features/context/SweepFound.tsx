/** What a sweep found: the settings as a table, and peak against cost. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { Argument, Sweep, SweepPoint } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { figureIn, isFigure } from "@/shared/grouping";
import { ProgramText } from "@/shared/labels";
import { sentenceNow } from "@/shared/sentences";
import { TableHead, numbers, unseen } from "@/shared/TableHead";
import { Button, Segmented } from "@/shared/ui";
import { AtLeast } from "./AtLeast";
import { ticksBetween } from "./chart";
import chartCss from "./chart.module.css";
import sheetsCss from "./sheets.module.css";
import { rowsOf, type SweepRow } from "./sweep-rows";

/** Rows that the table shows at first, and more of at a time. */
const PAGE = 200;

/** True for what ran and for no editing, which are no settings to take. */
const isForComparison = ({ baseline, variant }: SweepPoint) =>
  baseline || Object.keys(variant.config ?? {}).length === 0;

const byCost = ({ points: [a] }: SweepRow, { points: [b] }: SweepRow) =>
  (a.cost_usd ?? Infinity) - (b.cost_usd ?? Infinity) || a.peak - b.peak;

/** The rows of settings, as the window writes their values. */
function useRows(points: readonly SweepPoint[]): SweepRow[] {
  const { i18n } = useLingui();
  return useMemo(() => {
    const say = (value: Argument): string => {
      if (typeof value !== "object") return String(value);
      if (Array.isArray(value)) return value.map(say).join(", ");
      return isFigure(value) ? figureIn(i18n.locale, value) : sentenceNow(value);
    };
    return rowsOf(points, isForComparison, say);
  }, [points, i18n.locale]);
}

const WIDTH = 460;
const HEIGHT = 250;
const PLOT = { left: 48, right: WIDTH - 14, top: 12, bottom: HEIGHT - 34 };

/** An axis that begins and ends near its values: where each stands on it, and the round numbers on it. */
function axisOf(values: readonly number[]) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = (most - least || most || 1) * 0.08;
  const [from, to] = [least - room, most + room];
  return { share: (value: number) => (value - from) / (to - from), ticks: ticksBetween(from, to, 5) };
}

/** Peak against cost; the shape of a point says whether it is in the Pareto set, and which is the run without a setting. */
function Scatter({
  points,
  settings,
  chosen,
}: {
  points: readonly SweepPoint[];
  /** So many settings they stand for. */
  settings: number;
  chosen: SweepPoint | null;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const priced = points.filter((point): point is SweepPoint & { cost_usd: number } => point.cost_usd !== null);
  if (priced.length === 0) return null;
  const costs = axisOf(priced.map(({ cost_usd }) => cost_usd));
  const peaks = axisOf(priced.map(({ peak }) => peak));
  const x = (cost: number) => PLOT.left + costs.share(cost) * (PLOT.right - PLOT.left);
  const y = (peak: number) => PLOT.bottom - peaks.share(peak) * (PLOT.bottom - PLOT.top);
  return (
    <figure className={sheetsCss.scatter}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t`Peak against cost of ${settings} settings; the table beside it says the same`}
      >
        <g className={chartCss.chartAxes}>
          {peaks.ticks.map((tick) => (
            <g key={tick}>
              <path className={chartCss.chartGrid} d={`M${PLOT.left} ${y(tick).toFixed(1)}H${PLOT.right}`} />
              <text x={PLOT.left - 6} y={y(tick) + 4} textAnchor="end">
                {format.compact(tick)}
              </text>
            </g>
          ))}
          {costs.ticks.map((tick) => (
            <g key={tick}>
              <path className={chartCss.chartGrid} d={`M${x(tick).toFixed(1)} ${PLOT.top}V${PLOT.bottom}`} />
              <text x={x(tick)} y={PLOT.bottom + 16} textAnchor="middle">
                {format.dollars(tick)}
              </text>
            </g>
          ))}
          <text x={(PLOT.left + PLOT.right) / 2} y={HEIGHT - 4} textAnchor="middle">
            {t`cost →, peak ↑`}
          </text>
        </g>
        {[...priced]
          .sort((a, b) => Number(a.pareto) - Number(b.pareto))
          .map((point, at) =>
            isForComparison(point) ? (
              <rect
                key={at}
                className={classes(sheetsCss.scatterNone, point.baseline && "is-baseline")}
                x={x(point.cost_usd) - 5}
                y={y(point.peak) - 5}
                width={10}
                height={10}
              />
            ) : point.pareto ? (
              <path
                key={at}
                className={classes(sheetsCss.scatterPareto, point === chosen && "is-chosen")}
                d={`M${x(point.cost_usd)} ${y(point.peak) - 6}l6 6-6 6-6-6Z`}
              />
            ) : (
              <circle key={at} className={sheetsCss.scatterOther} cx={x(point.cost_usd)} cy={y(point.peak)} r={2.5} />
            ),
          )}
      </svg>
      <figcaption className={chartCss.legend}>
        <span>
          <svg className="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden>
            <path className={sheetsCss.scatterPareto} d="M7 1l6 6-6 6-6-6Z" />
          </svg>
          <Trans>no other setting is better</Trans>
        </span>
        <span>
          <svg className="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden>
            <circle className={sheetsCss.scatterOther} cx="7" cy="7" r="3" />
          </svg>
          <Trans>another is</Trans>
        </span>
        <span>
          <svg className="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden>
            <rect className={sheetsCss.scatterNone} x="2" y="2" width="10" height="10" />
          </svg>
          <Trans>what ran, and no editing</Trans>
        </span>
      </figcaption>
    </figure>
  );
}

/** What the settings of a row do. Those that have no common name go by the first. */
function Named({ row: { points, what } }: { row: SweepRow }) {
  const [first, ...others] = points;
  if (what) return <ProgramText text={what} />;
  return (
    <span title={points.map((point) => sentenceNow(point.what)).join("\n")}>
      <ProgramText text={first.what} />{" "}
      <span className="muted">
        <Plural value={others.length} one="and # more with the same results" other="and # more with the same results" />
      </span>
    </span>
  );
}

function Points({
  rows,
  atLeast,
  onUse,
  onPoint,
}: {
  rows: readonly SweepRow[];
  /** True if the costs are lower bounds. */
  atLeast: boolean;
  onUse: (point: SweepPoint) => void;
  onPoint: (point: SweepPoint | null) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const [most, setMost] = useState(PAGE);
  const sorted = useMemo(() => [...rows].sort(byCost), [rows]);
  const left = sorted.length - most;
  return (
    <div className={classes("table-box", sheetsCss.sweepPoints)}>
      <table className="table" data-testid="sweep-points">
        <TableHead
          columns={[
            t`setting`,
            numbers(t`peak`),
            numbers(t`cost`),
            numbers(t`needed again`),
            numbers(t`clears`),
            unseen(t`use`),
          ]}
        />
        <tbody>
          {sorted.slice(0, most).map((row, at) => {
            const [point] = row.points;
            return (
              <tr
                key={at}
                data-testid="sweep-point"
                data-baseline={isForComparison(point) || undefined}
                onPointerEnter={() => onPoint(point)}
                onFocus={() => onPoint(point)}
                onPointerLeave={() => onPoint(null)}
                onBlur={() => onPoint(null)}
              >
                <th scope="row" className={sheetsCss.sweepName}>
                  {point.pareto && (
                    <span className={sheetsCss.best} title={t`no other setting is better`} aria-hidden />
                  )}
                  <Named row={row} />
                  {point.pareto && <span className="visually-hidden"> ({t`no other setting is better`})</span>}
                </th>
                <td className="cell-end num">{format.number(point.peak)}</td>
                <td className="cell-end num">
                  {point.cost_usd === null
                    ? t`no price`
                    : `${atLeast ? "≥\u202f" : ""}${format.dollars(point.cost_usd)}`}
                </td>
                <td className="cell-end num">{format.number(point.regrets)}</td>
                <td className="cell-end num">{format.number(point.clears)}</td>
                <td className="cell-end">
                  {!isForComparison(point) && (
                    <Button
                      tone="quiet"
                      onPress={() => onUse(point)}
                      aria-label={t`Use ${sentenceNow(row.what ?? point.what)}`}
                      data-testid="use-setting"
                    >
                      <Trans>Use this</Trans>
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {left > 0 && (
        <Button tone="quiet" onPress={() => setMost(most + PAGE)} data-testid="sweep-more">
          <Plural value={left} one="Show # more" other="Show # more" />
        </Button>
      )}
    </div>
  );
}

export function SweepFound({ sweep, onUse }: { sweep: Sweep; onUse: (point: SweepPoint) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const [pointed, setPointed] = useState<SweepPoint | null>(null);
  const [shown, setShown] = useState<"best" | "all">("best");
  const settings = sweep.points.filter((point) => !isForComparison(point));
  const best = settings.filter((point) => point.pareto);
  const all = useRows(sweep.points);
  const rows = shown === "all" ? all : all.filter(({ points: [point] }) => isForComparison(point) || point.pareto);
  const drawn = useMemo(() => all.map(({ points: [point] }) => point), [all]);
  const tried = plural(settings.length, { one: "# setting tried", other: "# settings tried" });
  const over = plural(sweep.transcripts, { one: "# transcript", other: "# transcripts" });
  return (
    <div data-testid="sweep-found">
      {sweep.cancelled && (
        <div className="notice notice-warning">
          <Trans>Stopped before its end. These are the settings tried so far.</Trans>
        </div>
      )}
      <p>
        {t`${tried} over ${over}.`}{" "}
        {best.length === 0 ? (
          <Trans>None of them is better than what ran.</Trans>
        ) : (
          <Trans>
            For {format.number(best.length)} of them, no other setting tried and not what ran is better in one figure
            without being worse in another.
          </Trans>
        )}
      </p>
      {sweep.warnings.map(({ code, message }) => (
        <div key={`${code} ${message.text}`} className="notice notice-warning" data-testid="sweep-warning">
          <ProgramText text={message} />
        </div>
      ))}
      <AtLeast fast={sweep.requests_fast_without_price} />
      <Segmented
        label={t`Rows`}
        value={shown}
        options={[
          { value: "best", label: t`Best` },
          { value: "all", label: t`All` },
        ]}
        onChange={setShown}
      />
      <div className={sheetsCss.sweepResults}>
        <Points rows={rows} atLeast={sweep.requests_fast_without_price > 0} onUse={onUse} onPoint={setPointed} />
        <Scatter points={drawn} settings={settings.length} chosen={pointed} />
      </div>
    </div>
  );
}
