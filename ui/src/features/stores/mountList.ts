/** Attach lists as text: read, built item by item, written again. What is not a memory store stays as it is. Pure. */

/** Characters of `instructions` that the API takes. */
export const MAX_CHARACTERS = 4096;
/** Memory stores that one session may have. */
export const MAX_STORES = 8;

/** One memory store of an attach list; fields that are not known here are kept. */
export type MountItem = Record<string, unknown>;

/** An attach list that was read. */
export interface MountList {
  /** Value of the text; undefined when it is no JSON. */
  value: unknown;
  /** Its items, those of other types included; empty when it has none. */
  items: MountItem[];
  /** Why it cannot be read; null when it can. */
  problem: string | null;
}

/** True if an item is a memory store. */
export function isStore(item: MountItem): boolean {
  return item.type === "memory_store";
}

function itemsOf(value: unknown): MountItem[] {
  const list =
    typeof value === "object" && value !== null && "resources" in value ? (value as MountItem).resources : value;
  if (!Array.isArray(list)) return [];
  return list.filter((item): item is MountItem => typeof item === "object" && item !== null);
}

/** Reads a text. An empty one is an empty list. */
export function readList(text: string): MountList {
  if (text.trim() === "") return { value: [], items: [], problem: null };
  try {
    const value: unknown = JSON.parse(text);
    return { value, items: itemsOf(value), problem: null };
  } catch (cause) {
    return { value: undefined, items: [], problem: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Writes items in place of those that a value had. */
export function writeList(value: unknown, items: readonly MountItem[]): string {
  const wrapped = typeof value === "object" && value !== null && !Array.isArray(value) && "resources" in value;
  return JSON.stringify(wrapped ? { ...value, resources: items } : items, null, 2);
}

/** An item with a field set; an empty text takes the field away, as the API has a default for it. */
export function withField(item: MountItem, field: string, text: string): MountItem {
  const { [field]: _old, ...rest } = item;
  return text === "" ? rest : { ...rest, [field]: text };
}

/** A text of an item; empty when it has none. */
export function fieldOf(item: MountItem, field: string): string {
  const value = item[field];
  return typeof value === "string" ? value : "";
}

/** Characters of a text, as the API counts them: Unicode scalar values. */
export function charactersOf(text: string): number {
  return [...text].length;
}
