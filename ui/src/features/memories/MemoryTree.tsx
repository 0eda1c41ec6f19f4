/** The side panel of the memories: the store and its tree of files, now or as of an instant. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { Memory } from "@/bindings";
import { Picker } from "@/shared/Picker";
import { neighbour } from "@/shared/Picker";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { ChevronIcon } from "@/shared/icons";
import { StoreState } from "@/shared/labels";
import { type TreeRow, treeRows, WITHOUT_PATH } from "@/shared/tree";
import { Await } from "@/shared/ui";
import { useDropPath } from "@/state/drag";
import { useKeys } from "@/state/keys";
import { chooseMemory, useChosenStore, useMemories } from "@/state/memory";
import { useRead } from "@/state/queries";
import { type MemoriesRoute, navigate } from "@/state/route";
import { InstructionSection } from "./InstructionFiles";
import { LogCalendar } from "./LogCalendar";
import { SnapshotLink } from "./SnapshotPane";

function StoreChooser({ chosen }: { chosen: string }) {
  const { t } = useLingui();
  const { data } = useRead("stores", {});
  const stores = data?.stores ?? [];
  const store = stores.find(({ id }) => id === chosen);
  return (
    <div className="store-chooser">
      <select
        aria-label={t`Store`}
        value={chosen}
        onChange={(event) => navigate({ screen: "memories", store: event.target.value })}
        data-testid="store-select"
      >
        {stores.map(({ id, name }) => (
          <option key={id} value={id}>
            {spelled(name)}
          </option>
        ))}
      </select>
      {store && store.state !== "recording" && <StoreState state={store.state} detail={store.state_detail} />}
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
      <div className={`tree-row${dropPath === row.key ? " is-drop" : ""}`} style={indent}>
        <span className="tree-label" title={row.key}>
          {row.label}
        </span>
        {versions > 1 && (
          <span className="tree-count num" title={t`${versions} versions`}>
            {format.number(versions)}
          </span>
        )}
      </div>
    );
  }
  return (
    <div className={`tree-row tree-folder${row.open ? " is-open" : ""}`} style={indent} data-toggle>
      <span className="tree-chevron">
        <ChevronIcon />
      </span>
      {row.key === WITHOUT_PATH ? (
        <span className="tree-label">
          <Trans>redacted, without a path</Trans>
        </span>
      ) : (
        <span className="tree-label" title={row.key}>
          {row.label}
        </span>
      )}
      {!row.open && <span className="tree-count num">{format.number(row.count)}</span>}
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
    navigate({ screen: "memories", store, memory: row.memory.id, tab, at: route.at }, { replace: true });
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
        <Trans>This store holds no memories at this point.</Trans>
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
      className="memory-tree"
      rowTestId="memory-row"
    >
      {(row) => <Row row={row} />}
    </Picker>
  );
}

/** Whether a memory is shown, and not another page of its store. */
function shown(route: MemoriesRoute): boolean {
  return route.instruction === undefined && route.view === undefined;
}

/** The side panel of the memories. */
export function MemoryTree({ route }: { route: MemoriesRoute }) {
  const { store } = useChosenStore(route);
  const read = useMemories(store?.id ?? null, route.at);
  if (!store) return null;
  return (
    <section className="memory-side" aria-labelledby="memory-side-title">
      <h2 className="visually-hidden" id="memory-side-title">
        <Trans>Store and its memories</Trans>
      </h2>
      <StoreChooser chosen={store.id} />
      <Await read={read} rows={8}>
        {({ memories }) => (
          <>
            <Tree key={store.id} memories={memories} route={route} store={store.id} />
            <LogCalendar
              key={`logs ${store.id}`}
              memories={memories}
              chosen={shown(route) ? chooseMemory(memories, route.memory)?.id : undefined}
              onOpen={(memory) =>
                navigate({ screen: "memories", store: store.id, memory: memory.id, at: route.at }, { replace: true })
              }
            />
          </>
        )}
      </Await>
      <SnapshotLink store={store} chosen={route.view === "snapshot"} />
      <InstructionSection key={`instructions ${store.id}`} store={store} route={route} />
    </section>
  );
}
