/** A sweep: many settings over one or several transcripts, and those that no other beats in peak, cost and regrets. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { TextField, Input, Label } from "react-aria-components/TextField";
import type { Sweep, SweepPoint } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Button, Checkbox, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { assumed } from "./assumed";
import { AtLeast } from "./AtLeast";
import { scalesOf, ticksOf } from "./chart";
import { FIRST_GRID, type GridDraft, gridOf, parseNumbers } from "./grid";
import { JobProgress } from "@/shared/JobProgress";
import { TableHead, numbers, unseen } from "@/shared/TableHead";
import { useJob } from "@/state/jobs";
import { put } from "./lab";
import { rowOf, useTranscripts } from "./transcripts";
import { classes } from "@/shared/classes";
import sheetsCss from "./sheets.module.css";
import chartCss from "./chart.module.css";

/** Settings that one sweep may try from here. */
const MAX = 5000;
/** Other transcripts of the project that may be taken along. */
const MAX_OTHERS = 20;

function GridForm({ draft, onChange }: { draft: GridDraft; onChange: (draft: GridDraft) => void }) {
  const { t } = useLingui();
  const fields: { field: keyof GridDraft; label: string; hint: string; numbers: boolean }[] = [
    { field: "triggers", label: "trigger input_tokens", hint: t`one or several, such as 30k, 60k`, numbers: true },
    { field: "keeps", label: "keep tool_uses", hint: t`one or several`, numbers: true },
    { field: "least", label: "clear_at_least", hint: t`0 for none`, numbers: true },
    { field: "exclude", label: "exclude_tools", hint: t`none`, numbers: false },
    { field: "thinking", label: "keep thinking_turns", hint: t`empty: leave thinking alone`, numbers: true },
  ];
  return (
    <div className={sheetsCss.gridForm}>
      {fields.map(({ field, label, hint, numbers }) => {
        const invalid = numbers && parseNumbers(draft[field]) === null;
        return (
          <TextField
            key={field}
            className={sheetsCss.gridField}
            value={draft[field]}
            isInvalid={invalid}
            onChange={(value) => onChange({ ...draft, [field]: value })}
          >
            <Label className="mono">{label}</Label>
            <Input type="text" placeholder={hint} data-testid={`grid-${field}`} />
            {invalid && (
              <span className="field-problem" role="alert">
                <Trans>Whole numbers, with commas between.</Trans>
              </span>
            )}
          </TextField>
        );
      })}
    </div>
  );
}

const WIDTH = 460;
const HEIGHT = 250;
const PLOT = { left: 48, right: WIDTH - 14, top: 12, bottom: HEIGHT - 34 };

/** Peak against cost; the shape of a point says whether it is in the Pareto set, and which is the run without a setting. */
function Scatter({ points, chosen }: { points: readonly SweepPoint[]; chosen: SweepPoint | null }) {
  const { t } = useLingui();
  const format = useFormat();
  const priced = points.filter((point): point is SweepPoint & { cost_usd: number } => point.cost_usd !== null);
  if (priced.length === 0) return null;
  const top = Math.max(...priced.map(({ peak }) => peak)) * 1.05;
  const costs = priced.map(({ cost_usd }) => cost_usd);
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  const room = (most - least || most || 1) * 0.06;
  const { y } = scalesOf(PLOT, 2, top);
  const x = (cost: number) =>
    PLOT.left + ((cost - least + room) / (most - least + 2 * room)) * (PLOT.right - PLOT.left);
  return (
    <figure className={sheetsCss.scatter}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={t`Peak against cost of ${priced.length} settings; the table beside it says the same`}
      >
        <g className={chartCss.chartAxes}>
          {ticksOf(top)
            .filter((tick) => tick <= top)
            .map((tick) => (
              <g key={tick}>
                <path className={chartCss.chartGrid} d={`M${PLOT.left} ${y(tick).toFixed(1)}H${PLOT.right}`} />
                <text x={PLOT.left - 6} y={y(tick) + 4} textAnchor="end">
                  {format.compact(tick)}
                </text>
              </g>
            ))}
          <text x={x(least)} y={PLOT.bottom + 16} textAnchor="middle">
            {format.dollars(least)}
          </text>
          {most > least && (
            <text x={x(most)} y={PLOT.bottom + 16} textAnchor="end">
              {format.dollars(most)}
            </text>
          )}
          <text x={(PLOT.left + PLOT.right) / 2} y={HEIGHT - 4} textAnchor="middle">
            {t`cost →, peak ↑`}
          </text>
        </g>
        {[...priced]
          .sort((a, b) => Number(a.pareto) - Number(b.pareto))
          .map((point, at) =>
            point.baseline ? (
              <rect
                key={at}
                className={sheetsCss.scatterNone}
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
          <Trans>no setting</Trans>
        </span>
      </figcaption>
    </figure>
  );
}

function Points({
  points,
  atLeast,
  onUse,
  onPoint,
}: {
  points: readonly SweepPoint[];
  /** True if the costs are lower bounds. */
  atLeast: boolean;
  onUse: (point: SweepPoint) => void;
  onPoint: (point: SweepPoint | null) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const sorted = [...points].sort((a, b) => (a.cost_usd ?? Infinity) - (b.cost_usd ?? Infinity) || a.peak - b.peak);
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
          {sorted.map((point, at) => (
            <tr
              key={at}
              data-testid="sweep-point"
              data-baseline={point.baseline || undefined}
              onPointerEnter={() => onPoint(point)}
              onFocus={() => onPoint(point)}
              onPointerLeave={() => onPoint(null)}
              onBlur={() => onPoint(null)}
            >
              <th scope="row" className={sheetsCss.sweepName}>
                {point.baseline ? <Trans>no setting</Trans> : point.variant.name.replaceAll("=", " ")}
              </th>
              <td className="cell-end num">{format.compact(point.peak)}</td>
              <td className="cell-end num">
                {point.cost_usd === null ? "–" : `${atLeast ? "≥\u202f" : ""}${format.dollars(point.cost_usd)}`}
              </td>
              <td className="cell-end num">{format.number(point.regrets)}</td>
              <td className="cell-end num">{format.number(point.clears)}</td>
              <td className="cell-end">
                {!point.baseline && (
                  <Button
                    tone="quiet"
                    onPress={() => onUse(point)}
                    aria-label={t`Use ${point.variant.name}`}
                    data-testid="use-setting"
                  >
                    <Trans>Use this</Trans>
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Found({ sweep, onUse }: { sweep: Sweep; onUse: (point: SweepPoint) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const [pointed, setPointed] = useState<SweepPoint | null>(null);
  const settings = sweep.points.filter((point) => !point.baseline);
  const best = settings.filter((point) => point.pareto);
  const rows = sweep.points.filter((point) => point.baseline || point.pareto);
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
          <Trans>None of them is better than the run without a setting.</Trans>
        ) : (
          <Trans>
            In {format.number(best.length)} of them, nothing is better without something else being worse, doing without
            a setting included:
          </Trans>
        )}
      </p>
      {sweep.warnings.map(({ code, message }) => (
        <div key={`${code} ${message.text}`} className="notice notice-warning" data-testid="sweep-warning">
          <ProgramText text={message} />
        </div>
      ))}
      <AtLeast fast={sweep.requests_fast_without_price} />
      <div className={sheetsCss.sweepResults}>
        <Points points={rows} atLeast={sweep.requests_fast_without_price > 0} onUse={onUse} onPoint={setPointed} />
        <Scatter points={sweep.points} chosen={pointed} />
      </div>
    </div>
  );
}

/** Trying all settings of a grid. */
function useSweep() {
  const backend = useBackend();
  const job = useJob("sweep");
  const [sweep, setSweep] = useState<Sweep | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const run = (transcripts: string[], grid: NonNullable<ReturnType<typeof gridOf>>["grid"]) =>
    job.run(async (name) => {
      setFailure(null);
      setSweep(null);
      try {
        setSweep(await backend.call("context_sweep", { transcripts, grid, job: name, ...assumed.get() }));
      } catch (cause) {
        setFailure(cause);
      }
    });
  return { job, sweep, failure, run };
}

/** The dialog. */
export function SweepSheet({ transcript, onClose }: { transcript: string; onClose: () => void }) {
  const { t } = useLingui();
  const all = useTranscripts().data?.transcripts ?? [];
  const [draft, setDraft] = useState(FIRST_GRID);
  const [project, setProject] = useState(false);
  const { job, sweep, failure, run } = useSweep();
  const own = rowOf(all, transcript);
  const others = all
    .filter((row) => row.id !== own?.id && own?.project && row.project === own.project && row.requests > 1)
    .slice(0, MAX_OTHERS)
    .map(({ id }) => id);
  const grid = gridOf(draft);
  const tooMany = grid !== null && grid.count > MAX;
  return (
    <Sheet
      title={t`Sweep`}
      onClose={() => {
        job.cancel();
        onClose();
      }}
      size="large"
      testId="sweep-sheet"
      footer={
        <>
          <span className="muted" data-testid="sweep-count">
            {grid &&
              (tooMany ? (
                <Trans>{grid.count} settings are more than one sweep takes</Trans>
              ) : (
                <Plural value={grid.count} one="# setting" other="# settings" />
              ))}
          </span>
          <span className="spacer" />
          <Button
            tone="primary"
            isDisabled={!grid || tooMany}
            isPending={job.name !== null}
            onPress={() => grid && void run([transcript, ...(project ? others : [])], grid.grid)}
            data-testid="sweep-run"
          >
            <Trans>Try them all</Trans>
          </Button>
        </>
      }
    >
      <GridForm draft={draft} onChange={setDraft} />
      {others.length > 0 && (
        <Checkbox
          label={
            <Plural
              value={others.length}
              one="Also over # other transcript of this project"
              other="Also over # other transcripts of this project"
            />
          }
          isSelected={project}
          onChange={setProject}
          data-testid="sweep-project"
        />
      )}
      {job.name !== null && <JobProgress job={job} label={t`trying`} />}
      {failure !== null && <Failure error={failure} />}
      {sweep && (
        <Found
          sweep={sweep}
          onUse={(point) => {
            put(point.variant);
            onClose();
          }}
        />
      )}
    </Sheet>
  );
}
