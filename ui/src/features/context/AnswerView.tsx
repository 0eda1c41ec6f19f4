/** What a run opens on: the answer, one recommended setting, and the chart with the cursor at the peak. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useCallback, useMemo, useState } from "react";
import type { ContextShow, SimulatedLine, SweepPoint } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button, Kbd, Segmented } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useStatusNotes } from "@/state/note";
import { Answer } from "./Answer";
import css from "./answer.module.css";
import { Chart } from "./Chart";
import type { ChartView } from "./ChartCard";
import chartCss from "./chart.module.css";
import { useCounterNote } from "./counted";
import { RequestDetail } from "./CompositionPanel";
import { BASE, put } from "./lab";
import type { OpenSheet } from "./LabSheets";
import { MemoryFiles } from "./panels";
import { PartsList } from "./PartsList";
import { PresenceLane } from "./PresenceLane";
import { Recommended, useRecommendation } from "./Recommended";
import { RequestTable, type TableLine } from "./RequestTable";
import { triggerTokens } from "./setting";
import type { Turns } from "./turns";

/** Notes of the status line: requests, how many are proved, how many settings were tried. */
function useNotes(show: ContextShow) {
  const { t } = useLingui();
  const format = useFormat();
  const tried = useRecommendation(show.transcript).data?.tried ?? 0;
  const counter = useCounterNote(show);
  const all = show.requests.length;
  const settings = plural(tried, { one: "# setting tried", other: "# settings tried" });
  const proved = format.number(show.proved_requests);
  const requests = plural(all, { one: "# request", other: "# requests" });
  const isRecorded = show.requests.some((request) => request.proved !== null);
  useStatusNotes([
    requests,
    ...(isRecorded ? [t`${proved} of ${format.number(all)} proved by digest`] : []),
    ...(tried > 0 ? [settings] : []),
    counter,
  ]);
}

/** What was recorded, as a line of the chart and of the table. */
function useRecorded(show: ContextShow) {
  const { t } = useLingui();
  const name = t`what ran`;
  return useMemo(() => {
    const line: SimulatedLine = {
      after: show.requests.map(({ context }) => context),
      cleared: [],
      thinking: [],
      compacted: [],
      needed_again: [],
    };
    const sizes = show.requests.map(({ context, kind }) => ({ after: context, kind }));
    const row: TableLine = { letter: BASE, name, sizes, simulation: null };
    return { drawn: [{ letter: BASE, name, line }], rows: [row] };
  }, [show, name]);
}

interface PictureProps {
  show: ContextShow;
  turns: Turns;
  view: ChartView;
  onView: (view: ChartView) => void;
}

/** The chart or its table, and the figures of the request under the cursor. */
function Picture({ show, turns, view, onView }: PictureProps) {
  const { t } = useLingui();
  const { drawn, rows } = useRecorded(show);
  const best = useRecommendation(show.transcript).data?.best ?? null;
  const { cursor, moveTo, openRequest } = turns;
  const shared = { show, chosen: BASE, cursor, onCursor: moveTo, onOpen: openRequest } as const;
  return (
    <div className={css.card}>
      <section aria-labelledby="context-per-request">
        <div className={chartCss.chartTools}>
          <h2 id="context-per-request">
            <Trans>Context per request, in tokens</Trans>
          </h2>
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
        {view === "chart" ? (
          <Chart {...shared} lines={drawn} trigger={best ? triggerTokens(best.variant.config) : null} />
        ) : (
          <RequestTable {...shared} lines={rows} />
        )}
      </section>
      <PartsList show={show} cursor={cursor} />
      <PresenceLane show={show} view={view} cursor={cursor} onCursor={moveTo} onOpen={openRequest} />
    </div>
  );
}

/** What more there is to see, and the keys. */
function Foot({ show, turns, onOpen }: { show: ContextShow; turns: Turns; onOpen: (open: OpenSheet) => void }) {
  const found = useRecommendation(show.transcript).data;
  const tried = found?.tried ?? 0;
  return (
    <div className={css.foot}>
      <Button onPress={() => turns.openTurn(turns.cursor)} keys="o" data-testid="open-turn">
        <Trans>What the model saw</Trans>
      </Button>
      {found && tried > 0 && (
        <Button onPress={() => onOpen({ tried: found })} data-testid="all-settings">
          <Plural value={tried} one="The # setting" other="All # settings" />
        </Button>
      )}
      <Button onPress={turns.toPeak} keys="p" data-testid="to-peak">
        <Trans>Back to the peak</Trans>
      </Button>
      <span className={css.keys}>
        <span>
          <Trans>Move the cursor</Trans> <Kbd keys="[" /> <Kbd keys="]" />
        </span>
      </span>
    </div>
  );
}

function useAnswerKeys(turns: Turns, onView: (next: (view: ChartView) => ChartView) => void) {
  const { t } = useLingui();
  useKeys([
    { keys: "t", label: t`Chart or table`, run: () => onView((view) => (view === "chart" ? "table" : "chart")) },
    { keys: "o", label: t`What the model saw`, run: () => turns.openTurn(turns.cursor) },
    { keys: "p", label: t`Back to the peak`, run: turns.toPeak },
    { keys: "[", label: t`One request back`, run: () => turns.step(-1) },
    { keys: "]", label: t`One request on`, run: () => turns.step(1) },
  ]);
}

/** Props of the view. */
interface AnswerViewProps {
  show: ContextShow;
  turns: Turns;
  onOpen: (open: OpenSheet) => void;
  /** Goes to the settings. */
  onSettings: () => void;
}

/** The view. */
export const AnswerView = memo(function AnswerView({ show, turns, onOpen, onSettings }: AnswerViewProps) {
  const [view, setView] = useState<ChartView>("chart");
  useNotes(show);
  useAnswerKeys(turns, setView);
  const take = useCallback(
    ({ variant }: SweepPoint) => {
      put({ name: "", config: variant.config });
      onSettings();
    },
    [onSettings],
  );
  const openMemory = useCallback(() => onOpen("memory"), [onOpen]);
  return (
    <>
      <Answer show={show} />
      <Recommended transcript={show.transcript} recorded={show.cost_usd} onTry={take} />
      <Picture show={show} turns={turns} view={view} onView={setView} />
      <Foot show={show} turns={turns} onOpen={onOpen} />
      <RequestDetail show={show} cursor={turns.cursor} />
      <MemoryFiles files={show.memory_files} onAll={openMemory} />
    </>
  );
});
