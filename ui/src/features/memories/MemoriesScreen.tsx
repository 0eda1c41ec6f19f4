/** The screen of the memories: one memory with its content, its history and its differences. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components/Tabs";
import { ToggleButton } from "react-aria-components/ToggleButton";
import type { Document, IndexCut, Memory, Store } from "@/bindings";
import { DiffModeSwitch, DiffPanel } from "@/shared/DiffPanel";
import { RedactedDiff } from "@/shared/DiffView";
import { DocumentView, RedactedContent } from "@/shared/DocumentView";
import { OriginPanel } from "@/shared/OriginPanel";
import { useFormat } from "@/shared/format";
import { KindChips } from "@/shared/kinds";
import { Moment } from "@/shared/labels";
import { isLimitedIndex } from "@/shared/limits";
import { Comma, Space } from "@/shared/punctuation";
import { fileName, folderOf, shorten } from "@/shared/text";
import { Await, Button, Chip, CopyButton, Empty, Failure, Kbd, Skeleton } from "@/shared/ui";
import { startAct } from "@/state/acts";
import { useKeys } from "@/state/keys";
import {
  type DiskState,
  memoryOf,
  type NumberedVersion,
  useChosenStore,
  useDiskState,
  useMemories,
  useVersions,
} from "@/state/memory";
import { useRead } from "@/state/queries";
import { type MemoriesRoute, navigate, type Tab as TabName, TABS } from "@/state/route";
import { HistoryTable } from "./HistoryTable";
import { BlameView } from "./BlameView";
import { MemoryFindings } from "./MemoryFindings";
import { IndexDocument } from "./IndexDocument";
import { InstructionPane } from "./InstructionFiles";
import { ReachView } from "./reach/ReachView";
import { SnapshotPane } from "./SnapshotPane";
import { TimeMachine } from "./TimeMachine";
import { UseSection } from "./UseSection";
import { VersionList } from "./VersionList";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

/** Shared state of the screen's parts. */
interface Shown {
  store: Store;
  /** The memory's row; null when it is gone at this point. */
  memory: Memory | null;
  memoryId: string;
  versions: NumberedVersion[];
  chosen: NumberedVersion;
  path: string | null;
  tab: TabName;
  go: (change: Partial<MemoriesRoute>) => void;
}

function nameOf(one: NumberedVersion): string {
  return one.number === null ? shorten(one.version.id, 7, 6) : `v${one.number}`;
}

function DiskNotice({ state, onCompare }: { state: "differs" | "gone"; onCompare: () => void }) {
  return (
    <div className="notice" role="status" data-testid="disk-differs">
      {state === "gone" ? (
        <Trans>The file is not on disk any more. This is not recorded yet.</Trans>
      ) : (
        <Trans>
          The file on disk is not the newest version. It is recorded by the next scan, or before anything is written to
          it.
        </Trans>
      )}
      {state === "differs" && (
        <Button onPress={onCompare}>
          <Trans>Show the difference</Trans>
        </Button>
      )}
    </div>
  );
}

function Header({ shown, cut }: { shown: Shown; cut: IndexCut | null }) {
  const { t } = useLingui();
  const { path, memory, chosen, versions, tab, go } = shown;
  const title = path === null ? t`Redacted memory` : fileName(path);
  const folder = path === null ? "" : folderOf(path);
  const newest = versions[0];
  const labels: Record<TabName, string> = { content: t`Content`, history: t`History`, diff: t`Diff`, reach: t`Reach` };
  return (
    <header className="pane-header">
      <div className="pane-title">
        <h1 title={path ?? undefined} data-testid="memory-title">
          {title}
        </h1>
        {folder && <span className="muted">{folder}</span>}
        {memory && <KindChips kind={memory.kind} />}
        {cut && (
          <AriaButton
            className="chip chip-warn chip-button"
            data-testid="cut-chip"
            onPress={() => go({ tab: "content", line: cut.line })}
          >
            <Plural value={cut.lost} one="# line is not loaded" other="# lines are not loaded" />
          </AriaButton>
        )}
        {!memory && (
          <Chip tone="del">
            <Trans>not in the directory</Trans>
          </Chip>
        )}
        {chosen !== newest && tab !== "history" && tab !== "reach" && <Chip tone="accent">{nameOf(chosen)}</Chip>}
      </div>
      <TabList aria-label={t`Views of the memory`} className="segmented">
        {TABS.map((name) => (
          <Tab key={name} id={name} className="segment" data-testid={`tab-${name}`}>
            {labels[name]}
            {name === "history" && newest?.number && <span className="num"> {newest.number}</span>}
          </Tab>
        ))}
      </TabList>
    </header>
  );
}

/** The two sides of a comparison, each of them any version. */
function Sides({ shown, base }: { shown: Shown; base: string | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const { versions, chosen, go } = shown;
  const label = (one: NumberedVersion) => `${nameOf(one)} · ${format.exact(one.version.created_at)}`;
  return (
    <div className="diff-sides">
      <select
        aria-label={t`Older side`}
        value={base ?? ""}
        onChange={(event) => go({ base: event.target.value || undefined, tab: "diff" })}
        data-testid="diff-from"
      >
        <option value="">{t`the version before`}</option>
        {versions
          .filter((one) => one !== chosen)
          .map((one) => (
            <option key={one.version.id} value={one.version.id}>
              {label(one)}
            </option>
          ))}
      </select>
      <span aria-hidden>→</span>
      <select
        aria-label={t`Newer side`}
        value={chosen.version.id}
        onChange={(event) => go({ version: event.target.value, tab: "diff" })}
        data-testid="diff-to"
      >
        {versions.map((one) => (
          <option key={one.version.id} value={one.version.id}>
            {label(one)}
          </option>
        ))}
      </select>
      <span className="spacer" />
      <DiffModeSwitch />
    </div>
  );
}

function Difference({ shown, base }: { shown: Shown; base: string | undefined }) {
  const { chosen, versions, store, path } = shown;
  if (base === "disk" && path)
    return (
      <>
        <div className="diff-sides">
          <span>
            <Trans>{nameOf(versions[0] ?? chosen)} → the file on disk</Trans>
          </span>
          <span className="spacer" />
          <DiffModeSwitch />
        </div>
        <DiffPanel a={`${store.id}:${path}`} />
      </>
    );
  const other = versions.find(({ version }) => version.id === base)?.version;
  // The list is in the order in which things happened; what was rebuilt has a later place in the log.
  const placeOf = (id: string) => versions.findIndex(({ version }) => version.id === id);
  const otherIsNewer = other !== undefined && placeOf(other.id) < placeOf(chosen.version.id);
  const [older, newer] = otherIsNewer ? [chosen.version, other] : [other, chosen.version];
  return (
    <>
      <Sides shown={shown} base={base} />
      {newer.redacted_at !== null || (older && older.redacted_at !== null) ? (
        <RedactedDiff />
      ) : (
        <DiffPanel a={older?.id ?? newer.id} b={older ? newer.id : null} />
      )}
    </>
  );
}

function Facts({ shown, document }: { shown: Shown; document: Document | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const { chosen, versions, store } = shown;
  const { version } = chosen;
  const oldest = versions.at(-1);
  const hash = version.content_sha256;
  const none = version.redacted_at === null ? t`no content` : t`redacted`;
  return (
    <dl className="facts">
      <dt>
        <Trans>size</Trans>
      </dt>
      <dd className="num">
        {version.content_size_bytes === null ? none : format.bytes(version.content_size_bytes)}
        {document && document.lines.length > 0 && (
          <>
            <Comma />
            <Plural value={document.lines.length} one="# line" other="# lines" />
          </>
        )}
      </dd>
      <dt>
        <Trans>versions</Trans>
      </dt>
      <dd className="num">{format.number(versions[0]?.number ?? versions.length)}</dd>
      <dt>
        <Trans>hash</Trans>
      </dt>
      <dd className="mono" title={hash ?? undefined}>
        {hash ? (
          <>
            {shorten(hash)} <CopyButton text={hash} label={t`Copy the whole hash`} />
          </>
        ) : (
          none
        )}
      </dd>
      {oldest?.number === 1 && (
        <>
          <dt>
            <Trans>first seen</Trans>
          </dt>
          <dd>
            <Moment at={oldest.version.created_at} form="moment" />
          </dd>
        </>
      )}
      <dt>
        <Trans>last change</Trans>
      </dt>
      <dd>
        <Moment at={versions[0]?.version.created_at ?? version.created_at} form="moment" />
      </dd>
      <dt>
        <Trans>store</Trans>
      </dt>
      <dd title={store.root}>{store.name}</dd>
    </dl>
  );
}

/** Why a version cannot be brought back; null when it can. */
function useRollbackBar(): (one: NumberedVersion) => string | null {
  const { t } = useLingui();
  return ({ version }) => {
    if (version.redacted_at !== null) return t`This version was redacted; there is nothing to restore.`;
    if (version.operation === "deleted") return t`This version is a deletion. Choose one with content.`;
    if (version.content_kind === "too_large") return t`The content was too large to record.`;
    return null;
  };
}

/**
 * The version that a rollback goes to: the chosen one, or the one before it when the chosen one is what is on disk, since
 * who looks at the newest change and rolls back means to be rid of it.
 */
function rollbackTarget({ chosen, versions }: Shown, onDisk: boolean): NumberedVersion | null {
  if (chosen !== versions[0] || !onDisk) return chosen;
  return versions[1] ?? null;
}

function Actions({ shown, disk }: { shown: Shown; disk: DiskState }) {
  const { t } = useLingui();
  const { chosen, memoryId, path } = shown;
  const { version } = chosen;
  const barOf = useRollbackBar();
  const target = rollbackTarget(shown, disk === "same");
  const bar = target === null ? t`This is the only version, and it is what is on disk.` : barOf(target);
  const name = nameOf(target ?? chosen);
  const rollback = () =>
    target &&
    startAct({
      command: "rollback",
      request: { memory: memoryId, to: target.version.id },
      subject: `${path ?? memoryId} → ${name}`,
    });
  const redact = () => navigate({ screen: "redactions", versions: [version.id] });
  const redacted = version.redacted_at !== null;
  useKeys([
    { keys: "x", label: t`Roll back to ${name}`, run: rollback, enabled: bar === null },
    { keys: "r", label: t`Redact the chosen version`, run: redact, enabled: !redacted },
  ]);
  return (
    <div className="pane-actions">
      <Button tone="danger" keys="x" onPress={rollback} isDisabled={bar !== null} data-testid="rollback-button">
        {t`Roll back to ${name}`}
      </Button>
      <Button keys="r" onPress={redact} isDisabled={redacted} data-testid="redact-button">
        <Trans>Redact…</Trans>
      </Button>
      {bar && <span className="muted">{bar}</span>}
      <span className="spacer" />
      <CopyButton text={version.id} label={t`Copy the version's id`} />
      <span className={classes("muted", css.hint)}>
        <Trans>
          Next <Kbd keys="j" />
        </Trans>
      </span>
    </div>
  );
}

function MemoryPane({ shown, route, older }: { shown: Shown; route: MemoriesRoute; older: (() => void) | null }) {
  const { t } = useLingui();
  const { chosen, versions, path, store, memory, tab, go } = shown;
  const [blamed, setBlamed] = useState(false);
  const wanted = chosen.version.operation !== "deleted";
  const redacted = chosen.version.redacted_at !== null;
  const read = useRead("document", { target: chosen.version.id, highlight: true }, { enabled: wanted && !redacted });
  const document = wanted && !redacted ? read.data : undefined;
  const live = memory && route.at === undefined ? path : null;
  const disk = useDiskState(store.id, live, versions[0]?.version.content_sha256 ?? null);
  const cut = document?.cut ?? null;
  const choose = (version: string, extend: boolean) => {
    if (extend && version !== chosen.version.id)
      go({ base: version, version: chosen.version.id, tab: "diff", line: undefined });
    else go({ version, base: undefined, tab: "diff", line: undefined });
  };
  // The history lists every version itself: a second list beside it would say the same.
  const isWhole = tab === "reach" || tab === "history";
  return (
    <>
      <Tabs
        className={classes("pane", isWhole && css.wholePane)}
        selectedKey={tab}
        onSelectionChange={(key) => go({ tab: key as TabName })}
      >
        <Header shown={shown} cut={cut} />
        {(disk === "differs" || disk === "gone") && (
          <DiskNotice state={disk} onCompare={() => go({ base: "disk", version: undefined, tab: "diff" })} />
        )}
        {live !== null && (
          <MemoryFindings
            store={store.id}
            memory={memory?.id ?? null}
            path={live}
            onLine={(line) => go({ tab: "content", version: undefined, base: undefined, line })}
          />
        )}
        {tab !== "history" && tab !== "reach" && <OriginPanel versionId={chosen.version.id} />}
        <TabPanel id="content" className="pane-body">
          {wanted && !redacted && (
            <div className="diff-sides">
              <span className="spacer" />
              <ToggleButton className="link-button" isSelected={blamed} onChange={setBlamed} data-testid="blame-toggle">
                <Trans>Who wrote each line</Trans>
              </ToggleButton>
            </div>
          )}
          {blamed && wanted && !redacted ? (
            <BlameView target={chosen.version.id} onOpen={(version) => choose(version, false)} />
          ) : redacted ? (
            <RedactedContent />
          ) : wanted ? (
            <Await read={read} rows={10}>
              {(loaded) =>
                path && chosen === versions[0] && route.at === undefined && isLimitedIndex(path, store.kind) ? (
                  <IndexDocument document={loaded} store={store.id} path={path} line={route.line} />
                ) : (
                  <DocumentView document={loaded} line={route.line} />
                )
              }
            </Await>
          ) : (
            <Empty title={t`Deleted`}>
              <Trans>
                This version deleted the file. Select an older one on the right to see and restore its content.
              </Trans>
            </Empty>
          )}
        </TabPanel>
        <TabPanel id="history" className="pane-body">
          <HistoryTable
            versions={versions}
            chosen={chosen.version.id}
            more={older}
            onChoose={(version) => go({ version, base: undefined })}
            onOpen={(version) => go({ version, base: undefined, tab: "diff" })}
          />
        </TabPanel>
        <TabPanel id="diff" className="pane-body">
          <Difference shown={shown} base={route.base} />
        </TabPanel>
        <TabPanel id="reach" className="pane-body">
          <ReachPane shown={shown} line={route.line} />
        </TabPanel>
        {tab !== "reach" && <Actions shown={shown} disk={disk} />}
      </Tabs>
      {!isWhole && <Aside shown={shown} route={route} document={document} older={older} onChoose={choose} />}
    </>
  );
}

/** Facts and versions beside a memory. */
function Aside({
  shown,
  route,
  document,
  older,
  onChoose,
}: {
  shown: Shown;
  route: MemoriesRoute;
  document: Document | undefined;
  older: (() => void) | null;
  onChoose: (version: string, extend: boolean) => void;
}) {
  const { t } = useLingui();
  const { store, memory, path, chosen, versions } = shown;
  return (
    <aside className={classes("side", css.aside)} aria-label={t`Facts and versions`}>
      <Facts shown={shown} document={document} />
      {memory && path !== null && <UseSection target={`${store.id}:${path}`} name={fileName(path)} />}
      <div className={css.sideHeading}>
        <h2>
          <Trans>Versions</Trans>
        </h2>
        <span className={classes("muted", css.hint)}>
          <Trans>
            <Kbd keys="mod" /> click compares
          </Trans>
        </span>
      </div>
      <VersionList
        versions={versions}
        chosen={chosen.version.id}
        base={route.base}
        onChoose={onChoose}
        onEnd={older ?? undefined}
      />
    </aside>
  );
}

/** Reach of the newest version, whichever is chosen elsewhere. */
function ReachPane({ shown, line }: { shown: Shown; line: number | undefined }) {
  const { t } = useLingui();
  const { store, path, versions, go } = shown;
  const newest = versions.find(({ version }) => version.operation !== "deleted")?.version;
  const readable = newest !== undefined && newest.redacted_at === null;
  const read = useRead("document", { target: newest?.id ?? "", highlight: false }, { enabled: readable });
  if (path === null || !readable) return <Empty title={t`No content whose reach could be shown`} />;
  return (
    <ReachView
      target={`${store.id}:${path}`}
      document={read.data}
      line={line}
      onLine={(to) => go({ line: to, tab: "reach" })}
      onVersion={(version) => go({ version, base: undefined, line: undefined, tab: "diff" })}
    />
  );
}

/** A version further back than the pages read so far; null while it is not needed or not there yet. */
function useOlder(version: string | undefined, known: boolean): NumberedVersion | null {
  const read = useRead(
    "show",
    { version: version ?? "", content: false },
    { enabled: version !== undefined && !known },
  );
  return read.data && !known ? { version: read.data, number: null } : null;
}

function MemoryById({
  id,
  memory,
  store,
  route,
}: {
  id: string;
  memory: Memory | null;
  store: Store;
  route: MemoriesRoute;
}) {
  const { t } = useLingui();
  const { log, versions } = useVersions(id, route.at === undefined ? (memory?.versions ?? null) : null);
  const asOf = route.at === undefined ? undefined : memory?.version_id;
  const wanted = route.version ?? asOf;
  const older = useOlder(wanted, log.isPending || versions.some(({ version }) => version.id === wanted));
  if (log.error) return <Failure error={log.error} retry={() => void log.refetch()} />;
  if (log.isPending) return <Skeleton rows={10} />;
  const chosen = versions.find(({ version }) => version.id === wanted) ?? older ?? versions[0];
  if (!chosen)
    return (
      <Empty whole title={t`Nothing recorded`}>
        <Trans>The log holds no version of this memory.</Trans>
      </Empty>
    );
  const path = memory?.path ?? versions.find(({ version }) => version.path !== null)?.version.path ?? null;
  const go = (change: Partial<MemoriesRoute>) =>
    navigate({ ...route, store: store.id, memory: id, ...change }, { replace: true });
  const more = log.hasNextPage ? () => void log.fetchNextPage() : null;
  const shown: Shown = { store, memory, memoryId: id, versions, chosen, path, tab: route.tab ?? "content", go };
  return <MemoryPane shown={shown} route={route} older={more} />;
}

/** The screen of the memories. */
export function MemoriesScreen({ route }: { route: MemoriesRoute }) {
  const { t } = useLingui();
  const { read: stores, store } = useChosenStore(route);
  const read = useMemories(store?.id ?? null, route.at);
  if (stores.error) return <Failure error={stores.error} retry={() => void stores.refetch()} />;
  if (!stores.data) return <Skeleton rows={10} />;
  if (!store)
    return (
      <Empty
        whole
        title={t`No store yet`}
        action={
          <Button tone="primary" onPress={() => navigate({ screen: "stores" })}>
            <Trans>Find agent memory</Trans>
          </Button>
        }
      >
        <Trans>Retrace records directories. Add one.</Trans>
      </Empty>
    );
  if (route.instruction !== undefined) return <InstructionPane store={store} path={route.instruction} />;
  if (route.view === "snapshot") return <SnapshotPane key={store.id} store={store} />;
  const setAt = (at: number | undefined) =>
    navigate(
      { ...route, store: store.id, at, version: undefined, base: undefined, line: undefined },
      { replace: true },
    );
  return (
    <main className={classes("screen", css.memoriesScreen)}>
      <Await read={read} rows={10}>
        {({ memories }) => {
          const memory = memoryOf(memories, route);
          const id = route.memory ?? memory?.id;
          if (!id && memories.length > 0)
            return (
              <Empty
                whole
                title={t`No memory of this kind here`}
                action={
                  <Button
                    tone="primary"
                    onPress={() => navigate({ ...route, kind: undefined })}
                    data-testid="memories-all-kinds"
                  >
                    <Trans>Show all kinds</Trans>
                  </Button>
                }
              >
                <Plural
                  value={memories.length}
                  one="This store holds # memory of another kind."
                  other="This store holds # memories of other kinds."
                />
              </Empty>
            );
          if (!id)
            return (
              <Empty whole title={t`No memory here`}>
                <Trans>As soon as a file appears in {store.root}, it is recorded and shown here.</Trans>
                <Space />
                {store.versions > 0 && <Trans>Earlier versions are on the axis below.</Trans>}
              </Empty>
            );
          return <MemoryById key={id} id={id} memory={memory} store={store} route={route} />;
        }}
      </Await>
      <TimeMachine store={store} at={route.at} onAt={setAt} />
    </main>
  );
}
