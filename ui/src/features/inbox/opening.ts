/** Which rows of the inbox show their changes. */
import { useMemo, useState } from "react";
import type { InboxItem, Triage, TriageRow } from "@/bindings";
import { useItems } from "@/state/triage";
import { isWhole, type Part } from "./rows";

/** Up to so many routine changes the list simply shows them under their sessions. */
const SHORT = 40;

/** Rows that show their changes. */
export interface Opening {
  /** True if a row does. */
  isOpen: (row: TriageRow, part: Part) => boolean;
  /** Opens or closes a row. */
  toggle: (row: TriageRow, open: boolean) => void;
  /** Changes of the open row that did not come with it. */
  members: readonly InboxItem[];
}

/**
 * Sessions of a short list are open, clusters are not, until somebody opens or closes them. Of rows that are too long to come
 * with their changes one is open at a time.
 */
export function useOpening(triage: Triage | undefined): Opening {
  // A list that grows while somebody reads it closes nothing.
  const [short, setShort] = useState<boolean | null>(null);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [long, setLong] = useState<string | null>(null);
  if (short === null && triage && triage.total > 0) setShort(triage.routine_total <= SHORT);
  const isOpen = useMemo(
    () => (row: TriageRow) => {
      if (!isWhole(row)) return row.id === long;
      const isGroup = row.kind === "session" || row.kind === "writer";
      return chosen.get(row.id) ?? (isGroup && short !== false);
    },
    [chosen, long, short],
  );
  const rows = triage ? [...triage.needs, ...triage.routine] : [];
  const open = rows.find((row) => row.id === long && !isWhole(row));
  const members = useItems(open?.versions ?? []);
  const toggle = (row: TriageRow, to: boolean) => {
    if (isWhole(row)) setChosen(new Map(chosen).set(row.id, to));
    else setLong(to ? row.id : null);
  };
  return { isOpen, toggle, members };
}
