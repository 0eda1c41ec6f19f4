/**
 * Settings tried on a run: the variants on the left, what they do in the middle, what it means on the right; each change of a
 * variant is answered at once.
 */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useCallback, useMemo, useState } from "react";
import type { ContextShow } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useStatusNotes } from "@/state/note";
import { useObservableLater } from "@/state/observable";
import { useRead } from "@/state/queries";
import { AssumedCard } from "./AssumedCard";
import { ChartCard, type ChartView } from "./ChartCard";
import { CompositionPanel } from "./CompositionPanel";
import { DeployedPanel } from "./Deployed";
import { BASE, type Bench, choose, type Letter, LETTERS, useBenchLater } from "./lab";
import { LabSheets, type OpenSheet } from "./LabSheets";
import labCss from "./lab.module.css";
import { NotComputed } from "./NotComputed";
import { Figures, MemoryFiles, Regrets } from "./panels";
import { SavedVariants } from "./saved";
import { type Desk, DeskProvider, type Forecasts, useDesk } from "./simulations";
import { TurnSheet } from "./TurnSheet";
import type { Turns } from "./turns";
import { VariantEditor } from "./VariantEditor";
import { useCounterNote } from "./counted";
import variantsCss from "./variants.module.css";
import { VariantTable } from "./VariantTable";

/** Notes of the status line: how many requests were simulated, how fast, and how they were counted. */
function useNotes(show: ContextShow, forecasts: Forecasts, chosen: string) {
  const { t } = useLingui();
  const format = useFormat();
  const requests = plural(show.requests.length, { one: "# request", other: "# requests" });
  const milliseconds = forecasts[chosen as keyof Forecasts]?.milliseconds ?? null;
  const time = milliseconds === null ? null : format.number(Math.max(1, Math.round(milliseconds)));
  const counter = useCounterNote(show);
  useStatusNotes([time === null ? requests : t`${requests} simulated in ${time} ms`, counter]);
}

const NO_TOOLS: string[] = [];

/** Names of the tools whose results are in the context at the end, for the fields that take names. */
function useTools(show: ContextShow): string[] {
  const last = Math.max(0, show.requests.length - 1);
  const { data } = useRead(
    "context_composition",
    { transcript: show.transcript, request: last },
    { enabled: show.requests.length > 0 },
  );
  return useMemo(() => data?.tool_results.map(({ name }) => name) ?? NO_TOOLS, [data]);
}

const Actions = memo(function Actions({ onOpen, editable }: { onOpen: (open: OpenSheet) => void; editable: boolean }) {
  return (
    <div className={variantsCss.labActions}>
      <Button
        tone={editable ? "primary" : "plain"}
        isDisabled={!editable}
        onPress={() => onOpen("confirm")}
        data-testid="open-confirm"
      >
        <Trans>Confirm with count_tokens…</Trans>
      </Button>
      <Button isDisabled={!editable} onPress={() => onOpen({ export: "json" })} keys="e" data-testid="open-export">
        <Trans>Export…</Trans>
      </Button>
      <Button onPress={() => onOpen("sweep")} data-testid="open-sweep">
        <Trans>Sweep…</Trans>
      </Button>
    </div>
  );
});

interface SidePanelsProps {
  show: ContextShow;
  forecasts: Forecasts;
  letter: Letter;
  turns: Turns;
  onOpen: (open: OpenSheet) => void;
}

/** What the chart means, for the chosen variant and the request under the cursor. */
function SidePanels({ show, forecasts, letter, turns, onOpen }: SidePanelsProps) {
  const { t } = useLingui();
  const forecast = forecasts[letter];
  const simulation = forecast?.simulation ?? null;
  const openMemory = useCallback(() => onOpen("memory"), [onOpen]);
  return (
    <aside className={labCss.labSidePanels} aria-label={t`Figures`}>
      {forecast && forecast.error !== null && !simulation && (
        <p className={labCss.card} data-testid="not-computed">
          <NotComputed error={forecast.error} />
        </p>
      )}
      {simulation && <Figures simulation={simulation} base={forecasts[BASE]?.simulation ?? null} letter={letter} />}
      {simulation && letter !== BASE && <Regrets regrets={simulation.regrets} onOpen={turns.openRegret} />}
      <CompositionPanel
        show={show}
        cursor={turns.cursor}
        simulation={simulation}
        letter={letter}
        onOpen={turns.openRequest}
      />
      <MemoryFiles files={show.memory_files} onAll={openMemory} />
    </aside>
  );
}

/** The variants and what can be done with the chosen one. */
function Variants({
  show,
  desk,
  editable,
  onOpen,
}: {
  show: ContextShow;
  desk: Desk;
  editable: boolean;
  onOpen: (open: OpenSheet) => void;
}) {
  const tools = useTools(show);
  return (
    <div className={labCss.labVariants}>
      <VariantEditor desk={desk} tools={tools} />
      <Actions onOpen={onOpen} editable={editable} />
      <AssumedCard recorded={show.model} />
      <SavedVariants />
    </div>
  );
}

interface LabKeys {
  bench: Bench;
  chosen: Letter;
  turns: Turns;
  onView: (next: (view: ChartView) => ChartView) => void;
  onOpen: (open: OpenSheet) => void;
}

function useLabKeys({ bench, chosen, turns, onView, onOpen }: LabKeys) {
  const { t } = useLingui();
  useKeys([
    ...bench.variants.map(({ letter }) => ({
      keys: String(LETTERS.indexOf(letter) + 1),
      label: t`Variant ${letter}`,
      run: () => choose(letter),
    })),
    { keys: "t", label: t`Chart or table`, run: () => onView((view) => (view === "chart" ? "table" : "chart")) },
    { keys: "o", label: t`Messages of the request`, run: () => turns.openTurn(turns.cursor) },
    { keys: "e", label: t`Export the variant`, run: () => chosen !== BASE && onOpen({ export: "json" }) },
  ]);
}

/** The variants, what they come to, and the chosen one. */
function useSimulated(show: ContextShow) {
  const desk = useDesk(show.transcript);
  // A slider is answered by its own field and by the chart; all else follows when there is time.
  const bench = useBenchLater();
  const forecasts = useObservableLater(desk.forecasts);
  const variant = bench.variants.find(({ letter }) => letter === bench.chosen) ?? bench.variants[0]!;
  return { desk, bench, forecasts, variant };
}

/** What stands over the lab: the messages of a request, and the sheets. */
export interface OverProps {
  show: ContextShow;
  turns: Turns;
  open: OpenSheet;
  onOpen: (open: OpenSheet) => void;
  onSettings: () => void;
  /** True while settings are tried: then messages say what the chosen one would clear. */
  trying: boolean;
}

/** The sheets over the lab. */
export function Sheets({ show, turns, open, onOpen, onSettings, trying }: OverProps) {
  const bench = useBenchLater();
  const variant = bench.variants.find(({ letter }) => letter === bench.chosen) ?? bench.variants[0]!;
  return (
    <>
      {turns.turn && (
        <TurnSheet
          transcript={show.transcript}
          view={turns.turn}
          count={show.requests.length}
          variant={trying ? variant : bench.variants[0]!}
          onView={turns.setTurn}
          onClose={() => turns.setTurn(null)}
        />
      )}
      <LabSheets
        open={open}
        transcript={show.transcript}
        bench={bench}
        variant={variant}
        onOpen={onOpen}
        onUse={onSettings}
      />
    </>
  );
}

/** The view. */
export function SettingsView(over: OverProps) {
  const { show, turns, onOpen } = over;
  const { desk, bench, forecasts, variant } = useSimulated(show);
  const [view, setView] = useState<ChartView>("chart");
  useNotes(show, forecasts, variant.letter);
  useLabKeys({ bench, chosen: variant.letter, turns, onView: setView, onOpen });
  return (
    <DeskProvider value={desk}>
      <div className={labCss.labScreen} data-testid="settings-view">
        <Variants show={show} desk={desk} editable={variant.letter !== BASE} onOpen={onOpen} />
        <div className={labCss.labMain}>
          <ChartCard
            show={show}
            desk={desk}
            bench={bench}
            chosen={variant.letter}
            forecasts={forecasts}
            view={view}
            cursor={turns.cursor}
            onView={setView}
            onCursor={turns.moveTo}
            onOpen={turns.openRequest}
          />
          <VariantTable bench={bench} forecasts={forecasts} recorded={show.cost_usd} />
          <DeployedPanel transcript={show.transcript} onOpen={turns.openRequest} />
        </div>
        <SidePanels show={show} forecasts={forecasts} letter={variant.letter} turns={turns} onOpen={onOpen} />
        <Sheets {...over} />
      </div>
    </DeskProvider>
  );
}
