/**
 * Finds characters that a reader would not see, for texts that come without marks of their own. The same kinds and codes
 * as the program gives for memories; HTML comments are left as they are, since these texts are shown as they stand.
 */
import type { Hidden, HiddenKind } from "@/bindings";
import { HIDDEN } from "@/bindings/hidden";

const classOf = (ranges: readonly (readonly [number, number])[]) =>
  ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join("");
const KINDS = Object.entries(HIDDEN).map(
  ([kind, ranges]) => [new RegExp(`[${classOf(ranges)}]`, "u"), kind as HiddenKind] as const,
);

/** Selectors that emoji and other signs are written with. */
const SELECTORS = 0xfe00;

/** Every character that may be hidden, but for what emoji are written with. */
export const MAY_HIDE = new RegExp(
  `[${classOf(
    Object.values(HIDDEN)
      .flat()
      .filter(([first]) => first !== SELECTORS),
  )}]`,
  "gu",
);

const PLAIN = /^[\t -~]*$/;
const ASCII = /^[ -~]*$/;

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
