/** The tree of a store's memories: built from paths, flattened to the rows that are open, walked by keys. Pure. */
import type { Memory } from "@/bindings";
import { spelled } from "./hidden";
import { fileName } from "./text";

/** A row of the tree. */
export interface TreeRow {
  /** The path of the file or folder; unique. */
  key: string;
  /** Label: a file's name, or a folder's with folders that hold nothing else joined by " / ". */
  label: string;
  /** Depth from 0. */
  level: number;
  /** The memory; null for a folder. */
  memory: Memory | null;
  /** True if it holds nothing below it. */
  leaf: boolean;
  /** True if a folder is open; false for a file. */
  open: boolean;
  /** Memories at and below it. */
  count: number;
  /** Its place among its neighbours, from 1, and how many there are. */
  position: number;
  /** Number of neighbours, itself included. */
  siblings: number;
}

interface Folder {
  key: string;
  label: string;
  folders: Map<string, Folder>;
  files: Memory[];
}

const newFolder = (key: string, label: string): Folder => ({ key, label, folders: new Map(), files: [] });

/** Key of the folder that stands last and holds what has no path: memories whose content and path were redacted. */
export const WITHOUT_PATH = "\u0000redacted";

/** Builds the folders of these memories. */
function build(memories: readonly Memory[]): Folder {
  const root = newFolder("", "");
  for (const memory of memories) {
    let folder = root;
    const parts = memory.path === null ? [WITHOUT_PATH, memory.id] : memory.path.split("/");
    for (const part of parts.slice(0, -1)) {
      const key = folder.key ? `${folder.key}/${part}` : part;
      const next = folder.folders.get(part) ?? newFolder(key, spelled(part));
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(memory);
  }
  return root;
}

/** Joins a folder with the only folder in it, over and over. */
function joined(folder: Folder): Folder {
  let current = folder;
  while (current.files.length === 0 && current.folders.size === 1) {
    const [inner] = current.folders.values();
    current = { ...inner!, label: `${current.label} / ${inner!.label}` };
  }
  return current;
}

function countOf(folder: Folder): number {
  return [...folder.folders.values()].reduce((sum, inner) => sum + countOf(inner), folder.files.length);
}

const INDEX_NAMES = new Set(["MEMORY.md", "index.md", "README.md"]);

function compareFiles(a: Memory, b: Memory): number {
  const name = (memory: Memory) => fileName(memory.path ?? memory.id);
  const rank = (memory: Memory) => (INDEX_NAMES.has(name(memory)) ? 0 : 1);
  return rank(a) - rank(b) || name(a).localeCompare(name(b), undefined, { numeric: true });
}

/** Orders [`WITHOUT_PATH`] behind all others. */
const last = ({ key }: Folder) => (key === WITHOUT_PATH ? 1 : 0);

/** The rows to show: an index first, then files, then folders, each by name; what is in a closed folder is left out. */
export function treeRows(memories: readonly Memory[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (folder: Folder, level: number) => {
    const folders = [...folder.folders.values()]
      .map(joined)
      .sort((a, b) => last(a) - last(b) || a.label.localeCompare(b.label, undefined, { numeric: true }));
    const files = [...folder.files].sort(compareFiles);
    const siblings = files.length + folders.length;
    files.forEach((memory, at) => {
      const key = memory.path ?? memory.id;
      rows.push({
        key,
        label: fileName(key),
        level,
        memory,
        leaf: true,
        open: false,
        count: 1,
        position: at + 1,
        siblings,
      });
    });
    folders.forEach((inner, at) => {
      const open = !closed.has(inner.key);
      const position = files.length + at + 1;
      rows.push({
        key: inner.key,
        label: inner.label,
        level,
        memory: null,
        leaf: false,
        open,
        count: countOf(inner),
        position,
        siblings,
      });
      if (open) walk(inner, level + 1);
    });
  };
  walk(build(memories), 0);
  return rows;
}

/** Fields of a row that walking needs. */
export type Walkable = Pick<TreeRow, "key" | "label" | "level" | "leaf" | "open">;

/** Move of a key in the tree: go to a row, open or close a folder, or nothing. */
export type TreeMove = { to: string } | { toggle: string } | null;

/**
 * Move of a key when the row `at` has the focus, as the tree pattern of WAI-ARIA has it. `typed` is what was typed
 * shortly before, for type-ahead.
 */
export function treeMove(rows: readonly Walkable[], at: string | null, key: string, typed = ""): TreeMove {
  const index = rows.findIndex((row) => row.key === at);
  const row = rows[index];
  const to = (place: number): TreeMove => {
    const target = rows[Math.max(0, Math.min(place, rows.length - 1))];
    return target ? { to: target.key } : null;
  };
  switch (key) {
    case "ArrowDown":
    case "j":
      if (key === "j" && typed) break;
      return to(index + 1);
    case "ArrowUp":
    case "k":
      if (key === "k" && typed) break;
      return to(index < 0 ? 0 : index - 1);
    case "Home":
      return to(0);
    case "End":
      return to(rows.length - 1);
    case "ArrowRight":
      if (!row || row.leaf) return null;
      return row.open ? to(index + 1) : { toggle: row.key };
    case "ArrowLeft": {
      if (!row) return null;
      if (!row.leaf && row.open) return { toggle: row.key };
      const parent = rows.slice(0, index).findLast((above) => above.level < row.level);
      return parent ? { to: parent.key } : null;
    }
    case "Enter":
    case " ":
      return row && !row.leaf ? { toggle: row.key } : null;
  }
  if (key.length !== 1) return null;
  const wanted = (typed + key).toLocaleLowerCase();
  const start = typed ? Math.max(index, 0) : index + 1;
  const round = [...rows.slice(start), ...rows.slice(0, start)];
  const found = round.find((known) => known.label.toLocaleLowerCase().startsWith(wanted));
  return found ? { to: found.key } : null;
}
