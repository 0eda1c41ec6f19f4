/**
 * The list of the inbox. Only what is in view is built, with heights that are known beforehand, so that ten thousand rows
 * scroll as ten do. What arrives above the chosen row moves nothing: the list scrolls along by as much.
 */
import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import { GroupHeading, Item } from "./InboxRows";
import { RowMenu, useRowMenu } from "./RowMenu";
import { type InboxRow, itemBeside, type ItemRow } from "./rows";
import { useScrolling } from "./scrolling";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

/** Items that Page Up and Page Down pass over. */
const PAGE_ITEMS = 10;

/** Props of the list. */
export interface InboxListProps {
  /** Its rows. */
  rows: readonly InboxRow[];
  /** Those of them that can be chosen. */
  items: readonly ItemRow[];
  /** Items on all pages. */
  total: number;
  /** The memory that is chosen. */
  chosen: string | null;
  /** Chooses a memory. */
  onChoose: (memory: string) => void;
  /** The name of a store, where rows say it. */
  storeName: (id: string) => string | null;
  /** Asks for more; absent when all is there. */
  onEnd: (() => void) | undefined;
  /** The entries of a row's menu. */
  menu: (row: ItemRow) => ReactNode;
}

/** A function that stays the same and does what the newest one does. */
function useStable(work: (memory: string) => void): (memory: string) => void {
  const stable = useRef(work);
  useEffect(() => {
    stable.current = work;
  });
  return useMemo(() => (memory: string) => stable.current(memory), []);
}

/** The item that a key leads to. */
function stepOf(event: KeyboardEvent, items: readonly ItemRow[], chosen: string | null): ItemRow | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_ITEMS,
    PageUp: -PAGE_ITEMS,
    Home: -items.length,
    End: items.length,
  };
  const by = steps[event.key];
  return by === undefined ? null : itemBeside(items, chosen, by);
}

/** The list of the inbox. */
export function InboxList({ rows, items, total, chosen, onChoose, storeName, onEnd, menu }: InboxListProps) {
  const { t } = useLingui();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const { offsets, range, chosenAt, onScroll } = useScrolling(scroller, rows, chosen, onEnd);
  const choose = useStable(onChoose);
  const rowMenu = useRowMenu(scroller, items, chosen);
  const rowId = (key: string) => `${id}-${key}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const row = stepOf(event, items, chosen);
    if (!row) return;
    event.preventDefault();
    onChoose(row.key);
  };
  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={t`Unreviewed`}
      aria-activedescendant={chosenAt < 0 || chosen === null ? undefined : rowId(chosen)}
      className={classes("picker", css.inboxList)}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
      onClick={rowMenu.onClick}
      onContextMenu={rowMenu.onContextMenu}
      data-testid="inbox-list"
    >
      {rowMenu.row && (
        <RowMenu row={rowMenu.row} anchor={rowMenu.anchor} onClose={rowMenu.close}>
          {menu(rowMenu.row)}
        </RowMenu>
      )}
      <div className="virtual-rows" role="presentation" style={{ height: offsets.at(-1) }}>
        {rows.slice(range.first, range.last).map((row, at) => (
          <div
            key={row.key}
            className="virtual-row"
            role="presentation"
            style={{ transform: `translateY(${offsets[range.first + at]}px)` }}
          >
            {row.kind === "group" ? (
              <GroupHeading group={row.group} storeName={storeName} />
            ) : (
              <Item
                id={rowId(row.key)}
                item={row.item}
                chosen={row.key === chosen}
                position={row.position}
                total={total}
                store={row.mixed ? storeName(row.item.store_id) : null}
                onChoose={choose}
              />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
