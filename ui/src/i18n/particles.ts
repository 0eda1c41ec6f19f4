/**
 * Korean particles: their form depends on how the word before them ends, and that word is often a value. A catalogue writes both
 * forms, `{name}을(를)`; the window shows the one that fits. No library is used: those there are judge by Hangul alone, and most
 * values here are paths, identifiers and numbers.
 */

/** What the last sound of a word is: a vowel, the consonant ㄹ, another consonant; null where nobody can know. */
export type Final = "vowel" | "rieul" | "consonant" | null;

/** Both forms as catalogues write them, with the form after a consonant and the one after a vowel. */
const FORMS: Record<string, readonly [consonant: string, vowel: string]> = {
  "을(를)": ["을", "를"],
  "이(가)": ["이", "가"],
  "은(는)": ["은", "는"],
  "과(와)": ["과", "와"],
  "와(과)": ["과", "와"],
  "(으)로": ["으로", "로"],
  "(이)라": ["이라", "라"],
};

/** Stands before both forms in a loaded message, so that the same letters in a value are left alone. */
const MARK = "\ue000";
const BOTH = Object.keys(FORMS)
  .map((both) => both.replace(/[()]/g, "\\$&"))
  .join("|");
const WRITTEN = new RegExp(BOTH, "g");
const MARKED = new RegExp(`${MARK}(${BOTH})`, "g");

/** Marks the particles of a catalogue that was loaded. */
export function marked<T>(messages: T): T {
  if (typeof messages === "string") return messages.replace(WRITTEN, `${MARK}$&`) as T;
  if (Array.isArray(messages)) return messages.map((part: unknown) => marked(part)) as T;
  if (typeof messages !== "object" || messages === null) return messages;
  return Object.fromEntries(Object.entries(messages).map(([key, part]) => [key, marked<unknown>(part)])) as T;
}

/** A text of a marked message, with the particles that fit; both forms stay where the word's end cannot be known. */
export function withParticles(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (_, both: string, at: number) => {
    const [consonant, vowel] = FORMS[both]!;
    const final = finalOf(text.slice(0, at).replace(MARKED, "$1"));
    if (final === null) return both;
    return final === "consonant" || (final === "rieul" && both !== "(으)로") ? consonant : vowel;
  });
}

/** Marks and quotes that close a word, a tag that ends there, and a remark in brackets: none of it is spoken. */
const SILENT = /(?:<\/\w+>|["'`”’»」』\]>/\s]|\([^()]*\)|\))$/u;

/** How a word that somebody reads aloud in Korean ends. */
export function finalOf(text: string): Final {
  // A part of a page, whose words the message does not hold.
  if (text.endsWith("/>")) return null;
  let spoken = text;
  while (SILENT.test(spoken)) spoken = spoken.replace(SILENT, "");
  const last = spoken.at(-1) ?? "";
  if (/[가-힣]/u.test(last)) {
    const consonant = (last.charCodeAt(0) - 0xac00) % 28;
    return consonant === 0 ? "vowel" : consonant === 8 ? "rieul" : "consonant";
  }
  if (/\d/.test(last)) return /[2459]/.test(last) ? "vowel" : /[178]/.test(last) ? "rieul" : "consonant";
  if (last === "%") return "vowel";
  return finalOfLatin(/[A-Za-z]+$/.exec(spoken)?.[0] ?? "");
}

/**
 * Latin letters, by how Korean writes such words: `file` 파일, `name` 네임, `git` 깃, `stack` 스택; else a vowel follows the last
 * consonant, as in `hub` 허브 and `test` 테스트. Capitals are spelt: `URL` 유아르엘. A rule of thumb, and wrong for some words.
 */
function finalOfLatin(word: string): Final {
  if (word === "") return null;
  if (word === word.toUpperCase()) return /[LR]$/.test(word) ? "rieul" : /[MN]$/.test(word) ? "consonant" : "vowel";
  const lower = word.toLowerCase();
  if (/le?$/.test(lower)) return "rieul";
  return /(?:[mn]|[aeiouy][mn]e|ng|ck|(?:^|[^aeiou])[aeiouy][ckpt]|oo[ckpt]|oup)$/.test(lower) ? "consonant" : "vowel";
}
