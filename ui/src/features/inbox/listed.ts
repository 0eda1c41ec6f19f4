/** What the inbox lists, which row or range is chosen, and the state of it that the person saw. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { InboxItem, Triage } from "@/bindings";
import { diffRequest } from "@/shared/DiffPanel";
import { useBackend } from "@/state/backend";
import { useDiffMode } from "@/state/settings";
import { sidesOf } from "./Change";
import type { Opening } from "./opening";
import { type ListRow, listRows, type Stop, stopBeside, stopsBetween, stopsOf } from "./rows";

/** Rows after the chosen one whose difference is read beforehand, and before it. */
const AHEAD = [1, 2, -1];

/** Reads the differences of the neighbours, so that the next one is there when it is asked for. */
function usePrefetch(stops: readonly Stop[], chosen: string | null) {
  const backend = useBackend();
  const queries = useQueryClient();
  const [mode] = useDiffMode();
  useEffect(() => {
    for (const by of AHEAD) {
      const stop = stopBeside(stops, chosen, by);
      const item = stop?.kind === "item" ? stop.item : null;
      const sides = item && item.content_kind !== "binary" ? sidesOf(item) : null;
      if (!sides) continue;
      const request = diffRequest(sides.a, sides.b, mode === "words");
      void queries.prefetchQuery({ queryKey: ["diff", request], queryFn: () => backend.call("diff", request) });
    }
  }, [stops, chosen, mode, backend, queries]);
}

/**
 * The chosen row: the one the address names, or the one that was there first. Where it is gone, the one that stands in its
 * place. What arrives above it does not take its place.
 */
function useChosen(stops: readonly Stop[], wanted: string | undefined): Stop | null {
  const [held, setHeld] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const placeOf = (key: string | null | undefined) => stops.findIndex((stop) => stop.key === key);
  const found = [placeOf(wanted), placeOf(held.key)].find((at) => at >= 0);
  const first = stops.indexOf(stopBeside(stops, null, 0)!);
  const instead = held.key === null ? Math.max(first, 0) : held.place;
  const place = found ?? Math.max(0, Math.min(instead, stops.length - 1));
  const stop = stops[place] ?? null;
  if ((stop?.key ?? null) !== held.key || (stop && place !== held.place)) setHeld({ key: stop?.key ?? null, place });
  return stop;
}

/** The item as it was when it was chosen; a newer state of it waits until the person looks. */
function useSeen(chosen: Stop | null): [InboxItem | null, () => void] {
  const [seen, setSeen] = useState<InboxItem | null>(null);
  const now = chosen?.kind === "item" ? chosen.item : null;
  const moved = seen?.memory_id !== now?.memory_id;
  // Later facts of the same version (its findings, its origin) are taken over.
  const newer = !moved && seen !== now && seen?.version_id === now?.version_id;
  if (moved || newer) setSeen(now);
  return [moved || newer ? now : seen, () => setSeen(now)];
}

/** What is listed and chosen. */
export interface Listed {
  /** All rows. */
  rows: readonly ListRow[];
  /** Those that can be chosen. */
  stops: readonly Stop[];
  /** The chosen row. */
  stop: Stop | null;
  /** Its key. */
  chosen: string | null;
  /** The chosen change as the person saw it; null where a row of several is chosen. */
  seen: InboxItem | null;
  /** Shows the newest state of it. */
  showNewest: () => void;
  /** Rows of the range that is chosen, in their order; empty where one row is. */
  range: readonly Stop[];
  /** Where the range begins; null for none. */
  anchor: string | null;
  /** Begins or ends a range. */
  setAnchor: (key: string | null) => void;
}

/** What is listed; `wanted` is the row that the address names. */
export function useListed(triage: Triage, { isOpen, members }: Opening, wanted: string | undefined): Listed {
  const rows = useMemo(() => listRows(triage, isOpen, members), [triage, isOpen, members]);
  const stops = useMemo(() => stopsOf(rows), [rows]);
  const [anchor, setAnchor] = useState<string | null>(null);
  const stop = useChosen(stops, wanted);
  const [seen, showNewest] = useSeen(stop);
  const chosen = stop?.key ?? null;
  const between = anchor === null ? [] : stopsBetween(stops, anchor, chosen);
  const range = between.length > 1 ? between : [];
  usePrefetch(stops, chosen);
  return { rows, stops, stop, chosen, seen, showNewest, range, anchor, setAnchor };
}
