/** The first remedy of a row that needs a person: one act, named on its button. */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { TriageRow } from "@/bindings";
import { useRemedies } from "@/shared/remedies";

/** An act with its button. */
export interface Primary {
  /** Label. */
  label: string;
  /** Tone of its button. */
  tone: "plain" | "redact" | "primary";
  /** Key that does the same. */
  keys: string;
  /** Does it, or opens what shows it first. */
  run: () => void;
}

/** The first remedy of a row; `reject` puts its memories back as they were last reviewed. */
export function usePrimary(row: TriageRow, reject: () => void): { primary: Primary | null; picker: ReactNode } {
  const { t } = useLingui();
  const { finding, reason } = row;
  const [item] = row.items;
  const found = finding && item ? { store: item.store_id, memory: item.memory_id, finding } : undefined;
  const { offered, picker } = useRemedies(found);
  const count = row.versions.length;
  const back: Primary = { label: "", tone: "plain", keys: "x", run: reject };
  // A language without a singular has one word for one all the same.
  const rollBack = count === 1 ? t`Roll back` : plural(count, { one: "Roll back #", other: "Roll back all #" });
  const act = (): Primary | null => {
    if (reason === null) return null;
    if (reason === "deleted") return { ...back, label: plural(count, { one: "Put back", other: "Put all # back" }) };
    if (reason === "hostile" || reason === "reappeared") return { ...back, label: rollBack };
    const [first] = offered;
    const isOne = count === 1 || row.kind === "same_edit";
    if (!first || !isOne) return null;
    if (first.remedy.act === "put_back") return { ...back, label: rollBack };
    if (first.remedy.act === "redact") return { label: first.label, tone: "redact", keys: "r", run: first.run };
    if (count > 1) return null;
    if (reason === "conflict" && first.remedy.act === "open")
      return { label: t`Compare`, tone: "plain", keys: "m", run: first.run };
    return { label: first.label, tone: "plain", keys: "m", run: first.run };
  };
  return { primary: act(), picker };
}
