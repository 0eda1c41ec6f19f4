/** What the inbox lists, which item is chosen, and the state of it that the person saw. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { InboxItem } from "@/bindings";
import { diffRequest } from "@/shared/DiffPanel";
import { useBackend } from "@/state/backend";
import type { useInbox } from "@/state/inbox";
import { useDiffMode } from "@/state/settings";
import { sidesOf } from "./ItemPanel";
import { type InboxRow, inboxRows, itemBeside, type ItemRow } from "./rows";

/** Pages of the inbox as they are read. */
export type Pages = ReturnType<typeof useInbox>;

/** Items after the chosen one whose difference is read beforehand, and before it. */
const AHEAD = [1, 2, -1];

/** Reads the differences of the neighbours, so that the next one is there when it is asked for. */
function usePrefetch(items: readonly ItemRow[], chosen: string | null) {
  const backend = useBackend();
  const queries = useQueryClient();
  const [mode] = useDiffMode();
  useEffect(() => {
    for (const by of AHEAD) {
      const item = itemBeside(items, chosen, by)?.item;
      const sides = item && item.content_kind !== "binary" ? sidesOf(item) : null;
      if (!sides) continue;
      const request = diffRequest(sides.a, sides.b, mode === "words");
      void queries.prefetchQuery({ queryKey: ["diff", request], queryFn: () => backend.call("diff", request) });
    }
  }, [items, chosen, mode, backend, queries]);
}

/**
 * The chosen row: the one the address names, or the one that was there first. Where it is gone, the one that stands in its
 * place. What arrives above it does not take its place.
 */
function useChosen(items: readonly ItemRow[], wanted: string | undefined): ItemRow | null {
  const [held, setHeld] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const placeOf = (key: string | null | undefined) => items.findIndex((item) => item.key === key);
  const found = [placeOf(wanted), placeOf(held.key)].find((at) => at >= 0);
  const place = found ?? Math.max(0, Math.min(held.place, items.length - 1));
  const row = items[place] ?? null;
  if ((row?.key ?? null) !== held.key || (row && place !== held.place)) setHeld({ key: row?.key ?? null, place });
  return row;
}

/** The item as it was when it was chosen; a newer state of it waits until the person looks. */
function useSeen(chosen: ItemRow | null): [InboxItem | null, () => void] {
  const [seen, setSeen] = useState<InboxItem | null>(null);
  const now = chosen?.item ?? null;
  const moved = seen?.memory_id !== now?.memory_id;
  // Later facts of the same version (its findings, its origin) is taken over.
  const newer = !moved && seen !== now && seen?.version_id === now?.version_id;
  if (moved || newer) setSeen(now);
  return [moved || newer ? now : seen, () => setSeen(now)];
}

/** What is listed and chosen. */
export interface Listed {
  /** All rows that were read. */
  rows: readonly InboxRow[];
  /** The items among them. */
  items: readonly ItemRow[];
  /** The chosen row. */
  row: ItemRow | null;
  /** Its key. */
  chosen: string | null;
  /** Its item as the person saw it. */
  seen: InboxItem | null;
  /** Shows the newest state of it. */
  showNewest: () => void;
}

/** What is listed; `wanted` is the memory that the address names. */
export function useListed(pages: Pages, wanted: string | undefined): Listed {
  const rows = useMemo(() => inboxRows(pages.data?.pages ?? []), [pages.data]);
  const items = useMemo(() => rows.filter((row): row is ItemRow => row.kind === "item"), [rows]);
  const row = useChosen(items, wanted);
  const [seen, showNewest] = useSeen(row);
  const chosen = row?.key ?? null;
  usePrefetch(items, chosen);
  return { rows, items, row, chosen, seen, showNewest };
}
