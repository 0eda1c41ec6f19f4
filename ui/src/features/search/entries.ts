/** Entries that the palette offers beside full-text hits: found by name. Pure. */

/** One thing to choose. */
export interface Entry {
  /** Unique. */
  key: string;
  /** Label. */
  label: string;
  /** Where or what it is, beside it. */
  detail?: string;
  /** The key that does the same. */
  keys?: string;
  /** More words it is found by: the English verb in every language, names of arguments. */
  words?: string;
  /** What is typed next: the entry goes on with its arguments instead of ending. */
  goesOn?: string;
  /** Does it. */
  run: () => void;
}

const isWordSign = (sign: string) => /[\p{L}\p{N}]/u.test(sign);
/** Scripts that put no space between words. */
const isUnspaced = (word: string) => /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/.test(word);

/** Fit of one word: as a whole 3, as the beginning of one 2, within one 1, 0 for no. */
function fitOfWord(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 3; at = text.indexOf(word, at + 1)) {
    const begins = at === 0 || !isWordSign(text.charAt(at - 1)) || isUnspaced(word);
    const ends = !isWordSign(text.charAt(at + word.length));
    best = Math.max(best, begins ? (ends ? 3 : 2) : 1);
  }
  return best;
}

/**
 * Fit of a label: every word of the query occurs, whole ones are best. Of several words each begins one: with "put back", what
 * gave feedback on an output is not meant. 0 for no.
 */
export function fit(label: string, query: string): number {
  const text = label.toLocaleLowerCase();
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const least = words.length > 1 ? 2 : 1;
  const fits = words.map((word) => fitOfWord(text, word));
  if (fits.some((one) => one < least)) return 0;
  return (1 + fits.reduce((all, one) => all + one, 0)) / (1 + text.length / 200);
}

/** The entries that fit best, in their own order when nothing is asked for. */
export function pick(entries: readonly Entry[], query: string, most: number): Entry[] {
  if (query.trim() === "") return entries.slice(0, most);
  return entries
    .map((entry) => ({ entry, score: fit(`${entry.label} ${entry.detail ?? ""} ${entry.words ?? ""}`, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** A typed verb and what stands behind it; null where the text does not begin with one of `verbs` and a space. */
export function afterVerb(query: string, verbs: readonly string[]): string | null {
  const text = query.trimStart();
  const verb = verbs.find((one) => text.toLocaleLowerCase().startsWith(`${one.toLocaleLowerCase()} `));
  return verb === undefined ? null : text.slice(verb.length + 1).trimStart();
}

/** The name among `names` that a text begins with, the longest first, and what stands behind it. */
export function namedFirst<T extends { name: string }>(
  text: string,
  names: readonly T[],
): { named: T; rest: string } | null {
  const low = text.toLocaleLowerCase();
  const fits = ({ name }: T) => low === name.toLocaleLowerCase() || low.startsWith(`${name.toLocaleLowerCase()} `);
  const named = [...names].sort((a, b) => b.name.length - a.name.length).find(fits);
  return named ? { named, rest: text.slice(named.name.length).trim() } : null;
}

/** Those of `names` that a text begins with in part, and what `read` makes of the rest; null where there is none. */
export function namedInPart<T extends { name: string }, R>(
  text: string,
  names: readonly T[],
  read: (rest: string) => R | null,
): { named: T[]; read: R } | null {
  const words = text.split(/\s+/).filter(Boolean);
  for (let cut = 1; cut < words.length; cut += 1) {
    const found = read(words.slice(cut).join(" "));
    const named = found === null ? [] : names.filter(({ name }) => fit(name, words.slice(0, cut).join(" ")) > 0);
    if (found !== null && named.length > 0) return { named, read: found };
  }
  return null;
}

/** Those of `names` that the most words at the beginning of a text fit. */
export function begunWith<T extends { name: string }>(text: string, names: readonly T[]): T[] {
  const words = text.split(/\s+/).filter(Boolean);
  for (let cut = words.length; cut > 0; cut -= 1) {
    const named = names.filter(({ name }) => fit(name, words.slice(0, cut).join(" ")) > 0);
    if (named.length > 0) return named;
  }
  return [];
}
