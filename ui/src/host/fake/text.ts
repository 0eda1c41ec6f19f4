/** Text functions of the fake: hashes, hidden characters, differences. Plain and slow; the real work is in Rust. */
import type { DiffLine, DocumentLine, FileDiff, Hidden, HiddenKind } from "@/bindings";

/** 64 hex digits that differ for different texts. Not SHA-256: the fake only needs equality. */
export function fakeHash(text: string): string {
  let out = "";
  for (let round = 0; round < 8; round += 1) {
    let hash = 0x811c9dc5 ^ (round * 0x9e3779b1);
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    out += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return out;
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

const HIDDEN: [RegExp, HiddenKind][] = [
  [/[\u200b-\u200d\u2060\ufeff]/u, "zero_width"],
  [/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/u, "bidi_control"],
  [/\u00ad/u, "soft_hyphen"],
  [/[\u{e0000}-\u{e007f}]/u, "tag"],
];

function hiddenIn(text: string): Hidden[] {
  const found: Hidden[] = [];
  [...text].forEach((letter, at) => {
    const kind = HIDDEN.find(([pattern]) => pattern.test(letter))?.[1];
    const code = `U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
    if (kind) found.push({ at, length: 1, code, kind });
  });
  return found;
}

function spansIn(text: string): [number, number, string][] {
  const length = [...text].length;
  if (text.startsWith("#")) return [[0, length, "heading"]];
  return /^[-*] /.test(text) ? [[0, 1, "punctuation"]] : [];
}

/** The lines of a text, without an empty one after the last line feed. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A text as the lines of a document. */
export function documentLines(text: string, highlight: boolean): DocumentLine[] {
  return splitLines(text).map((line) => ({
    text: line,
    spans: highlight ? spansIn(line) : [],
    hidden: hiddenIn(line),
  }));
}

type Step = { tag: "equal" | "insert" | "delete"; old: number | null; new: number | null; text: string };

/** The longest common subsequence as steps from `before` to `after`; positions count from 0. */
function steps(before: string[], after: string[]): Step[] {
  const best = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      best[i]![j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const out: Step[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j])
      out.push({ tag: "equal", old: i++, new: j++, text: before[i - 1]! });
    else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1)))
      out.push({ tag: "delete", old: i++, new: null, text: before[i - 1]! });
    else out.push({ tag: "insert", old: null, new: j++, text: after[j - 1]! });
  }
  return out;
}

/** The words of `text` that `other` does not have, as stretches. */
function changedWords(text: string, other: string): [number, number][] {
  const tokens = (line: string) => line.match(/\s+|\w+|[^\s\w]/gu) ?? [];
  const out: [number, number][] = [];
  let at = 0;
  for (const step of steps(tokens(text), tokens(other))) {
    const length = [...step.text].length;
    if (step.tag === "delete") {
      const last = out.at(-1);
      if (last && last[1] === at) last[1] = at + length;
      else out.push([at, at + length]);
    }
    if (step.tag !== "insert") at += length;
  }
  return out;
}

function toDiffLine(step: Step): DiffLine {
  return {
    tag: step.tag,
    old: step.old === null ? null : step.old + 1,
    new: step.new === null ? null : step.new + 1,
    text: step.text,
    words: [],
    hidden: hiddenIn(step.text),
    spans: [],
    no_newline: false,
    carriage_return: false,
  };
}

function markWords(lines: DiffLine[]): void {
  const removed = lines.filter((line) => line.tag === "delete");
  const added = lines.filter((line) => line.tag === "insert");
  removed.slice(0, added.length).forEach((line, at) => {
    const partner = added[at]!;
    line.words = changedWords(line.text, partner.text);
    partner.words = changedWords(partner.text, line.text);
  });
}

/** The changes between two texts with `context` unchanged lines around each. */
export function diffTexts(
  before: string,
  after: string,
  context: number,
  words: boolean,
): Pick<FileDiff, "added" | "removed" | "hunks"> {
  const lines = steps(splitLines(before), splitLines(after)).map(toDiffLine);
  const near = (at: number) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some((line) => line.tag !== "equal");
  const hunks: FileDiff["hunks"] = [];
  lines.forEach((line, at) => {
    if (!near(at)) return;
    if (at === 0 || !near(at - 1)) hunks.push({ old_start: 0, old_lines: 0, new_start: 0, new_lines: 0, lines: [] });
    hunks.at(-1)!.lines.push(line);
  });
  for (const hunk of hunks) {
    if (words) markWords(hunk.lines);
    hunk.old_start = hunk.lines.find((line) => line.old !== null)?.old ?? 0;
    hunk.new_start = hunk.lines.find((line) => line.new !== null)?.new ?? 0;
    hunk.old_lines = hunk.lines.filter((line) => line.old !== null).length;
    hunk.new_lines = hunk.lines.filter((line) => line.new !== null).length;
  }
  const count = (tag: string) => lines.filter((line) => line.tag === tag).length;
  return { added: count("insert"), removed: count("delete"), hunks };
}

/** The difference of two states of a file; null for a file that is not there. */
export function fileDiff(before: string | null, after: string | null, path: string, version: string | null): FileDiff {
  const side = (text: string | null, version_id: string | null) => ({
    target: version_id ?? "",
    store_id: null,
    version_id,
    path: text === null ? null : path,
    content_sha256: text === null ? null : fakeHash(text),
    content_size_bytes: text === null ? null : byteLength(text),
    redacted: false,
  });
  return {
    live: true,
    from: side(before, version),
    to: side(after, null),
    truncated: false,
    binary: false,
    ...diffTexts(before ?? "", after ?? "", 3, true),
  };
}
