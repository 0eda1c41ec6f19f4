/**
 * Finds characters that a reader would not see, for texts that come without marks of their own. The same kinds and codes
 * as the program gives for memories; HTML comments are left as they are, since these texts are shown as they stand.
 */
import type { Hidden } from "@/bindings";

/** Selectors that emoji and other signs are written with. */
const SELECTORS = "\\ufe00-\\ufe0f";

/** Ranges of characters, and their kind. The one table of the window; that of the program is in `retrace-diff`. */
const RANGES: readonly (readonly [string, string])[] = [
  ["\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f", "control"],
  ["\\u00ad", "soft_hyphen"],
  ["\\u200b-\\u200d\\u2060\\ufeff\\u180e", "zero_width"],
  ["\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069", "bidi_control"],
  ["\\u{e0000}-\\u{e007f}", "tag"],
  [SELECTORS, "variation_selector"],
  ["\\u180b-\\u180d\\u180f\\u{e0100}-\\u{e01ef}", "variation_selector"],
  [
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2028\\u2029\\u2061-\\u2065\\u206a-\\u206f\\u3164\\uffa0\\ufff0-\\ufffb" +
      "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0080}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}",
    "other_format",
  ],
];
const KINDS = RANGES.map(([ranges, kind]) => [new RegExp(`[${ranges}]`, "u"), kind] as const);

/** Every character that may be hidden, but for what emoji are written with. */
export const MAY_HIDE = new RegExp(
  `[${RANGES.map(([ranges]) => ranges)
    .filter((ranges) => ranges !== SELECTORS)
    .join("")}]`,
  "gu",
);

/* eslint-disable no-control-regex */
const PLAIN = /^[\t -~]*$/;
const ASCII = /^[ -~]*$/;
/* eslint-enable no-control-regex */

/** An emoji needs its selector and its joiners; they are part of what is seen. */
function belongsToEmoji(letters: readonly string[], at: number): boolean {
  const before = letters[at - 1] ?? "";
  if (letters[at] === "\ufe0f" || letters[at] === "\ufe0e") return /\p{Emoji}/u.test(before);
  return letters[at] === "\u200d" && /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u.test(before);
}

/** Hidden characters of a line, with positions in scalar values. Neighbours of the same sign are one. */
export function hiddenIn(line: string): Hidden[] {
  if (PLAIN.test(line)) return [];
  const letters = [...line];
  const found: Hidden[] = [];
  letters.forEach((letter, at) => {
    const kind = KINDS.find(([pattern]) => pattern.test(letter))?.[1];
    if (!kind || belongsToEmoji(letters, at)) return;
    const code = `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    const last = found.at(-1);
    if (last && last.code === code && last.at + last.length === at) last.length += 1;
    else found.push({ at, length: 1, code, kind });
  });
  return found;
}

/**
 * A name as it is shown: what a reader would not see in it, or what would turn the letters after it round, is spelt out, as in
 * the terminal.
 */
export function spelled(name: string): string {
  if (ASCII.test(name)) return name;
  const letters = [...name];
  for (const { at, length, code } of hiddenIn(name)) letters.fill(`‹${code}›`, at, at + length);
  // Within a line these two are seen; a name has no lines.
  return letters.join("").replaceAll("\n", "‹U+000A›").replaceAll("\t", "‹U+0009›");
}
