/**
 * Untrusted Markdown as a tree of elements, or why it is not made one. What is nested without end, or large, is refused before
 * it is parsed; what still comes out too deep or too large is refused before anything walks through it. Pure.
 */
import type { Root } from "hast";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { toHast } from "mdast-util-to-hast";
import { gfm } from "micromark-extension-gfm";

/** Why a text is not rendered: it is too large, nested too deeply, took too long, or the renderer failed at it. */
export type Refusal = "large" | "nested" | "costly" | "failed";

/** A tree, or why there is none. */
export type Outcome = { tree: Root } | { refused: Refusal };

/** Limits of rendering. No memory that a person reads comes near. */
export const LIMITS = {
  /** Letters of the text. */
  letters: 400_000,
  /** Quotes, lists and emphasis within each other. */
  depth: 64,
  /** Signs of one kind in a row, each of which may open something. */
  run: 256,
  /** Parts of the tree. */
  parts: 20_000,
  /** Milliseconds that the parser may take. */
  milliseconds: 2000,
} as const;

const TAB = 4;

/** The quotes and list items that a line opens, and the columns before the first of the latter; null where there is none. */
function opensOf(line: string): { quotes: number; items: number; column: number | null } {
  let [at, column, quotes, items] = [0, 0, 0, 0];
  let first: number | null = null;
  for (;;) {
    for (; line[at] === " " || line[at] === "\t"; at += 1) column += line[at] === "\t" ? TAB - (column % TAB) : 1;
    const begin = at;
    if (line[at] === ">") quotes += 1;
    else {
      while (line[at]! >= "0" && line[at]! <= "9") at += 1;
      const isMark = at > begin ? ".)".includes(line[at] ?? "x") : "-*+".includes(line[at] ?? "x");
      const after = line[at + 1];
      if (!isMark || (after !== undefined && after !== " " && after !== "\t")) break;
      items += 1;
      first ??= column;
    }
    at += 1;
    column += at - begin;
  }
  return { quotes, items, column: first };
}

/** Greatest nesting of quotes and lists of a text, as far as their signs tell; in one pass. */
function depthOf(text: string): number {
  let deepest = 0;
  // Columns of the list items that a later one may lie within.
  const open: number[] = [];
  for (const line of text.split("\n")) {
    const { quotes, items, column } = opensOf(line);
    if (column !== null) {
      while (open.length > 0 && open.at(-1)! >= column) open.pop();
      open.push(column);
    }
    deepest = Math.max(deepest, quotes + items + open.length);
    if (deepest > LIMITS.depth * 2) break;
  }
  return deepest;
}

const RUNS = new RegExp(`([*_~[!\`<(])\\1{${LIMITS.run},}`);

/** Why a text is not even parsed; null where it is. */
export function refusalOf(text: string): Refusal | null {
  if (text.length > LIMITS.letters) return "large";
  return depthOf(text) > LIMITS.depth || RUNS.test(text) ? "nested" : null;
}

/** Refusal of a tree that is too deep or too large to be walked through; without walking deeper than is allowed. */
function refusalOfTree(tree: Nodes): Refusal | null {
  let level: Nodes[] = [tree];
  let parts = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    parts += level.length;
    if (parts > LIMITS.parts) return "large";
    if (depth > LIMITS.depth) return "nested";
    level = level.flatMap((node) => ("children" in node ? node.children : []));
  }
  return null;
}

/** A table is filled up to its widest row, so that few letters may be many cells. */
function cellsOf(tree: Nodes): number {
  if (!("children" in tree)) return 0;
  if (tree.type === "table")
    return tree.children.length * (tree.align?.length ?? tree.children[0]?.children.length ?? 0);
  return tree.children.reduce((sum, child) => sum + cellsOf(child), 0);
}

/** HTML in it becomes letters. */
function withoutMarkup(tree: Root): Root {
  const rest: { children: Root["children"] }[] = [tree];
  for (let node = rest.pop(); node; node = rest.pop()) {
    node.children = node.children.map((child) => (child.type === "raw" ? { type: "text", value: child.value } : child));
    for (const child of node.children) if (child.type === "element") rest.push(child);
  }
  return tree;
}

/** Makes the tree. It takes as long as the parser does. */
export function treeOf(text: string): Outcome {
  const refused = refusalOf(text);
  if (refused) return { refused };
  try {
    const parsed = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const unfit = refusalOfTree(parsed) ?? (cellsOf(parsed) > LIMITS.parts ? "large" : null);
    if (unfit) return { refused: unfit };
    const tree = toHast(parsed, { allowDangerousHtml: true });
    return tree.type === "root" ? { tree: withoutMarkup(tree) } : { refused: "failed" };
  } catch {
    return { refused: "failed" };
  }
}
