/**
 * The language of the window. English is built in, the others are loaded when they are chosen. A message that a catalogue
 * lacks is shown in English; `catalogues.test.ts` sees to it that none lacks any.
 */
import { i18n } from "@lingui/core";
import { messages as english } from "./locales/en.po";
import { marked, withParticles } from "./particles";
import { joined, unitsMarked } from "./units";

/** The languages there are, as language tags. */
export const LANGUAGES = ["en", "ja", "ko", "zh-Hant"] as const;
/** One of [`LANGUAGES`]. */
export type Language = (typeof LANGUAGES)[number];

/** Names of the languages, each in itself, as people search for theirs. */
export const NAMES: Record<Language, string> = {
  en: "English",
  ja: "日本語",
  ko: "한국어",
  "zh-Hant": "繁體中文",
};

type Catalogue = { messages: typeof english };

/** Texts of the window, and translations of the program's sentences. */
const CATALOGUES: Record<Exclude<Language, "en">, () => Promise<Catalogue[]>> = {
  ja: () => Promise.all([import("./locales/ja.po"), import("./locales/program/ja.po")]),
  ko: () => Promise.all([import("./locales/ko.po"), import("./locales/program/ko.po")]).then(marked),
  "zh-Hant": () => Promise.all([import("./locales/zh-Hant.po"), import("./locales/program/zh-Hant.po")]),
};

/** Regions and scripts that write Chinese in traditional characters. */
const TRADITIONAL = new Set(["Hant", "TW", "HK", "MO"]);

/** The language for a person who reads these, the best first; English where none of them is there. */
export function languageOf(tags: readonly string[]): Language {
  for (const tag of tags) {
    const [primary = "", ...rest] = tag.split("-");
    const known = LANGUAGES.find((language) => language === primary.toLowerCase());
    if (known) return known;
    // Simplified characters are another writing; who reads them may like English as little, but not less.
    if (primary.toLowerCase() === "zh" && rest.some((part) => TRADITIONAL.has(part))) return "zh-Hant";
  }
  return "en";
}

/** Switches to the built-in language at once. */
export function activateLanguage(): void {
  show("en", english);
}

// All that is said goes through here, also what components say, and only then is it known which words stand in it.
const said = i18n._.bind(i18n);
i18n._ = ((...asked: Parameters<typeof said>) => joined(withParticles(said(...unitsMarked(asked))))) as typeof i18n._;

function show(language: Language, messages: typeof english): void {
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = language;
}

let wanted: Language = "en";

/** Switches to a language once its messages are there. A later choice wins over an earlier one that loads for longer. */
export async function switchLanguage(language: Language): Promise<void> {
  wanted = language;
  if (language === "en") return activateLanguage();
  const catalogues = await CATALOGUES[language]();
  if (wanted === language)
    show(language, Object.assign({}, ...catalogues.map(({ messages }) => messages)) as typeof english);
}
