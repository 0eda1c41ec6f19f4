/** The rows of the timeline: days, operations, and the versions of those that are open. Pure. */
import type { Operation, Version } from "@/bindings";
import type { PickerRow } from "@/shared/Picker";

/** A row of the timeline. */
export type TimelineRow = PickerRow &
  (
    | { kind: "day"; at: string }
    | { kind: "operation"; operation: Operation }
    | { kind: "version"; operation: Operation; version: Version }
    | { kind: "more"; operation: Operation; hidden: number }
  );

const dayOf = (at: string) => {
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
};

/** Versions of an operation. */
export function sizeOf({ created, modified, deleted }: Operation): number {
  return created + modified + deleted;
}

/** From so many changes on the name of the first says little of the others. */
const MANY = 4;

/** True for an operation that is called by how many memories it changed. */
export function isMany(operation: Operation): boolean {
  return sizeOf(operation) >= MANY;
}

/** Name of a row when typing goes to it. */
function labelOf(operation: Operation): string {
  return operation.versions[0]?.path ?? operation.note?.text ?? operation.source;
}

/** The key of an operation's row. */
export const operationKey = (seq: number) => `o${seq}`;

function versionRows(operation: Operation, versions: readonly Version[]): TimelineRow[] {
  const rows: TimelineRow[] = versions.map((version, at) => ({
    kind: "version",
    key: version.id,
    label: version.path ?? version.id,
    level: 1,
    leaf: true,
    open: false,
    position: at + 1,
    siblings: versions.length,
    operation,
    version,
  }));
  const hidden = sizeOf(operation) - versions.length;
  if (hidden > 0)
    rows.push({
      kind: "more",
      key: `m${operation.seq}`,
      label: "",
      level: 1,
      leaf: true,
      open: false,
      operation,
      hidden,
    });
  return rows;
}

/**
 * The rows for these operations, newest first. `open` names the operations whose versions are shown; `all` holds the
 * versions of operations that were asked for in full.
 */
export function timelineRows(
  operations: readonly Operation[],
  open: ReadonlySet<number>,
  all: ReadonlyMap<number, readonly Version[]>,
): TimelineRow[] {
  const rows: TimelineRow[] = [];
  let day = "";
  for (const operation of operations) {
    const own = dayOf(operation.created_at);
    if (own !== day) {
      day = own;
      const key = `d${own}.${operation.seq}`;
      rows.push({
        kind: "day",
        key,
        label: "",
        level: 0,
        leaf: true,
        open: false,
        heading: true,
        at: operation.created_at,
      });
    }
    const leaf = sizeOf(operation) === 0;
    const isOpen = !leaf && open.has(operation.seq);
    const key = operationKey(operation.seq);
    rows.push({ kind: "operation", key, label: labelOf(operation), level: 0, leaf, open: isOpen, operation });
    if (isOpen) rows.push(...versionRows(operation, all.get(operation.seq) ?? operation.versions));
  }
  return rows;
}
