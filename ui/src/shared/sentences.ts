/**
 * What the program says, in the language of the window. The program speaks English; its sentences are known again by their
 * words, and said anew with what stands in them. What is not known stays as it is.
 */
import { type I18n, i18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Argument, Message } from "@/bindings";
import type { Sentence } from "@/bindings/sentences";
import { programSentences } from "@/i18n";

const PLACE = /\{\d\}/;
/** A sentence with fewer letters of its own beside its places is not searched for in what others wrote. */
const SURE_LETTERS = 9;
/** The same, of one that begins with a place. */
const SURE_LETTERS_AFTER = 12;
/** Letters that a sentence is found by. */
const PREFIX = 4;
/** How many texts are remembered with what was said for them. */
const REMEMBERED = 4000;

/** A sentence with what it is found by. */
interface Entry {
  sentence: Sentence;
  /** Its first letters, in small ones; null when it begins with a place or has fewer before one. */
  prefix: string | null;
  /** Its longest piece: a text without it is another sentence. */
  piece: string;
  /** True if it is said of so few words that others may write the same. */
  loose: boolean;
}

const entries = new WeakMap<readonly Sentence[], Entry[]>();
const byPrefix = new WeakMap<readonly Sentence[], Map<string, Entry[]>>();
const patterns = new WeakMap<Sentence, RegExp>();

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function entryOf(sentence: Sentence): Entry {
  const [first = "", ...others] = sentence.english.split(PLACE);
  // The first letter is great or small, as the sentence stands alone or in another.
  const pieces = [first.slice(1), ...others];
  const letters = sentence.english.replace(/\{\d\}|[^A-Za-z]/g, "").length;
  return {
    sentence,
    prefix: first.length >= PREFIX ? first.slice(0, PREFIX).toLowerCase() : null,
    piece: pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest)),
    loose: others.length > 0 && letters < (first === "" ? SURE_LETTERS_AFTER : SURE_LETTERS),
  };
}

function entriesFor(text: string): readonly Entry[] {
  const all = programSentences();
  let known = entries.get(all);
  if (!known) entries.set(all, (known = all.map(entryOf)));
  let found = byPrefix.get(all);
  if (!found) byPrefix.set(all, (found = new Map<string, Entry[]>()));
  const prefix = text.slice(0, PREFIX).toLowerCase();
  let few = found.get(prefix);
  if (!few) {
    few = known.filter((entry) => entry.prefix === null || entry.prefix === prefix);
    // Texts may begin with anything that somebody wrote.
    if (found.size > REMEMBERED) found.clear();
    found.set(prefix, few);
  }
  return few;
}

/**
 * What knows a sentence again; the places in it are what it gives, and the full stop that it may end with. A place that
 * follows a letter or a bracket may be empty.
 */
function patternOf(sentence: Sentence): RegExp {
  let pattern = patterns.get(sentence);
  if (pattern) return pattern;
  const [first = "", ...others] = sentence.english.split(PLACE);
  const begin = /^[a-z]/i.test(first)
    ? `[${first[0]!.toLowerCase()}${first[0]!.toUpperCase()}]${escaped(first.slice(1))}`
    : escaped(first);
  let before = first;
  const rest = others.map((piece) => {
    const place = /[\w)]$/.test(before) ? "(.*?)" : "(.+?)";
    before = piece;
    return `${place}${escaped(piece)}`;
  });
  const stop = /[.!?]$/.test(before) ? "()" : "(\\.?)";
  pattern = new RegExp(`^${begin}${rest.join("")}${stop}$`, "su");
  patterns.set(sentence, pattern);
  return pattern;
}

const MORE = /^(.+) and (\d+) more$/su;

/** What stands in a place: a list that was cut says so, and another sentence is said anew; everything else is somebody's. */
function valueIn(i18n: I18n, text: string): string {
  const cut = MORE.exec(text);
  if (cut) {
    const [, shown = "", left = ""] = cut;
    return i18n._(msg`${shown} and ${left} more`);
  }
  return text.includes(" ") ? (said(i18n, text, true) ?? text) : text;
}

/** One sentence of the program; null when it is none. */
function whole(i18n: I18n, text: string, sure: boolean): string | null {
  for (const { sentence, piece, loose } of entriesFor(text)) {
    if ((sure && loose) || !text.includes(piece)) continue;
    const found = patternOf(sentence).exec(text);
    if (!found) continue;
    const values = found.slice(1, -1);
    let stop = found.at(-1) ?? "";
    const told = values.map((value, at) => {
      // A sentence in the last place has the full stop for itself.
      const last = at === values.length - 1 && stop !== "" && sentence.english.endsWith("}");
      const ended = last ? said(i18n, value + stop, true) : null;
      if (ended !== null) stop = "";
      return [sentence.names?.[at] ?? at, ended ?? valueIn(i18n, value)] as const;
    });
    const anew = i18n._(sentence.words.id, Object.fromEntries(told));
    return stop === "" ? anew : stopped(i18n, anew);
  }
  return null;
}

/** A text with its full stop. */
const stopped = (i18n: I18n, told: string) => (/[.。!?]$/.test(told) ? told : i18n._(msg`${told}.`));

/** Sentences one after the other, of which at least one is known. */
function several(i18n: I18n, text: string): string | null {
  const parts = text.split(/(?<=[.!?]) (?=[A-Z0-9`"])/u);
  if (parts.length < 2) return null;
  const told = parts.map((part) => said(i18n, part, true));
  if (told.every((part) => part === null)) return null;
  return parts.map((part, at) => told[at] ?? part).reduce((first, second) => i18n._(msg`${first} ${second}`));
}

/** A thing, a colon and what is said of it. */
function about(i18n: I18n, text: string): string | null {
  for (let at = text.indexOf(": "); at > 0; at = text.indexOf(": ", at + 1)) {
    const [subject, rest] = [text.slice(0, at), text.slice(at + 2)];
    const told = said(i18n, rest, true);
    if (told !== null) return i18n._(msg`${valueIn(i18n, subject)}: ${told}`);
  }
  return null;
}

let remembered: { language: string; texts: Map<string, string | null> } = { language: "", texts: new Map() };

/** What is said for a text; null when nothing of it is known. `sure` where the text may be somebody's own. */
function said(i18n: I18n, text: string, sure: boolean): string | null {
  if (remembered.language !== i18n.locale || remembered.texts.size > REMEMBERED)
    remembered = { language: i18n.locale, texts: new Map() };
  const key = `${sure ? "?" : "!"}${text}`;
  const before = remembered.texts.get(key);
  if (before !== undefined) return before;
  const told = whole(i18n, text, sure) ?? several(i18n, text) ?? about(i18n, text);
  remembered.texts.set(key, told);
  return told;
}

/** A sentence of the program in the language of the window. */
export function sentenceIn(i18n: I18n, sentence: Message | string): string {
  return knownIn(i18n, sentence) ?? textOf(sentence);
}

/** The same; null when the sentence is not known. In English each is known, as what it is. */
export function knownIn(i18n: I18n, sentence: Message | string): string | null {
  const text = textOf(sentence);
  if (i18n.locale === "en" || text === "") return text;
  const translated = typeof sentence === "string" ? null : translatedIn(i18n, sentence);
  return translated ?? said(i18n, text, false);
}

/** The English text. */
const textOf = (sentence: Message | string): string => (typeof sentence === "string" ? sentence : sentence.text);

/** A message in the language of the window; null where its catalogue lacks the id. */
function translatedIn(i18n: I18n, { id, args, text }: Message): string | null {
  if (!(id in i18n.messages)) return null;
  const values = Object.entries(args).map(([name, argument]) => [name, argumentIn(i18n, argument)] as const);
  const translated = i18n._(id, Object.fromEntries(values));
  return /[.!?]$/.test(text) ? stopped(i18n, translated) : translated;
}

function argumentIn(i18n: I18n, argument: Argument): string | number {
  if (typeof argument === "string") return valueIn(i18n, argument);
  if (typeof argument === "number") return argument;
  return Array.isArray(argument)
    ? argument.map((item) => argumentIn(i18n, item)).join(", ")
    : sentenceIn(i18n, argument);
}

/** What may be of the program or somebody's own words, such as the note of an operation. */
export function noteIn(i18n: I18n, note: string): string {
  return i18n.locale === "en" ? note : (said(i18n, note, true) ?? note);
}

/** A sentence of the program in the language of the window, outside of components. */
export const sentenceNow = (sentence: Message | string): string => sentenceIn(i18n, sentence);

/** Several things that are said as one text; none, when there are none. */
export function together(parts: readonly string[]): string {
  const said = parts.filter(Boolean);
  const ended = said.map((told, at) =>
    at === said.length - 1 || /[.。!?]$/.test(told) ? told : i18n._(msg`${told}.`),
  );
  return ended.length === 0 ? "" : ended.reduce((first, second) => i18n._(msg`${first} ${second}`));
}
