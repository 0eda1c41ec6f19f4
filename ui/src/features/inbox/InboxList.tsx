/**
 * The list of the inbox: what needs a person, then the routine rest. Rows that stand for several changes open below
 * themselves. What arrives above the chosen row moves nothing.
 */
import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef } from "react";
import type { TriageRow } from "@/bindings";
import { VirtualRows } from "@/shared/VirtualRows";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";
import { Head, Item, type RowProps, SectionHeading } from "./InboxRows";
import { RowMenu, useRowMenu } from "./RowMenu";
import { type ListRow, type Stop, stopBeside } from "./rows";

/** Rows that Page Up and Page Down pass over. */
const PAGE_ROWS = 10;

/** Props of the list. */
export interface InboxListProps {
  /** Its rows. */
  rows: readonly ListRow[];
  /** Those of them that can be chosen. */
  stops: readonly Stop[];
  /** The chosen one. */
  chosen: string | null;
  /** Rows of the chosen range. */
  range: readonly Stop[];
  /** Chooses a row, or with `extend` all up to it. */
  onChoose: (key: string, extend: boolean) => void;
  /** Opens or closes a row. */
  onToggle: (row: TriageRow, open: boolean) => void;
  /** Puts the memories of a row back as they were last reviewed. */
  onReject: (row: TriageRow) => void;
  /** Approves everything that needs nobody. */
  onApproveRoutine: () => void;
  /** The name of a store, where rows say it. */
  storeName: (id: string) => string | null;
  /** The entries of a row's menu. */
  menu: (stop: Stop) => ReactNode;
}

/** A function that stays the same and does what the newest one does. */
function useStable<A extends unknown[]>(work: (...args: A) => void): (...args: A) => void {
  const newest = useRef(work);
  useEffect(() => {
    newest.current = work;
  });
  return useCallback((...args: A) => newest.current(...args), []);
}

/** The row that a key leads to. */
function stepOf(event: KeyboardEvent, stops: readonly Stop[], chosen: string | null): Stop | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const steps: Record<string, number> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE_ROWS,
    PageUp: -PAGE_ROWS,
    Home: -stops.length,
    End: stops.length,
  };
  const by = steps[event.key];
  return by === undefined ? null : stopBeside(stops, chosen, by);
}

/** What a key does to the list: it walks, opens or closes. True if it did. */
function onListKey(event: KeyboardEvent, { stops, chosen, onChoose, onToggle }: InboxListProps): boolean {
  const stop = stops.find(({ key }) => key === chosen);
  const step = stepOf(event, stops, chosen);
  if (step) onChoose(step.key, event.shiftKey);
  else if (stop?.kind === "head" && (event.key === "ArrowRight" || event.key === "Enter") && !stop.open)
    onToggle(stop.row, true);
  else if (stop?.kind === "head" && (event.key === "ArrowLeft" || event.key === "Enter") && stop.open)
    onToggle(stop.row, false);
  else if (stop?.kind === "item" && event.key === "ArrowLeft" && stop.below) onChoose(stop.row.id, false);
  else return false;
  return true;
}

/** The list of the inbox. */
export function InboxList(props: InboxListProps) {
  const { rows, stops, chosen, range, storeName, menu } = props;
  const { t } = useLingui();
  const id = useId();
  const scroller = useRef<HTMLElement | null>(null);
  const choose = useStable(props.onChoose);
  const toggle = useStable(props.onToggle);
  const reject = useStable(props.onReject);
  const rowMenu = useRowMenu(scroller, stops, chosen);
  const chosenAt = rows.findIndex(({ key }) => key === chosen);
  const inRange = new Set(range.map(({ key }) => key));
  const places = new Map(stops.map((stop, at) => [stop.key, at + 1]));
  const shared = (stop: Stop): RowProps => ({
    id: `${id}-${stop.key}`,
    chosen: stop.key === chosen,
    inRange: inRange.has(stop.key),
    position: places.get(stop.key) ?? 1,
    total: stops.length,
    store: storeOf(stop, storeName),
    onChoose: choose,
    onReject: reject,
  });
  return (
    <>
      {rowMenu.stop && (
        <RowMenu stop={rowMenu.stop} anchor={rowMenu.anchor} onClose={rowMenu.close}>
          {menu(rowMenu.stop)}
        </RowMenu>
      )}
      <VirtualRows
        items={rows}
        keyOf={({ key }) => key}
        estimate={44}
        // The first row shows the heading above it.
        reveal={chosenAt === 1 ? 0 : chosenAt}
        scroller={(element) => {
          scroller.current = element;
        }}
        role="treegrid"
        tabIndex={0}
        aria-label={t`Unreviewed`}
        aria-multiselectable
        aria-activedescendant={chosenAt < 0 ? undefined : `${id}-${chosen}`}
        className={classes("picker", css.inboxList)}
        onKeyDown={(event) => onListKey(event, props) && event.preventDefault()}
        onClick={rowMenu.onClick}
        onContextMenu={rowMenu.onContextMenu}
        data-testid="inbox-list"
      >
        {(row) =>
          row.kind === "section" ? (
            <SectionHeading section={row} onApprove={props.onApproveRoutine} />
          ) : row.kind === "head" ? (
            <Head of={row} onToggle={toggle} {...shared(row)} />
          ) : (
            <Item of={row} {...shared(row)} />
          )
        }
      </VirtualRows>
    </>
  );
}

/** The store a row names: below a head only where the row is of several. */
function storeOf(stop: Stop, storeName: (id: string) => string | null): string | null {
  const [first] = stop.row.stores;
  if (stop.kind === "item") return stop.below && stop.row.stores.length === 1 ? null : storeName(stop.item.store_id);
  return stop.row.stores.length === 1 && first !== undefined ? storeName(first) : null;
}
