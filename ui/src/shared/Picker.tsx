/**
 * A list or tree in which one row is chosen, walked by arrows, `j` and `k`, and by typing. The list has the focus, its
 * active row is named by `aria-activedescendant`; choosing follows walking, so that what is chosen is at once in view.
 */
import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useRef } from "react";
import { isCommandKey } from "@/state/keys";
import { treeMove, type Walkable } from "./tree";
import { VirtualRows } from "./VirtualRows";

/** A row that can be chosen, or a heading between rows. */
export type PickerRow = Walkable & {
  /** A heading: shown, never chosen. */
  heading?: boolean;
  /** Its place among its neighbours, from 1. */
  position?: number;
  /** Number of neighbours. */
  siblings?: number;
};

/** Props of a picker. */
export interface PickerProps<R extends PickerRow> {
  /** `tree` when rows open and close. */
  role: "tree" | "listbox";
  /** Its name. */
  label: string;
  /** The rows. */
  rows: readonly R[];
  /** Key of the chosen row. */
  chosen: string | null;
  /** Chooses a row; `extend` when a second one was meant (Ctrl, Cmd or Shift held). */
  onChoose: (row: R, extend: boolean) => void;
  /** Opens or closes a row, or does what its part marked `data-toggle` is for. */
  onToggle?: (row: R) => void;
  /** Draws a row. */
  children: (row: R) => ReactNode;
  /** Height of a usual row in pixels. */
  estimate: number;
  /** Class of the list. */
  className?: string;
  /** Name of a row for tests. */
  rowTestId: string;
  /** Called when the last rows come into view. */
  onEnd?: (() => void) | undefined;
  /** Gets the element that scrolls. */
  scroller?: (element: HTMLDivElement | null) => void;
  /** Called when it scrolls. */
  onScroll?: (top: number) => void;
  /** Stands below the last row. */
  footer?: ReactNode;
}

/** Typed letters belong together for so many milliseconds. */
const TYPING_MS = 700;

/** A list or tree in which one row is chosen. */
export function Picker<R extends PickerRow>(props: PickerProps<R>) {
  const { role, label, rows, chosen, onChoose, onToggle, children, estimate, className, rowTestId } = props;
  const id = useId();
  const typed = useRef({ text: "", at: 0 });
  const walkable = rows.filter((row) => !row.heading);
  const chosenIndex = rows.findIndex((row) => row.key === chosen);
  // A path may hold a space, an id may not.
  const rowId = (key: string) => `${id}-${encodeURIComponent(key)}`;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const before = event.timeStamp - typed.current.at < TYPING_MS ? typed.current.text : "";
    // A name can be typed as far as its first letter is no command; a row named "undo" must not take `u` away.
    const isLetter = event.key.length === 1 && !["j", "k", " "].includes(event.key);
    if (isLetter && before === "" && isCommandKey(event.nativeEvent)) return;
    const move = treeMove(walkable, chosen, event.key, before);
    if (!move) return;
    const key = "to" in move ? move.to : move.toggle;
    const row = walkable.find((known) => known.key === key);
    if (!row) return;
    event.preventDefault();
    if (event.key.length === 1 && event.key !== " ") typed.current = { text: before + event.key, at: event.timeStamp };
    if (event.key === "j" || event.key === "k") typed.current = { text: "", at: 0 };
    if ("to" in move) onChoose(row, event.shiftKey && event.key.startsWith("Arrow"));
    else onToggle?.(row);
  };
  const onClick = (row: R) => (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    if (target.closest("[data-toggle]") || (!row.leaf && row.key === chosen)) onToggle?.(row);
    else onChoose(row, event.ctrlKey || event.metaKey || event.shiftKey);
  };

  return (
    <VirtualRows
      items={rows}
      keyOf={(row) => row.key}
      estimate={estimate}
      role={role}
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosenIndex < 0 ? undefined : rowId(chosen!)}
      className={`picker ${className ?? ""}`}
      onKeyDown={onKeyDown}
      reveal={chosenIndex}
      onEnd={props.onEnd}
      scroller={props.scroller}
      footer={props.footer}
      onScroll={(event) => props.onScroll?.(event.currentTarget.scrollTop)}
    >
      {(row) =>
        row.heading ? (
          <div className="picker-heading" role="presentation">
            {children(row)}
          </div>
        ) : (
          // The list has the focus and the keys (aria-activedescendant), so its rows need neither.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            id={rowId(row.key)}
            role={role === "tree" ? "treeitem" : "option"}
            aria-selected={row.key === chosen}
            aria-level={role === "tree" ? row.level + 1 : undefined}
            aria-posinset={row.position}
            aria-setsize={row.siblings}
            aria-expanded={row.leaf ? undefined : row.open}
            className="picker-row"
            data-testid={rowTestId}
            data-key={row.key}
            onClick={onClick(row)}
          >
            {children(row)}
          </div>
        )
      }
    </VirtualRows>
  );
}

/** The row after (`by` 1) or before (-1) the chosen one; for keys that work outside of the list. */
export function neighbour<R extends PickerRow>(rows: readonly R[], chosen: string | null, by: 1 | -1): R | undefined {
  const walkable = rows.filter((row) => !row.heading);
  const at = walkable.findIndex((row) => row.key === chosen);
  return walkable[at < 0 ? 0 : Math.max(0, Math.min(at + by, walkable.length - 1))];
}
