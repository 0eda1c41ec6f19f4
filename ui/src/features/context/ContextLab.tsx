/**
 * The context lab: what fills the context of a run, and what a setting would do to it. The variants on the left, what
 * they do in the middle, what it means on the right; each change of a variant is answered at once.
 */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useCallback, useMemo, useState } from "react";
import type { ContextShow, FigureKind, Regret, TranscriptRow } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Await, Button, Empty, Segmented, Skeleton } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useStatusNotes } from "@/state/note";
import { useObservable, useObservableLater } from "@/state/observable";
import { useRead } from "@/state/queries";
import { navigate, type Route } from "@/state/route";
import { AssumedCard } from "./AssumedCard";
import { AtLeast } from "./AtLeast";
import { Chart, type ChartLine } from "./Chart";
import { ConfirmSheet } from "./ConfirmSheet";
import { DeployedPanel } from "./Deployed";
import { type ExportFormat, ExportSheet } from "./ExportSheet";
import { KindLegend } from "./Figure";
import { BASE, type Bench, choose, LETTERS, useBench, useBenchLater } from "./lab";
import { MemorySheet } from "./MemorySheet";
import { CompositionPanel, Figures, MemoryFiles, Regrets } from "./panels";
import { RequestTable, type TableLine } from "./RequestTable";
import { triggerTokens } from "./setting";
import { type Desk, DeskProvider, type Forecasts, useDesk } from "./simulations";
import { SweepSheet } from "./SweepSheet";
import { rowOf, useTranscripts } from "./transcripts";
import { TurnSheet, type TurnView } from "./TurnSheet";
import { useVariantName, VariantEditor } from "./VariantEditor";
import { VariantTable } from "./VariantTable";

type LabRoute = Extract<Route, { screen: "context" }>;
type Open = "confirm" | "sweep" | "memory" | { export: ExportFormat } | null;

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

const Heading = memo(function Heading({
  show,
  session,
  grown,
  onReload,
}: {
  show: ContextShow;
  session: TranscriptRow | null;
  grown: boolean;
  onReload: () => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <header className="lab-head">
      <h1>
        <Trans>Context per request</Trans>
      </h1>
      <p className="muted" title={show.path}>
        <span data-testid="lab-title">{show.title?.trim() || show.transcript}</span>
        {show.agent && (
          <span data-testid="lab-agent" title={show.agent.description ?? undefined}>
            {" · "}
            {show.agent.session === null ? (
              <Trans>subagent {show.agent.agent_type}</Trans>
            ) : (
              <Trans>
                subagent {show.agent.agent_type} of {show.agent.session.slice(0, 8)}
              </Trans>
            )}
          </span>
        )}
        {" · "}
        <Plural value={show.requests.length} one="# request" other="# requests" />
        {show.model && ` · ${show.model}`}
        {show.cost_usd !== null && (
          <>
            {" · "}
            {show.cost_is_lower_bound ? (
              <span>
                <Trans>at least {format.dollars(show.cost_usd)} as recorded</Trans>
              </span>
            ) : (
              <span title={t`Recorded usage at the table of prices`}>
                <Trans>{format.dollars(show.cost_usd)} as recorded</Trans>
              </span>
            )}
          </>
        )}
      </p>
      {show.cost_usd !== null && (
        <AtLeast placeholders={show.requests_with_placeholder_output} fast={show.requests_fast_without_price} />
      )}
      {grown && (
        <Button tone="quiet" onPress={onReload} data-testid="transcript-grown">
          <Trans>It has grown: read again</Trans>
        </Button>
      )}
      {session && session.subagents.length > 0 && (
        <select
          aria-label={t`Main run or subagent`}
          value={show.transcript === session.id ? session.id : show.transcript}
          onChange={(event) => navigate({ screen: "context", transcript: event.target.value })}
          data-testid="subagent-select"
        >
          <option value={session.id}>{t`main run`}</option>
          {session.subagents.map((id, at) => (
            <option key={id} value={id}>
              {t`subagent ${at + 1}`}
            </option>
          ))}
        </select>
      )}
    </header>
  );
});

/** True if the file of a session has grown since it was first seen here. */
function useGrown(bytes: number | null): boolean {
  const [first, setFirst] = useState(bytes);
  if (first === null && bytes !== null) setFirst(bytes);
  return first !== null && bytes !== null && bytes > first;
}

function linesOf(bench: Bench, forecasts: Forecasts, nameOf: ReturnType<typeof useVariantName>): TableLine[] {
  return bench.variants.flatMap((variant) => {
    const simulation = forecasts[variant.letter]?.simulation;
    return simulation ? [{ letter: variant.letter, name: nameOf(variant), simulation }] : [];
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
      trigger={triggerTokens(config)}
      cursor={cursor}
      onCursor={onCursor}
      onOpen={onOpen}
    />
  );
});

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

const Actions = memo(function Actions({ onOpen, editable }: { onOpen: (open: Open) => void; editable: boolean }) {
  return (
    <div className="lab-actions">
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

/** The lab over one transcript. */
function Lab({ show, asked, onReload }: { show: ContextShow; asked: number | undefined; onReload: () => void }) {
  const { t } = useLingui();
  const desk = useDesk(show.transcript);
  // A slider is answered by its own field and by the chart; all else follows when there is time.
  const bench = useBenchLater();
  const forecasts = useObservableLater(desk.forecasts);
  const nameOf = useVariantName();
  const transcripts = useTranscripts();
  const tools = useTools(show);
  const session = rowOf(transcripts.data?.transcripts ?? [], show.transcript);
  const grown = useGrown(session?.bytes ?? null);
  const [view, setView] = useState<"chart" | "table">("chart");
  const [moved, setMoved] = useState<number | null>(null);
  const [turn, setTurn] = useState<TurnView | null>(null);
  // The turn that the address names is opened once; people count from 1.
  const [seen, setSeen] = useState<number | undefined>(undefined);
  if (asked !== seen) {
    setSeen(asked);
    if (asked !== undefined && asked <= show.requests.length) {
      setMoved(asked - 1);
      setTurn({ request: asked - 1, toolUse: null });
    }
  }
  const [open, setOpen] = useState<Open>(null);
  const variant = bench.variants.find(({ letter }) => letter === bench.chosen) ?? bench.variants[0]!;
  const forecast = forecasts[variant.letter];
  const simulation = forecast?.simulation ?? null;
  const lines = useMemo(() => linesOf(bench, forecasts, nameOf), [bench, forecasts, nameOf]);
  const last = show.requests.length - 1;
  const cursor = Math.min(moved ?? last, last);
  const openTurn = useCallback((request: number, toolUse: string | null = null) => {
    setMoved(request);
    setTurn({ request, toolUse });
  }, []);
  const openRequest = useCallback((request: number) => openTurn(request), [openTurn]);
  const openRegret = useCallback((regret: Regret) => openTurn(regret.needed_at, regret.tool_use_id), [openTurn]);
  const openMemory = useCallback(() => setOpen("memory"), []);
  useNotes(show, forecasts, variant.letter);
  useKeys([
    ...bench.variants.map(({ letter }) => ({
      keys: String(LETTERS.indexOf(letter) + 1),
      label: t`Variant ${letter}`,
      run: () => choose(letter),
    })),
    { keys: "t", label: t`Chart or table`, run: () => setView(view === "chart" ? "table" : "chart") },
    { keys: "o", label: t`Messages of the request`, run: () => openTurn(cursor) },
    { keys: "e", label: t`Export the variant`, run: () => variant.letter !== BASE && setOpen({ export: "json" }) },
  ]);
  const kinds: FigureKind[] = [
    ...new Set([...lines.map((line) => line.simulation.totals.kind), "counted offline" as const]),
  ];
  return (
    <DeskProvider value={desk}>
      <main className="screen lab-screen" data-testid="lab">
        <div className="lab-variants">
          <VariantEditor desk={desk} tools={tools} />
          <Actions onOpen={setOpen} editable={variant.letter !== BASE} />
          <AssumedCard recorded={show.model} />
        </div>
        <div className="lab-main">
          <Heading show={show} session={session} grown={grown} onReload={onReload} />
          <section className="card chart-card" aria-label={t`Context per request`}>
            <div className="chart-tools">
              <KindLegend kinds={kinds} />
              <span className="spacer" />
              <Segmented
                label={t`View`}
                value={view}
                options={[
                  { value: "chart", label: t`Chart` },
                  { value: "table", label: t`Table` },
                ]}
                onChange={setView}
              />
            </div>
            {lines.length === 0 ? (
              <div className="chart-wait">
                <Skeleton rows={4} />
              </div>
            ) : view === "chart" ? (
              <LiveChart show={show} desk={desk} cursor={cursor} onCursor={setMoved} onOpen={openRequest} />
            ) : (
              <RequestTable
                show={show}
                lines={lines}
                chosen={variant.letter}
                cursor={cursor}
                onCursor={setMoved}
                onOpen={openRequest}
              />
            )}
          </section>
          <VariantTable bench={bench} forecasts={forecasts} />
          <DeployedPanel transcript={show.transcript} onOpen={openRequest} />
          {show.remarks.length > 0 && (
            <details className="remarks small muted">
              <summary>
                <Plural value={show.remarks.length} one="# remark on the file" other="# remarks on the file" />
              </summary>
              <ul>
                {show.remarks.map((remark) => (
                  <li key={remark.text}>
                    <ProgramText text={remark} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
        <aside className="lab-side-panels" aria-label={t`Figures`}>
          {simulation && (
            <Figures simulation={simulation} base={forecasts[BASE]?.simulation ?? null} letter={variant.letter} />
          )}
          {simulation && variant.letter !== BASE && <Regrets regrets={simulation.regrets} onOpen={openRegret} />}
          <CompositionPanel
            show={show}
            cursor={cursor}
            simulation={simulation}
            letter={variant.letter}
            onOpen={openRequest}
          />
          <MemoryFiles files={show.memory_files} onAll={openMemory} />
        </aside>
        {turn && (
          <TurnSheet
            transcript={show.transcript}
            view={turn}
            count={show.requests.length}
            variant={variant}
            onView={setTurn}
            onClose={() => setTurn(null)}
          />
        )}
        {open === "confirm" && (
          <ConfirmSheet transcript={show.transcript} variant={variant} onClose={() => setOpen(null)} />
        )}
        {open === "sweep" && <SweepSheet transcript={show.transcript} onClose={() => setOpen(null)} />}
        {open === "memory" && <MemorySheet onClose={() => setOpen(null)} />}
        {open !== null && typeof open === "object" && (
          <ExportSheet
            transcript={show.transcript}
            variant={variant}
            others={bench.variants.filter(({ letter }) => letter !== variant.letter)}
            first={open.export}
            onClose={() => setOpen(null)}
          />
        )}
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
