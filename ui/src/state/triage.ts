/** The inbox as triage: rows that are decided together, shortened at once when something was reviewed. */
import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { InboxItem, Status, Triage, TriageRow } from "@/bindings";
import { useBackend } from "./backend";
import { useRead } from "./queries";

/** Filters of the inbox. */
export interface Narrowed {
  /** Only this store; all when null. */
  store: string | null;
  /** Only this kind of memory; all when null. */
  kind: string | null;
}

/** Items that the program gives for one request. */
const MOST_AT_ONCE = 500;

/** Everything left to review in a store or in all, of one kind or of all. */
export function useTriage({ store, kind }: Narrowed) {
  return useRead("triage", { store, kind });
}

/** Number of rows that need a person, in all stores: what the badge shows. */
export function useNeeds(): number {
  const { data } = useTriage({ store: null, kind: null });
  return data ? data.needs.length + data.broken_total : 0;
}

/** Number of items of each kind in a store or in all. */
export function useInboxKinds(store: string | null) {
  return useRead("inbox_kinds", { store }, { keepPrevious: true });
}

/** Items of these versions; those that were there before stay until the new ones come. */
export function useItems(versions: readonly string[]): readonly InboxItem[] {
  const backend = useBackend();
  const { data } = useQuery({
    queryKey: ["inbox_items", { versions }],
    queryFn: async () => {
      const items: InboxItem[] = [];
      for (let at = 0; at < versions.length; at += MOST_AT_ONCE) {
        const request = { versions: versions.slice(at, at + MOST_AT_ONCE) };
        items.push(...(await backend.call("inbox_items", request)).items);
      }
      return items;
    },
    enabled: versions.length > 0,
    placeholderData: (before) => before,
  });
  return versions.length > 0 ? (data ?? []) : [];
}

function without(row: TriageRow, gone: ReadonlySet<string>): TriageRow {
  const versions = row.versions.filter((version) => !gone.has(version));
  if (versions.length === row.versions.length) return row;
  return { ...row, versions, items: row.items.filter(({ version_id }) => !gone.has(version_id)) };
}

/** Triage without some versions. */
export function withoutVersions(triage: Triage, gone: ReadonlySet<string>): Triage {
  const left = (rows: readonly TriageRow[]) =>
    rows.map((row) => without(row, gone)).filter(({ versions }) => versions.length > 0);
  const [needs, routine] = [left(triage.needs), left(triage.routine)];
  const count = (rows: readonly TriageRow[]) => rows.reduce((sum, { versions }) => sum + versions.length, 0);
  const [needs_total, routine_total] = [count(needs), count(routine)];
  return { ...triage, needs, routine, needs_total, routine_total, total: needs_total + routine_total };
}

/** Takes reviewed versions out of what is on screen at once; what the program says comes after. */
export function dropReviewed(queries: QueryClient, versions: readonly string[]): void {
  const gone = new Set(versions);
  queries.setQueriesData<Triage>({ queryKey: ["triage"] }, (known) => known && withoutVersions(known, gone));
  queries.setQueriesData<Status>({ queryKey: ["status"] }, (known) =>
    known ? { ...known, unreviewed: Math.max(0, known.unreviewed - gone.size) } : known,
  );
}
