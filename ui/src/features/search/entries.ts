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
    .map((entry) => ({ entry, score: fit(`${entry.label} ${entry.detail ?? ""}`, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}
