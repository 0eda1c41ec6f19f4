/**
 * Which rows of the inbox are built, and where the list stands. The heights are known beforehand; what arrives above the
 * chosen row moves nothing.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type InboxRow, rowAt, rowOffsets } from "./rows";

/** Distance to the end, in pixels, at which the next page is asked for. */
const NEAR_END = 2500;
/** Up to so many rows are simply there, so that the browser can search them. */
const SHORT = 250;
/** Pixels above and below what is in view in which rows are built, and rows that are built at once. */
const AROUND_PX = 600;
const STEP = 8;

/** The element that scrolls. */
export type Scroller = { readonly current: HTMLElement | null };

/** The rows to build: those in view with some above and below, in steps, so that most scrolling builds nothing. */
function useRange(scrollerRef: Scroller, offsets: readonly number[]) {
  const count = offsets.length - 1;
  const [range, setRange] = useState({ first: 0, last: SHORT });
  const follow = useCallback(() => {
    const element = scrollerRef.current;
    if (!element || count <= SHORT) return;
    const [top, bottom] = [element.scrollTop - AROUND_PX, element.scrollTop + element.clientHeight + AROUND_PX];
    const first = Math.floor(rowAt(offsets, top) / STEP) * STEP;
    const last = Math.ceil((rowAt(offsets, bottom) + 1) / STEP) * STEP;
    setRange((known) => (known.first === first && known.last === last ? known : { first, last }));
  }, [scrollerRef, offsets, count]);
  useLayoutEffect(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => observer.disconnect();
  }, [follow, scrollerRef]);
  return { range: count <= SHORT ? { first: 0, last: count } : range, follow };
}

/** Brings the chosen row into view when another one is chosen; rows that move by themselves move nothing. */
function useReveal(scrollerRef: Scroller, offsets: readonly number[], chosenAt: number, chosen: string | null) {
  const newest = useRef({ offsets, chosenAt });
  useEffect(() => {
    newest.current = { offsets, chosenAt };
  });
  useEffect(() => {
    const { offsets: known, chosenAt: at } = newest.current;
    const element = scrollerRef.current;
    if (!element || at < 0) return;
    // The first item of all shows its heading with it.
    const top = at === 1 ? 0 : known[at]!;
    const bottom = known[at + 1]!;
    if (top < element.scrollTop) element.scrollTo?.({ top });
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTo?.({ top: bottom - element.clientHeight });
  }, [chosen, scrollerRef]);
}

/** Keeps what is on screen where it is when rows come or go above it. */
function useSteadyScroll(
  scrollerRef: Scroller,
  rows: readonly InboxRow[],
  offsets: readonly number[],
  chosen: string | null,
) {
  const before = useRef<{ rows: readonly InboxRow[]; offsets: readonly number[] } | null>(null);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { rows, offsets };
    const element = scrollerRef.current;
    if (!last || last.rows === rows || !element || element.scrollTop === 0) return;
    const top = element.scrollTop;
    const [first, end] = [rowAt(last.offsets, top), rowAt(last.offsets, top + element.clientHeight)];
    const inView = last.rows.slice(first, end + 1);
    // The chosen row if it is in view, and the first one that still is there otherwise.
    const anchors = [...inView.filter(({ key }) => key === chosen), ...inView].filter(({ kind }) => kind === "item");
    for (const anchor of anchors) {
      const now = rows.findIndex(({ key }) => key === anchor.key);
      if (now < 0) continue;
      const was = last.offsets[first + inView.indexOf(anchor)]!;
      element.scrollTo?.({ top: top + offsets[now]! - was });
      return;
    }
  }, [rows, offsets, chosen, scrollerRef]);
}

/** Asks for more near the end. Who waits there scrolls no more: it is asked for as soon as it can be. */
function useEnd(scroller: Scroller, rows: readonly InboxRow[], onEnd: (() => void) | undefined) {
  const goOn = () => {
    const element = scroller.current;
    if (element && element.scrollTop > 0 && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END)
      onEnd?.();
  };
  const canGoOn = onEnd !== undefined;
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    if (canGoOn) latest.current();
  }, [canGoOn, rows]);
  return goOn;
}

/** The rows that are built, and what follows the scrolling. */
export function useScrolling(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly InboxRow[],
  chosen: string | null,
  onEnd: (() => void) | undefined,
) {
  const offsets = useMemo(() => rowOffsets(rows), [rows]);
  const { range, follow } = useRange(scroller, offsets);
  useSteadyScroll(scroller, rows, offsets, chosen);
  const chosenAt = useMemo(() => rows.findIndex(({ key }) => key === chosen), [rows, chosen]);
  useReveal(scroller, offsets, chosenAt, chosen);
  const goOn = useEnd(scroller, rows, onEnd);
  const onScroll = () => {
    follow();
    goOn();
  };
  return { offsets, range, chosenAt, onScroll };
}
