/**
 * The context lab: what fills the context of a run, and what a setting would do to it. The variants on the left, what
 * they do in the middle, what it means on the right; each change of a variant is answered at once.
 */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useCallback, useMemo, useState } from "react";
import type { ContextShow } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Await, Button, Empty } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useStatusNotes } from "@/state/note";
import { useObservableLater } from "@/state/observable";
import { useRead } from "@/state/queries";
import type { Route } from "@/state/route";
import { AssumedCard } from "./AssumedCard";
import { ChartCard, type ChartView } from "./ChartCard";
import { DeployedPanel } from "./Deployed";
import { BASE, type Bench, choose, type Letter, LETTERS, useBenchLater } from "./lab";
import { LabHeading } from "./LabHeading";
import { LabSheets, type OpenSheet } from "./LabSheets";
import { CompositionPanel } from "./CompositionPanel";
import { Figures, MemoryFiles, Regrets } from "./panels";
import { type Desk, DeskProvider, type Forecasts, useDesk } from "./simulations";
import { useTranscripts } from "./transcripts";
import { TurnSheet } from "./TurnSheet";
import { Unanswered } from "./Unanswered";
import { type Turns, useTurns } from "./turns";
import { VariantEditor } from "./VariantEditor";
import { VariantTable } from "./VariantTable";
import { classes } from "@/shared/classes";
import variantsCss from "./variants.module.css";
import panelsCss from "./panels.module.css";
import labCss from "./lab.module.css";

type LabRoute = Extract<Route, { screen: "context" }>;

/** Notes of the status line: how many requests were simulated, how fast, and how they were counted. */
function useNotes(show: ContextShow, forecasts: Forecasts, chosen: string) {
  const { t } = useLingui();
  const format = useFormat();
  const requests = plural(show.requests.length, { one: "# request", other: "# requests" });
  const milliseconds = forecasts[chosen as keyof Forecasts]?.milliseconds ?? null;
  const time = milliseconds === null ? null : format.number(Math.max(1, Math.round(milliseconds)));
  const family = show.family_assumed ? t`${show.family} (assumed)` : show.family;
  useStatusNotes([
    time === null ? requests : t`${requests} simulated in ${time} ms`,
    show.family_range_percent === null
      ? t`counter: offline, tokenizer ${family}`
      : t`counter: an estimate, the tokenizer of ${show.model ?? ""} is not known`,
  ]);
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
      <Button tone="primary" isDisabled={!editable} onPress={() => onOpen("confirm")} data-testid="open-confirm">
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

/** What is said of the file. */
function Remarks({ remarks }: { remarks: ContextShow["remarks"] }) {
  if (remarks.length === 0) return null;
  return (
    <details className={classes(panelsCss.remarks, "small muted")}>
      <summary>
        <Plural value={remarks.length} one="# remark on the file" other="# remarks on the file" />
      </summary>
      <ul>
        {remarks.map((remark) => (
          <li key={remark.text}>
            <ProgramText text={remark} />
          </li>
        ))}
      </ul>
    </details>
  );
}

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
  const simulation = forecasts[letter]?.simulation ?? null;
  const openMemory = useCallback(() => onOpen("memory"), [onOpen]);
  return (
    <aside className={labCss.labSidePanels} aria-label={t`Figures`}>
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

/** The lab over one transcript. */
function Lab({ show, asked, onReload }: { show: ContextShow; asked: number | undefined; onReload: () => void }) {
  const { desk, bench, forecasts, variant } = useSimulated(show);
  const turns = useTurns(show, asked);
  const [view, setView] = useState<ChartView>("chart");
  const [open, setOpen] = useState<OpenSheet>(null);
  useNotes(show, forecasts, variant.letter);
  useLabKeys({ bench, chosen: variant.letter, turns, onView: setView, onOpen: setOpen });
  return (
    <DeskProvider value={desk}>
      <main className={classes("screen", labCss.labScreen)} data-testid="lab">
        <Variants show={show} desk={desk} editable={variant.letter !== BASE} onOpen={setOpen} />
        <div className={labCss.labMain}>
          <LabHeading show={show} onReload={onReload} />
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
          <VariantTable bench={bench} forecasts={forecasts} />
          <DeployedPanel transcript={show.transcript} onOpen={turns.openRequest} />
          <Unanswered requests={show.unanswered} />
          <Remarks remarks={show.remarks} />
        </div>
        <SidePanels show={show} forecasts={forecasts} letter={variant.letter} turns={turns} onOpen={setOpen} />
        {turns.turn && (
          <TurnSheet
            transcript={show.transcript}
            view={turns.turn}
            count={show.requests.length}
            variant={variant}
            onView={turns.setTurn}
            onClose={() => turns.setTurn(null)}
          />
        )}
        <LabSheets open={open} transcript={show.transcript} bench={bench} variant={variant} onOpen={setOpen} />
      </main>
    </DeskProvider>
  );
}

function Opened({ transcript, turn }: { transcript: string; turn?: number | undefined }) {
  const { t } = useLingui();
  const read = useRead("context_show", { transcript });
  const { refetch } = read;
  const reload = useCallback(() => void refetch(), [refetch]);
  return (
    <Await read={read} rows={12}>
      {(show) =>
        show.requests.length === 0 ? (
          <main className="screen">
            <Empty title={t`No call of a model in it`}>
              <Trans>This transcript holds messages but no answer of a model, so there is no context to show.</Trans>
            </Empty>
          </main>
        ) : (
          <Lab key={`${show.transcript} ${read.dataUpdatedAt}`} show={show} asked={turn} onReload={reload} />
        )
      }
    </Await>
  );
}

/** The transcript that opens when none is named: the newest that has something to show. */
function useFirst(): { read: ReturnType<typeof useTranscripts>; first: string | null } {
  const read = useTranscripts();
  const rows = read.data?.transcripts ?? [];
  return { read, first: (rows.find(({ requests }) => requests > 1) ?? rows[0])?.id ?? null };
}

function Choose() {
  const { t } = useLingui();
  const { read, first } = useFirst();
  if (first !== null) return <Opened transcript={first} />;
  return (
    <Await read={read} rows={12}>
      {({ index }) => (
        <main className="screen">
          {index.running ? (
            <Empty title={t`Looking for transcripts`}>
              <Trans>The first scan reads them all; later scans read only what is new.</Trans>
            </Empty>
          ) : (
            <Empty title={t`No transcripts yet`}>
              <Trans>
                The lab shows what filled the context of runs of Claude Code, Codex, Copilot and others, from the
                transcripts that they leave on this machine. None was found.
              </Trans>
            </Empty>
          )}
        </main>
      )}
    </Await>
  );
}

/** The screen of the context lab. */
export function ContextLab({ route }: { route: LabRoute }) {
  return route.transcript ? <Opened transcript={route.transcript} turn={route.turn} /> : <Choose />;
}
