/**
 * Rows that scroll. A short list is simply there, so that the browser can search it; of a long one only what is in view
 * is built.
 */
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type HTMLAttributes, type ReactNode, type UIEvent, useEffect, useLayoutEffect, useRef } from "react";

/** Up to so many rows are built at once. */
const SHORT = 250;

/** Props of a list of rows. */
export interface VirtualRowsProps<T> extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  /** The rows. */
  items: readonly T[];
  /** A name that stays with a row. */
  keyOf: (item: T, index: number) => string | number;
  /** Height of a usual row in pixels; each row is measured once it is there. */
  estimate: number;
  /** Draws a row. */
  children: (item: T, index: number) => ReactNode;
  /** The row to bring into view whenever this number changes. */
  reveal?: number | null | undefined;
  /** Where it should come to stand. */
  revealAt?: "center" | "auto";
  /** Called when the last rows come into view. */
  onEnd?: (() => void) | undefined;
  /** Gets the element that scrolls. */
  scroller?: ((element: HTMLDivElement | null) => void) | undefined;
  /** Stands below the last row. */
  footer?: ReactNode;
}

/** Distance to the end, in pixels, at which more rows are asked for. */
const NEAR_END = 1200;

/**
 * Keeps what is on screen where it is when rows come or go above it. The browser does so for a short list by itself; the rows of
 * a long one are placed by their offsets, which it does not follow.
 */
function useSteady(virtual: Virtualizer<HTMLDivElement, Element>, items: readonly unknown[], long: boolean) {
  const held = useRef<{ items: readonly unknown[]; key: unknown; gap: number } | null>(null);
  useLayoutEffect(() => {
    const last = held.current;
    const top = virtual.scrollOffset ?? 0;
    if (long && last && last.items !== items && top > 0) {
      const now = virtual.measurementsCache.find(({ key }) => key === last.key);
      if (now && now.start + last.gap !== top) virtual.scrollToOffset(now.start + last.gap);
    }
    const first = virtual.getVirtualItems().find(({ end }) => end > top);
    held.current = first ? { items, key: first.key, gap: top - first.start } : null;
  });
}

/** Rows that scroll. */
export function VirtualRows<T>(props: VirtualRowsProps<T>) {
  const {
    items,
    keyOf,
    estimate,
    children,
    reveal,
    revealAt = "auto",
    onEnd,
    scroller,
    footer,
    onScroll,
    ...rest
  } = props;
  const element = useRef<HTMLDivElement>(null);
  const long = items.length > SHORT;
  const virtual = useVirtualizer({
    count: long ? items.length : 0,
    getScrollElement: () => element.current,
    estimateSize: () => estimate,
    getItemKey: (index) => keyOf(items[index]!, index),
    overscan: 12,
  });
  useSteady(virtual, items, long);

  useEffect(() => {
    if (reveal === null || reveal === undefined || reveal < 0) return;
    if (long) {
      virtual.scrollToIndex(reveal, { align: revealAt });
      return;
    }
    const row = element.current?.querySelector(`[data-row="${reveal}"]`);
    // jsdom has no layout and so no scrollIntoView.
    row?.scrollIntoView?.({ block: revealAt === "center" ? "center" : "nearest" });
  }, [reveal, revealAt, long, virtual]);

  const scrolled = (event: UIEvent<HTMLDivElement>) => {
    onScroll?.(event);
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) onEnd?.();
  };
  const attach = (node: HTMLDivElement | null) => {
    element.current = node;
    scroller?.(node);
  };

  return (
    <div {...rest} ref={attach} onScroll={scrolled}>
      {long ? (
        <div className="virtual-rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((row) => (
            <div
              key={row.key}
              ref={virtual.measureElement}
              data-index={row.index}
              data-row={row.index}
              className="virtual-row"
              role="presentation"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {children(items[row.index]!, row.index)}
            </div>
          ))}
        </div>
      ) : (
        items.map((item, index) => (
          <div key={keyOf(item, index)} data-row={index} role="presentation">
            {children(item, index)}
          </div>
        ))
      )}
      {footer}
    </div>
  );
}
