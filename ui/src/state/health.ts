/** Health of stores, as several parts of the window ask for it. */
import { useMemo } from "react";
import type { Finding, Health } from "@/bindings";
import { useRead } from "./queries";

/** Health of all stores, without reading transcripts. */
export function useHealth() {
  return useRead("health", { store: null, loads: false });
}

/** Findings that are shown first and counted beside the screen's name: warnings and errors. */
export function isSerious({ finding }: Health["findings"][number]): boolean {
  return finding.severity !== "note";
}

/** Findings in a memory as it is on disk; none until they are known. */
export function useFindingsOf(store: string, path: string): readonly Finding[] {
  const { data } = useHealth();
  return useMemo(
    () =>
      (data?.findings ?? [])
        .filter((found) => found.store_id === store && found.finding.path === path)
        .map(({ finding }) => finding),
    [data, store, path],
  );
}

/** Number of findings of warning or worse, over all stores; undefined until it is known. */
export function useSerious(): number | undefined {
  const { data } = useHealth();
  return data && data.errors + data.warnings;
}
