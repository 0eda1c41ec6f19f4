/** The side panel of the memories: the store and its tree of files, now or as of an instant. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useMemo, useState } from "react";
import type { Memory } from "@/bindings";
import { Picker } from "@/shared/Picker";
import { neighbour } from "@/shared/Picker";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { ChevronIcon } from "@/shared/icons";
import { KindChoice } from "@/shared/KindChoice";
import { StoreState } from "@/shared/labels";
import { type TreeRow, treeRows, WITHOUT_PATH } from "@/shared/tree";
import { Await } from "@/shared/ui";
import { useDropPath } from "@/state/drag";
import { useKeys } from "@/state/keys";
import { countKinds } from "@/state/kinds";
import { chooseMemory, memoryOf, shownMemories, useChosenStore, useMemories } from "@/state/memory";
import { useRead } from "@/state/queries";
import { type MemoriesRoute, navigate } from "@/state/route";
import { InstructionSection } from "./InstructionFiles";
import { LogCalendar } from "./LogCalendar";
import { SnapshotLink } from "./SnapshotPane";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

interface StoreChooserProps {
  chosen: string;
  /** The kind that is shown, which another store goes on to show. */
  kind: string | undefined;
  /** Filters of the list below. */
  children: ReactNode;
}

function StoreChooser({ chosen, kind, children }: StoreChooserProps) {
  const { t } = useLingui();
  const { data } = useRead("stores", {});
  const stores = data?.stores ?? [];
  const store = stores.find(({ id }) => id === chosen);
  return (
    <div className={css.storeChooser}>
      <select
        aria-label={t`Store`}
        value={chosen}
        onChange={(event) => navigate({ screen: "memories", store: event.target.value, kind })}
        data-testid="store-select"
      >
        {stores.map(({ id, name }) => (
          <option key={id} value={id}>
            {spelled(name)}
          </option>
        ))}
      </select>
      {store && store.state !== "recording" && <StoreState state={store.state} detail={store.state_detail} />}
      {children}
    </div>
  );
}

function Row({ row }: { row: TreeRow }) {
  const { t } = useLingui();
  const format = useFormat();
  const indent = { paddingInlineStart: 9 + row.level * 14 };
  const dropPath = useDropPath();
  if (row.leaf) {
    const versions = row.memory?.versions ?? 0;
    return (
      <div className={classes(css.treeRow, dropPath === row.key && "is-drop")} style={indent}>
        <span className={css.treeLabel} title={row.key}>
          {row.label}
        </span>
        {versions > 1 && (
          <span className={classes(css.treeCount, "num")} title={t`${versions} versions`}>
            {format.number(versions)}
          </span>
        )}
      </div>
    );
  }
  return (
    <div className={classes(css.treeRow, "tree-folder", row.open && "is-open")} style={indent} data-toggle>
      <span className="tree-chevron">
        <ChevronIcon />
      </span>
      {row.key === WITHOUT_PATH ? (
        <span className={css.treeLabel}>
          <Trans>redacted, without a path</Trans>
        </span>
      ) : (
        <span className={css.treeLabel} title={row.key}>
          {row.label}
        </span>
      )}
      {!row.open && <span className={classes(css.treeCount, "num")}>{format.number(row.count)}</span>}
    </div>
  );
}

function Tree({ memories, route, store }: { memories: readonly Memory[]; route: MemoriesRoute; store: string }) {
  const { t } = useLingui();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set([WITHOUT_PATH]));
  const [folder, setFolder] = useState<string | null>(null);
  const rows = useMemo(() => treeRows(memories, closed), [memories, closed]);
  const memory = chooseMemory(memories, route.memory);
  const chosen = folder ?? (shown(route) ? (memory?.path ?? memory?.id ?? null) : null);

  const choose = (row: TreeRow) => {
    setFolder(row.memory ? null : row.key);
    if (!row.memory) return;
    const tab = route.tab === "history" ? route.tab : undefined;
    const { at, kind } = route;
    navigate({ screen: "memories", store, memory: row.memory.id, tab, at, kind }, { replace: true });
  };
  const toggle = (row: TreeRow) => {
    const next = new Set(closed);
    if (!next.delete(row.key)) next.add(row.key);
    setClosed(next);
    setFolder(row.key);
  };
  const step = (by: 1 | -1) => {
    const row = neighbour(rows, chosen, by);
    if (row) choose(row);
  };
  useKeys([
    { keys: "j", label: t`Next row`, run: () => step(1) },
    { keys: "k", label: t`Previous row`, run: () => step(-1) },
  ]);

  if (memories.length === 0)
    return (
      <p className="side-note">
        {route.kind === undefined ? (
          <Trans>This store holds no memories at this point.</Trans>
        ) : (
          <Trans>This store holds no memories of this kind.</Trans>
        )}
      </p>
    );
  return (
    <Picker
      role="tree"
      label={t`Memories`}
      rows={rows}
      chosen={chosen}
      onChoose={choose}
      onToggle={toggle}
      estimate={30}
      className={css.memoryTree}
      rowTestId="memory-row"
    >
      {(row) => <Row row={row} />}
    </Picker>
  );
}

/** True if a memory is shown, and not another page of its store. */
function shown(route: MemoriesRoute): boolean {
  return route.instruction === undefined && route.view === undefined;
}

/** The tree, and the calendar where there are daily logs; both of the kind that is chosen. */
function Listed({ memories: all, route, store }: { memories: readonly Memory[]; route: MemoriesRoute; store: string }) {
  const memories = useMemo(() => shownMemories(all, route.kind), [all, route.kind]);
  const open = (memory: Memory) =>
    navigate({ screen: "memories", store, memory: memory.id, at: route.at, kind: route.kind }, { replace: true });
  return (
    <>
      <Tree key={store} memories={memories} route={route} store={store} />
      <LogCalendar
        key={`logs ${store}`}
        memories={memories}
        chosen={shown(route) ? memoryOf(all, route)?.id : undefined}
        onOpen={open}
      />
    </>
  );
}

/** The side panel of the memories. */
export function MemoryTree({ route }: { route: MemoriesRoute }) {
  const { store } = useChosenStore(route);
  const read = useMemories(store?.id ?? null, route.at);
  const counts = useMemo(() => countKinds(read.data?.memories ?? []), [read.data]);
  if (!store) return null;
  const narrow = (kind: string | undefined) => {
    // The shown memory stays where the list goes on to hold it; otherwise it makes room for the first that it holds.
    const memories = read.data?.memories ?? [];
    const now = memoryOf(memories, route);
    const { tab, at } = route;
    if (now && shownMemories(memories, kind).includes(now)) navigate({ ...route, memory: now.id, kind });
    else navigate({ screen: "memories", store: store.id, tab, at, kind });
  };
  return (
    <section className="memory-side" aria-labelledby="memory-side-title">
      <h2 className="visually-hidden" id="memory-side-title">
        <Trans>Store and its memories</Trans>
      </h2>
      <StoreChooser chosen={store.id} kind={route.kind}>
        <KindChoice kind={route.kind} counts={counts} onChange={narrow} testId="memories-kind" />
      </StoreChooser>
      <Await read={read} rows={8}>
        {({ memories }) => <Listed memories={memories} route={route} store={store.id} />}
      </Await>
      <SnapshotLink store={store} chosen={route.view === "snapshot"} />
      <InstructionSection key={`instructions ${store.id}`} store={store} route={route} />
    </section>
  );
}
