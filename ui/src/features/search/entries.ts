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

/** Fit of a label: every word of the query occurs; a beginning of a word is better than a middle. 0 for no. */
export function fit(label: string, query: string): number {
  const text = label.toLocaleLowerCase();
  let sum = 1;
  for (const word of query.toLocaleLowerCase().split(/\s+/).filter(Boolean)) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    const start = at === 0 || /[\s/_.-]/.test(text.charAt(at - 1));
    sum += start ? 2 : 1;
  }
  return sum / (1 + text.length / 200);
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
