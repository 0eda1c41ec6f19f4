/** The catalogues use one word for one thing: those of `terms.json`, in both catalogues of every language. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SENTENCES } from "@/bindings/sentences";
import terms from "./terms.json";

const TRANSLATED = ["ja", "ko", "zh-Hant"] as const;
const ENGLISH = new Map(SENTENCES.map(({ id, message }) => [id, message ?? ""]));

/** Entries of a catalogue: the English text, and its translation. */
function entries(file: string): { english: string; said: string }[] {
  const blocks = readFileSync(`src/i18n/locales/${file}.po`, "utf8").split("\n\n");
  const text = (block: string, key: string) => {
    const lines = new RegExp(`^${key} ((?:"(?:[^"\\\\]|\\\\.)*"\\n?)+)`, "m").exec(block)?.[1] ?? '""';
    return lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as string)
      .join("");
  };
  return blocks
    .filter((block) => !block.includes("#~ ") && text(block, "msgid") !== "")
    .map((block) => {
      const id = text(block, "msgid");
      return { english: ENGLISH.get(id) ?? id, said: text(block, "msgstr") };
    });
}

/** A text without what is no word of it: arguments, and code. */
const plain = (text: string) => text.replace(/`[^`]*`/g, "").replace(/\{\w+\}/g, "");

/** A text with something in the place of its arguments. */
const filled = (text: string) => text.replace(/\{\w+\}/g, "0");

describe.each(TRANSLATED)("the catalogues of %s", (language) => {
  const all = [...entries(language), ...entries(`program/${language}`)];

  it("have one word for each term", () => {
    const wrong = terms.terms.flatMap((term) => {
      const [named, without, word] = [term.english, term.without ?? "$^", term[language]].map((one) => new RegExp(one));
      return all
        .filter(({ english }) => named!.test(plain(english)) && !without!.test(plain(english)))
        .filter(({ said }) => !word!.test(said))
        .map(({ english, said }) => `${term[language]}: ${english} => ${said}`);
    });
    expect(wrong).toEqual([]);
  });

  it("have no word for them beside", () => {
    const wrong = terms.never[language].flatMap((word) =>
      all.filter(({ said }) => new RegExp(word).test(filled(said))).map(({ said }) => `${word}: ${said}`),
    );
    expect(wrong).toEqual([]);
  });
});
