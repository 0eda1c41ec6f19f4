/** The screen of the timeline: every operation, newest first, and what it changed. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useRef, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { Operation, Version } from "@/bindings";
import { neighbour, Picker } from "@/shared/Picker";
import { DiffModeSwitch, DiffPanel } from "@/shared/DiffPanel";
import { RedactedDiff } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { Moment, Note, OperationSign, OperationWord, Source, VersionCounts } from "@/shared/labels";
import { sessionPlace, useSessionName } from "@/shared/session";
import { StoreChoice } from "@/shared/StoreChoice";
import { fileName, folderOf } from "@/shared/text";
import { Button, Chip, Empty, Failure, Skeleton } from "@/shared/ui";
import { startAct } from "@/state/acts";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { useNow } from "@/state/now";
import { useTimeline } from "@/state/queries";
import { navigate, type Route } from "@/state/route";
import { OperationWriter, OperationWriters, useStoreNameOf } from "./OperationWriter";
import { ManyTitle, OperationTitle } from "./OperationTitle";
import { isMany, operationKey, sizeOf, type TimelineRow, timelineRows } from "./rows";
import { Writer } from "@/shared/Writer";
import { writersOf } from "./writers";
import { classes } from "@/shared/classes";
import { sayFailed } from "@/shared/say-failed";
import css from "./timeline.module.css";

type TimelineRoute = Extract<Route, { screen: "timeline" }>;

/** Scrolled further than this, in pixels, the list holds still and says how many operations are new. */
const AWAY_PX = 80;
/** Most versions of one operation that are asked for at once. */
const MAX_VERSIONS = 1000;

function Counts({ operation }: { operation: Operation }) {
  const { t } = useLingui();
  const { created, modified, deleted } = operation;
  return (
    <span
      className="operation-counts num"
      role="img"
      aria-label={t`${created} created, ${modified} modified, ${deleted} deleted`}
    >
      {created > 0 && <span className="operation-created">+{created}</span>}
      {modified > 0 && <span className="operation-modified">~{modified}</span>}
      {deleted > 0 && <span className="operation-deleted">−{deleted}</span>}
    </span>
  );
}

function OperationRow({ row }: { row: Extract<TimelineRow, { kind: "operation" }> }) {
  const { operation } = row;
  const storeName = useStoreNameOf();
  return (
    <div className={css.timelineOperation}>
      <span className={`tree-chevron${row.open ? " is-open" : ""}${row.leaf ? " is-blank" : ""}`} data-toggle>
        <ChevronIcon />
      </span>
      <span className={css.timelineTitle} title={operation.versions[0]?.path ?? undefined}>
        <OperationTitle operation={operation} />
      </span>
      {operation.undone_by !== null && (
        <Chip>
          <Trans>undone</Trans>
        </Chip>
      )}
      <Counts operation={operation} />
      <Moment at={operation.created_at} form="time" />
      <span className={css.timelineMore}>
        {operation.source !== "scan" && (
          <>
            <span className={css.timelineAct}>
              <Source source={operation.source} by={operation.created_by} />
            </span>
            {" · "}
          </>
        )}
        {storeName(operation)} · <OperationWriter operation={operation} brief />
        {operation.note && (
          <>
            {" "}
            · <Note text={operation.note} />
          </>
        )}
      </span>
    </div>
  );
}

function VersionRow({ operation, version }: { operation: Operation; version: Version }) {
  return (
    <div className={css.timelineVersion}>
      <OperationSign version={version} />
      <span className={css.timelinePath}>
        {version.previous_path && version.previous_path !== version.path && (
          <span className="muted">{version.previous_path} → </span>
        )}
        {version.path ? (
          <>
            {fileName(version.path)} <span className={css.timelineFolder}>{folderOf(version.path)}</span>
          </>
        ) : (
          <Chip tone="redact">
            <Trans>redacted</Trans>
          </Chip>
        )}
      </span>
      <VersionCounts version={version} />
      {writersOf(operation).kind !== "one" && (
        <span className={css.timelineWriter}>
          <Writer of={version} brief />
        </span>
      )}
    </div>
  );
}

function TimelineRowView({ row }: { row: TimelineRow }) {
  const format = useFormat();
  const now = useNow();
  switch (row.kind) {
    case "day":
      return <div className={css.timelineDay}>{format.dayHeading(row.at, now)}</div>;
    case "operation":
      return <OperationRow row={row} />;
    case "version":
      return <VersionRow operation={row.operation} version={row.version} />;
    case "more":
      return (
        <div className={classes(css.timelineVersion, "muted")}>
          <Plural value={row.hidden} one="show # more" other="show # more" />
        </div>
      );
  }
}

/** The session that wrote what is chosen: the change, or all of the operation. */
function sessionOf(operation: Operation, version: Version | null) {
  const { actor, origin } = version
    ? { actor: version.created_by, origin: version.origin }
    : { actor: null, origin: null, ...writersOf(operation) };
  return actor?.type === "session_actor" ? { id: actor.session_id, origin } : null;
}

/** Acts on an operation. */
function OperationActions({ operation, version }: { operation: Operation; version: Version | null }) {
  const { t } = useLingui();
  const storeName = useStoreNameOf();
  const format = useFormat();
  const now = useNow();
  const subject = `${storeName(operation)}, ${format.moment(operation.created_at, now)}`;
  const redaction = operation.source === "redact";
  const wrote = sessionOf(operation, version);
  const session = wrote?.id ?? null;
  const rollback = () => startAct({ command: "rollback", request: { operation_seq: operation.seq }, subject });
  const undo = () => startAct({ command: "undo", request: { operation_seq: operation.seq }, subject });
  const origin = wrote?.origin;
  const name = useSessionName()({ title: origin?.title, prompt: origin?.prompt, at: operation.created_at });
  const openSession = () => session && navigate(sessionPlace(session));
  const rollbackSession = () =>
    session && startAct({ command: "rollback", request: { session }, subject: t`session “${name}”` });
  useKeys([
    { keys: "x", label: t`Roll back the chosen operation`, run: rollback, enabled: !redaction },
    { keys: "u", label: t`Undo the chosen act`, run: undo, enabled: operation.undoable },
  ]);
  return (
    <div className="pane-actions">
      <Button tone="danger" keys="x" onPress={rollback} isDisabled={redaction} data-testid="rollback-operation">
        <Trans>Roll back this operation…</Trans>
      </Button>
      {operation.undoable && (
        <Button keys="u" onPress={undo} data-testid="undo-operation">
          <Trans>Undo this act…</Trans>
        </Button>
      )}
      {session && (
        <Button onPress={openSession} data-testid="open-session">
          <Trans>Open session</Trans>
        </Button>
      )}
      {session && (
        <Button onPress={rollbackSession} data-testid="rollback-session">
          <Trans>Roll back the whole session…</Trans>
        </Button>
      )}
      {redaction && (
        <span className="muted">
          <Trans>A redaction cannot be undone.</Trans>
        </span>
      )}
    </div>
  );
}

function OperationFacts({ operation, version }: { operation: Operation; version: Version | null }) {
  const { t } = useLingui();
  const format = useFormat();
  const storeName = useStoreNameOf();
  return (
    <div className="operation-facts" data-testid="operation-facts">
      <p>
        {operation.source !== "scan" && (
          <>
            <strong>
              <Source source={operation.source} by={operation.created_by} />
            </strong>
            {" · "}
          </>
        )}
        {version ? <Writer of={version} /> : <OperationWriter operation={operation} />} · {storeName(operation)} ·{" "}
        {format.exact(operation.created_at)}
      </p>
      {!version && <OperationWriters operation={operation} />}
      {operation.note && (
        <p className="muted">
          <Note text={operation.note} />
        </p>
      )}
      {operation.undone_by !== null && <p className="muted">{t`Undone by operation ${operation.undone_by}.`}</p>}
    </div>
  );
}

/** The name of a change's memory, where it is, and what happened to it. */
function ShownTitle({
  operation,
  shown,
  below = false,
}: {
  operation: Operation;
  shown: Version | null;
  below?: boolean;
}) {
  const { t } = useLingui();
  const Title = below ? "h3" : "h2";
  return (
    <div className="pane-title">
      <Title className={below ? undefined : "opened-title"} title={shown?.path ?? undefined}>
        {shown ? fileName(shown.path ?? t`Redacted memory`) : t`Operation ${operation.seq}`}
      </Title>
      {shown?.path && <span className="muted">{folderOf(shown.path)}</span>}
      {shown && (
        <Chip>
          <OperationWord version={shown} />
        </Chip>
      )}
    </div>
  );
}

function Detail({ operation, version }: { operation: Operation; version: Version | null }) {
  const { t } = useLingui();
  const shown = version ?? operation.versions[0] ?? null;
  const count = sizeOf(operation);
  const many = !version && isMany(operation);
  return (
    <section className="pane" aria-label={t`The chosen change`}>
      <header className="pane-header">
        {many ? (
          <div className="pane-title">
            <h2 className="opened-title">
              <ManyTitle operation={operation} />
            </h2>
          </div>
        ) : (
          <ShownTitle operation={operation} shown={shown} />
        )}
        <div className="pane-tools">
          {shown && (
            <Button
              tone="quiet"
              data-testid="open-memory"
              onPress={() =>
                navigate({
                  screen: "memories",
                  store: shown.store_id,
                  memory: shown.memory_id,
                  version: shown.id,
                  tab: "diff",
                })
              }
            >
              <Trans>Open in Memories</Trans>
            </Button>
          )}
          <DiffModeSwitch />
        </div>
      </header>
      <OperationFacts operation={operation} version={version} />
      {!version && count > 1 && (
        <div className={css.paneNote}>
          {many && <ShownTitle operation={operation} shown={shown} below />}
          <p className="muted">{t`This is the first of ${plural(count, { one: "# change", other: "# changes" })}. Open the row to see the others.`}</p>
        </div>
      )}
      <div className="pane-body">
        {shown && shown.redacted_at !== null ? (
          <RedactedDiff />
        ) : shown ? (
          <DiffPanel a={shown.id} />
        ) : (
          <Empty title={t`No versions`} />
        )}
      </div>
      <OperationActions operation={operation} version={version} />
    </section>
  );
}

/** Holds the list still while somebody reads further down: operations newer than `top` wait. */
function useHeldBack(operations: readonly Operation[]) {
  const [top, setTop] = useState<number | null>(null);
  const shown = top === null ? operations : operations.filter(({ seq }) => seq <= top);
  const onScroll = (scrollTop: number) => {
    if (scrollTop < AWAY_PX) setTop(null);
    else setTop((known) => known ?? operations[0]?.seq ?? null);
  };
  return { shown, waiting: operations.length - shown.length, onScroll, release: () => setTop(null) };
}

/** Operations that are open, and all versions of those that were asked for. */
function useOpened() {
  const backend = useBackend();
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [all, setAll] = useState<ReadonlyMap<number, readonly Version[]>>(new Map());
  const showAll = async ({ seq }: Operation) => {
    try {
      const page = await backend.call("log", { operation_seq: seq, limit: MAX_VERSIONS });
      setAll((known) => new Map(known).set(seq, page.versions));
    } catch (cause) {
      sayFailed(cause);
    }
  };
  const toggle = ({ seq }: Operation) => {
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  return { open, all, showAll, toggle };
}

function List({
  route,
  operations,
  onEnd,
}: {
  route: TimelineRoute;
  operations: readonly Operation[];
  onEnd: (() => void) | undefined;
}) {
  const { t } = useLingui();
  const scroller = useRef<HTMLDivElement | null>(null);
  const opened = useOpened();
  const held = useHeldBack(operations);
  const rows = useMemo(() => timelineRows(held.shown, opened.open, opened.all), [held.shown, opened.open, opened.all]);
  const newest = operations[0];
  const chosenSeq = route.operation ?? newest?.seq ?? null;
  const chosen = route.version ?? (chosenSeq === null ? null : operationKey(chosenSeq));
  const operation = operations.find(({ seq }) => seq === chosenSeq) ?? null;
  const versions = operation ? (opened.all.get(operation.seq) ?? operation.versions) : [];
  const version = versions.find(({ id }) => id === route.version) ?? null;

  const choose = (row: TimelineRow) => {
    if (row.kind === "day") return;
    if (row.kind === "more") {
      void opened.showAll(row.operation);
      return;
    }
    const picked = row.kind === "version" ? row.version.id : undefined;
    navigate({ ...route, operation: row.operation.seq, version: picked }, { replace: true });
  };
  const toggle = (row: TimelineRow) => {
    if (row.kind !== "operation") return;
    opened.toggle(row.operation);
    navigate({ ...route, operation: row.operation.seq, version: undefined }, { replace: true });
  };
  const step = (by: 1 | -1) => {
    const row = neighbour(rows, chosen, by);
    if (row) choose(row);
  };
  useKeys([
    { keys: "j", label: t`Next row`, run: () => step(1) },
    { keys: "k", label: t`Previous row`, run: () => step(-1) },
  ]);
  const release = () => {
    held.release();
    scroller.current?.scrollTo?.({ top: 0 });
  };

  return (
    <>
      <div className={css.timelineList}>
        {held.waiting > 0 && (
          <AriaButton className={css.newPill} onPress={release} data-testid="new-pill">
            <Plural value={held.waiting} one="# new" other="# new" />
          </AriaButton>
        )}
        <Picker
          role="tree"
          label={t`Operations`}
          rows={rows}
          chosen={chosen}
          onChoose={choose}
          onToggle={toggle}
          estimate={52}
          rowTestId="timeline-row"
          onEnd={onEnd}
          scroller={(element) => (scroller.current = element)}
          onScroll={held.onScroll}
        >
          {(row) => <TimelineRowView row={row} />}
        </Picker>
      </div>
      {operation ? (
        <Detail operation={operation} version={version} />
      ) : (
        <Empty title={t`Not among the newest operations`}>
          <Trans>Scroll the list down to it.</Trans>
        </Empty>
      )}
    </>
  );
}

/** The screen of the timeline. */
export function TimelineScreen({ route }: { route: TimelineRoute }) {
  const { t } = useLingui();
  const timeline = useTimeline(route.store ?? null);
  const operations = useMemo(() => timeline.data?.pages.flatMap((page) => page.operations) ?? [], [timeline.data]);
  const more = timeline.hasNextPage && !timeline.isFetchingNextPage ? () => void timeline.fetchNextPage() : undefined;
  return (
    <main className={classes("screen", css.timelineScreen)}>
      <header className="list-header">
        <h1>
          <Trans>Timeline</Trans>
        </h1>
        <StoreChoice
          store={route.store}
          onChange={(store) => navigate({ screen: "timeline", store })}
          testId="timeline-store"
        />
      </header>
      {timeline.error ? (
        <Failure error={timeline.error} retry={() => void timeline.refetch()} />
      ) : timeline.isPending ? (
        <Skeleton rows={10} />
      ) : operations.length === 0 ? (
        <Empty title={t`Nothing recorded yet`}>
          <Trans>Changes appear here as soon as they are seen on disk.</Trans>
        </Empty>
      ) : (
        <List key={route.store ?? ""} route={route} operations={operations} onEnd={more} />
      )}
    </main>
  );
}
