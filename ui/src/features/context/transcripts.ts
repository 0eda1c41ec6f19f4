/** The transcripts: read once from the index, and again while it is brought up to date. Filtering is done here. */
import { useCallback, useEffect, useState } from "react";
import type { TranscriptRow } from "@/bindings";
import { useBackend } from "@/state/backend";
import type { PickerRow } from "@/shared/Picker";
import { ALL_RUNS, useTranscripts } from "@/shared/runs";
import { useSessionName } from "@/shared/session";
import { useObservable } from "@/state/observable";
import { type RunOrder, runOrder } from "./run-order";

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

/** What names a run. */
export type NamedRun = Pick<TranscriptRow, "title"> & Partial<Pick<TranscriptRow, "first_prompt" | "started_at">>;

/** Title of a run: the name its session has everywhere. */
export function useTitle(): (run: NamedRun) => string {
  const name = useSessionName();
  return useCallback(({ first_prompt: prompt, title, started_at: at }) => name({ prompt, title, at }), [name]);
}

/** The names that several have. */
export function sharedNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter((name, at) => names.indexOf(name) !== at));
}

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

/** The run that a list in an order opens on: its first that has something to show. */
export function firstOf(rows: readonly TranscriptRow[], order: RunOrder): string | null {
  const sorted = inOrder(rows, order);
  return (sorted.find(({ requests }) => requests > 0) ?? sorted[0])?.id ?? null;
}

/** The run that opens when none is named. It stays the same while another order is looked at. */
export function useFirst(): string | null {
  const { data } = useTranscripts();
  const order = useObservable(runOrder);
  const [settled, setSettled] = useState<string | null>(null);
  if (settled !== null) return settled;
  const first = firstOf(data?.transcripts ?? [], order);
  // While files are still being read, another one may come before it.
  if (data && !data.index.running && first !== null) setSettled(first);
  return first;
}

/** The rows whose prompt, title, project, id or model holds every word, and that are of the project where one is given. */
export function matching(rows: readonly TranscriptRow[], query: string, project: string | null): TranscriptRow[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (project !== null && row.project !== project) return false;
    const text = [row.first_prompt, row.title, row.project, row.id, ...row.models].join(" ").toLocaleLowerCase();
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
