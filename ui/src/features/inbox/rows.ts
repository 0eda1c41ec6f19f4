/** The rows of the inbox: groups over their items, over all pages. Pure. */
import type { Inbox, InboxGroup, InboxItem } from "@/bindings";

/**
 * A row of the list. An item keeps its key, its memory, whatever happens to it; it is mixed where its group is of several
 * stores.
 */
export type InboxRow =
  | { kind: "group"; key: string; group: InboxGroup }
  | { kind: "item"; key: string; group: InboxGroup; item: InboxItem; position: number; mixed: boolean };

/** A row that can be chosen. */
export type ItemRow = Extract<InboxRow, { kind: "item" }>;

/** Heights of the rows in pixels; the style sheet draws them so. Equal heights keep a list of any length steady. */
export const ROW_HEIGHTS = { group: 36, item: 50 } as const;

/** Pages as rows. A group that goes on on the next page has one heading. */
export function inboxRows(pages: readonly Inbox[]): InboxRow[] {
  const rows: InboxRow[] = [];
  const shown = new Set<string>();
  let last: string | null = null;
  let position = 0;
  for (const group of pages.flatMap((page) => page.groups)) {
    const mixed = group.items.some(({ store_id }) => store_id !== group.items[0]?.store_id);
    for (const item of group.items) {
      // A memory that changed between the reading of two pages may be on both; the newer page was read first.
      if (shown.has(item.memory_id)) continue;
      shown.add(item.memory_id);
      if (group.id !== last) rows.push({ kind: "group", key: `${group.id}.${rows.length}`, group });
      last = group.id;
      position += 1;
      rows.push({ kind: "item", key: item.memory_id, group, item, position, mixed });
    }
  }
  return rows;
}

/** Where each row begins, in pixels, and after the last one where all end. */
export function rowOffsets(rows: readonly InboxRow[]): number[] {
  const offsets = [0];
  for (const row of rows) offsets.push(offsets.at(-1)! + ROW_HEIGHTS[row.kind]);
  return offsets;
}

/** The row that holds a height, in pixels from the top. */
export function rowAt(offsets: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (offsets[middle]! <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Items of a group that are loaded. */
export function itemsOf(rows: readonly InboxRow[], group: string): InboxItem[] {
  return rows.flatMap((row) => (row.kind === "item" && row.group.id === group ? [row.item] : []));
}

/** The item `by` places from the chosen one; the nearest one at either end. */
export function itemBeside(items: readonly ItemRow[], chosen: string | null, by: number): ItemRow | null {
  const at = items.findIndex(({ key }) => key === chosen);
  if (at < 0) return items[0] ?? null;
  return items[Math.max(0, Math.min(at + by, items.length - 1))] ?? null;
}

/** Item to choose when these memories are gone: the next item that stays, or the one before them. */
export function itemAfter(items: readonly ItemRow[], chosen: string | null, gone: ReadonlySet<string>): ItemRow | null {
  const at = items.findIndex(({ key }) => key === chosen);
  const stays = ({ key }: ItemRow) => !gone.has(key);
  return items.slice(Math.max(at, 0)).find(stays) ?? items.slice(0, Math.max(at, 0)).findLast(stays) ?? null;
}
