/** The chart of the lab, or the table that stands behind it. */
import { useLingui } from "@lingui/react/macro";
import { memo, useMemo } from "react";
import type { ContextShow, FigureKind } from "@/bindings";
import { Segmented, Skeleton } from "@/shared/ui";
import { useObservable } from "@/state/observable";
import { Chart } from "./Chart";
import type { ChartLine } from "./ChartParts";
import { KindLegend } from "./Figure";
import { type Bench, type Letter, useBench } from "./lab";
import { RequestTable, type TableLine } from "./RequestTable";
import { triggerTokens } from "./setting";
import { type Desk, type Forecasts } from "./simulations";
import { useVariantName } from "./VariantEditor";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import chartCss from "./chart.module.css";

/** Form in which the requests are shown. */
export type ChartView = "chart" | "table";

function linesOf(bench: Bench, forecasts: Forecasts, nameOf: ReturnType<typeof useVariantName>): TableLine[] {
  return bench.variants.flatMap((variant) => {
    const simulation = forecasts[variant.letter]?.simulation;
    if (!simulation) return [];
    return [{ letter: variant.letter, name: nameOf(variant), sizes: simulation.requests, simulation }];
  });
}

/** The chart of the bench as it is at this moment: it does not wait for what stands around it. */
const LiveChart = memo(function LiveChart({
  show,
  desk,
  cursor,
  onCursor,
  onOpen,
}: {
  show: ContextShow;
  desk: Desk;
  cursor: number;
  onCursor: (index: number) => void;
  onOpen: (index: number) => void;
}) {
  const { variants, chosen } = useBench();
  const lines = useObservable(desk.lines);
  const nameOf = useVariantName();
  const config = variants.find(({ letter }) => letter === chosen)?.config;
  const names = variants.map(nameOf).join("\n");
  // The names are those of the variants; the settings in them change with every move.
  const drawn = useMemo(
    () =>
      names.split("\n").flatMap((name, at): ChartLine[] => {
        const { letter } = variants[at]!;
        const line = lines[letter];
        return line ? [{ letter, name, line }] : [];
      }),
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [names, lines],
  );
  return (
    <Chart
      show={show}
      lines={drawn}
      chosen={chosen}
      // A setting with an error has no line, and no figure of it stands alone.
      trigger={lines[chosen] ? triggerTokens(config) : null}
      cursor={cursor}
      onCursor={onCursor}
      onOpen={onOpen}
    />
  );
});

/** Props of the card. */
interface ChartCardProps {
  show: ContextShow;
  desk: Desk;
  bench: Bench;
  chosen: Letter;
  forecasts: Forecasts;
  view: ChartView;
  cursor: number;
  onView: (view: ChartView) => void;
  onCursor: (index: number) => void;
  onOpen: (index: number) => void;
}

/** The card. */
export function ChartCard(props: ChartCardProps) {
  const { show, desk, bench, chosen, forecasts, view, cursor, onView, onCursor, onOpen } = props;
  const { t } = useLingui();
  const nameOf = useVariantName();
  const lines = useMemo(() => linesOf(bench, forecasts, nameOf), [bench, forecasts, nameOf]);
  const kinds: FigureKind[] = [
    ...new Set([
      ...lines.flatMap(({ simulation }) => (simulation ? [simulation.totals.kind] : [])),
      "counted offline" as const,
    ]),
  ];
  return (
    <section className={classes(labCss.card, chartCss.chartCard)} aria-label={t`Context per request`}>
      <div className={chartCss.chartTools}>
        <KindLegend kinds={kinds} />
        <span className="spacer" />
        <Segmented
          label={t`View`}
          value={view}
          options={[
            { value: "chart", label: t`Chart` },
            { value: "table", label: t`Table` },
          ]}
          onChange={onView}
        />
      </div>
      {lines.length === 0 ? (
        <div className={chartCss.chartWait}>
          <Skeleton rows={4} />
        </div>
      ) : view === "chart" ? (
        <LiveChart show={show} desk={desk} cursor={cursor} onCursor={onCursor} onOpen={onOpen} />
      ) : (
        <RequestTable show={show} lines={lines} chosen={chosen} cursor={cursor} onCursor={onCursor} onOpen={onOpen} />
      )}
    </section>
  );
}
