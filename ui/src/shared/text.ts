/**
 * Cuts a line of text into pieces for the screen. Positions from the program count Unicode scalar values; strings here
 * count UTF-16 units, so every position is translated in this one place.
 */
import type { Hidden } from "@/bindings";
import { spelled } from "./hidden";

/** A stretch with two ends, in scalar values. */
export type Stretch = readonly [number, number];

/** Facts about a line beside its text. */
export interface Marks {
  /** Colour: start, end, class. */
  spans?: readonly (readonly [number, number, string])[];
  /** Changed words or matches of a search. */
  words?: readonly Stretch[];
  /** Characters a reader would not see. */
  hidden?: readonly Hidden[];
}

/** A piece of a line that looks the same throughout. */
export interface Piece {
  /** The text of the piece. */
  text: string;
  /** Colour class, if any. */
  colour: string | null;
  /** True if it is part of a changed or found word. */
  marked: boolean;
  /** Set where the reader would see nothing: the mark to show instead of the text. */
  hidden: Hidden | null;
  /** True if it lies in an HTML comment: shown here, and nowhere else. */
  comment: boolean;
}

/** Where each scalar value of `text` begins in UTF-16 units; null when both counts are the same. */
function offsets(text: string): number[] | null {
  if (!/[\ud800-\udfff]/.test(text)) return null;
  const starts: number[] = [];
  let at = 0;
  for (const letter of text) {
    starts.push(at);
    at += letter.length;
  }
  starts.push(at);
  return starts;
}

/**
 * Pieces of a line that get an element of their own. A line made to have more, as one with a hidden character at every second
 * place, would take the window away.
 */
export const MAX_PIECES = 2_000;

/** The end of a line that has too many pieces: as text, with each hidden character spelt out where it stands. */
function spelledEnd(
  text: string,
  from: number,
  marks: readonly { start: number; end: number; value: Hidden }[],
): Piece {
  const parts: string[] = [];
  let at = from;
  for (const { start, end, value } of marks) {
    // Marks behind the text that is drawn have no length here.
    if (start < at || end <= start) continue;
    parts.push(text.slice(at, start), `‹${value.code}${value.length > 1 ? `×${value.length}` : ""}›`);
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), colour: null, marked: false, hidden: null, comment: false };
}

/** The first letters of a text, in UTF-16 units; no letter is cut in two. */
export function sliceOf(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const high = text.charCodeAt(letters - 1);
  return text.slice(0, high >= 0xd800 && high < 0xdc00 ? letters - 1 : letters);
}

/** Cuts `text` where any of its marks begins or ends. */
export function pieces(text: string, { spans = [], words = [], hidden = [] }: Marks): Piece[] {
  const starts = offsets(text);
  const unit = (scalar: number) => Math.min(starts ? (starts[scalar] ?? text.length) : scalar, text.length);
  const flat = <T>(start: number, end: number, value: T) => ({ start: unit(start), end: unit(end), value });
  // The text may be the start of a line that has marks for a megabyte.
  const letters = starts ? starts.length - 1 : text.length;
  const colours = spans.filter(([start]) => start < letters).map(([start, end, name]) => flat(start, end, name));
  const marked = words.filter(([start]) => start < letters).map(([start, end]) => flat(start, end, true));
  const unseen = hidden.filter(({ at }) => at < letters).map((one) => flat(one.at, one.at + one.length, one));
  const marks = unseen.filter(({ value }) => value.kind !== "html_comment");
  const comments = unseen.filter(({ value }) => value.kind === "html_comment");
  const ends = [...colours, ...marked, ...unseen].flatMap(({ start, end }) => [start, end]);
  const cuts = [...new Set([0, ...ends, text.length])].sort((a, b) => a - b);
  const cursors = [colours, marked, marks, comments].map((list) => cursor<unknown>(list));
  const out: Piece[] = [];
  const shown = cuts.slice(0, -1);
  const end = shown[MAX_PIECES];
  shown.slice(0, MAX_PIECES).forEach((start, at) => {
    const end = cuts[at + 1] ?? text.length;
    const [colour, word, mark, comment] = cursors.map((find) => find(start));
    out.push({
      text: text.slice(start, end),
      colour: (colour as string | undefined) ?? null,
      marked: word === true,
      hidden: (mark as Hidden | undefined) ?? null,
      comment: comment !== undefined,
    });
  });
  if (end !== undefined) out.push(spelledEnd(text, end, marks));
  return out;
}

/** Finds the value over a position; asked with growing positions, each list is walked once. */
function cursor<T>(list: readonly { start: number; end: number; value: T }[]): (at: number) => T | undefined {
  const sorted = [...list].sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  let covering: typeof sorted = [];
  return (at) => {
    while (next < sorted.length && sorted[next]!.start <= at) covering.push(sorted[next++]!);
    covering = covering.filter(({ end }) => end > at);
    return covering.at(-1)?.value;
  };
}

/** A short form of a hash or an id: its first and last signs. */
export function shorten(text: string, first = 8, last = 0): string {
  if (text.length <= first + last + 1) return text;
  return `${text.slice(0, first)}…${last > 0 ? text.slice(-last) : ""}`;
}

/** Keeps the beginning of a path where it is, whose end is shown when it is too long. */
export const LEFT_TO_RIGHT = "\u200e";

/** What Claude Code calls a paragraph that a model wrote from the memories of a directory. */
const SYNTHESIS = "<synthesis:";

/** The last component of a path; of a paragraph written from a directory's memories, with that directory's. */
export function fileName(path: string): string {
  const name = spelled(path.slice(path.lastIndexOf("/") + 1));
  return path.startsWith(SYNTHESIS) && path.includes("/") ? `${SYNTHESIS}${name}` : name;
}

/** The folder of a path, without the last slash; empty at the top. */
export function folderOf(path: string): string {
  const begin = path.startsWith(SYNTHESIS) ? SYNTHESIS.length : 0;
  return spelled(path.slice(begin, Math.max(path.lastIndexOf("/"), begin)));
}

/** UTF-8 in base 64. */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
