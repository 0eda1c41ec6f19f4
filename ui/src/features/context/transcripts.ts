/** The transcripts: read once from the index, and again while it is brought up to date. Filtering is done here. */
import { useLingui } from "@lingui/react/macro";
import { useCallback, useEffect } from "react";
import type { TranscriptRow, TranscriptsReq } from "@/bindings";
import { useBackend } from "@/state/backend";
import type { PickerRow } from "@/shared/Picker";
import { ALL_RUNS, useTranscripts } from "@/shared/runs";

/** Starts bringing the index up to date when the calling component comes on screen; what is known shows meanwhile. */
export function useFreshTranscripts() {
  const backend = useBackend();
  const read = useTranscripts();
  const { refetch } = read;
  useEffect(() => {
    let here = true;
    // This only starts the work; a failure shows in the read itself.
    backend.call("transcripts", { ...ALL_RUNS, refresh: true }).then(
      () => here && void refetch(),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [backend, refetch]);
  return read;
}

/** A row of the list: a transcript, or the heading of a day. */
export interface TranscriptListRow extends PickerRow {
  /** The transcript. */
  transcript: TranscriptRow;
}

/** Title of a run: its own, else the first prompt. A run without either says so; an id names nothing for a person. */
export function useTitle(): (run: { title: string | null }) => string {
  const { t } = useLingui();
  return useCallback((run) => run.title?.trim() || t`Run without a prompt`, [t]);
}

/** Orders of the list. */
export type RunOrder = NonNullable<TranscriptsReq["sort"]>;

/** What a run cost: by the table of prices, else by the client's own count. */
export const costOf = (run: TranscriptRow): number | null => run.cost_usd ?? run.client_cost_usd;

/** The rows in an order. They come newest first, and equal ones stay so. */
export function inOrder(rows: readonly TranscriptRow[], order: RunOrder): TranscriptRow[] {
  const sizes: Record<RunOrder, (run: TranscriptRow) => number> = {
    date: () => 0,
    cost: (run) => costOf(run) ?? -1,
    peak: (run) => run.peak ?? -1,
  };
  return [...rows].sort((a, b) => sizes[order](b) - sizes[order](a));
}

/** The rows whose title, project, id or model holds every word, and that are of the project where one is given. */
export function matching(rows: readonly TranscriptRow[], query: string, project: string | null): TranscriptRow[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (project !== null && row.project !== project) return false;
    const text = [row.title, row.project, row.id, ...row.models].join(" ").toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rows as a list walks them. */
export function listRows(rows: readonly TranscriptRow[], titleOf: (run: TranscriptRow) => string): TranscriptListRow[] {
  return rows.map((transcript, at) => ({
    key: transcript.id,
    label: titleOf(transcript),
    level: 0,
    leaf: true,
    open: false,
    position: at + 1,
    siblings: rows.length,
    transcript,
  }));
}

/** The row that stands for a transcript: its own, or that of the session it is a subagent of. */
export function rowOf(rows: readonly TranscriptRow[], id: string | undefined): TranscriptRow | null {
  if (id === undefined) return null;
  return rows.find((row) => row.id === id || row.subagents.includes(id)) ?? null;
}
