import { i18n } from "@lingui/core";
import { afterEach, expect, it } from "vitest";
import { activateLanguage, LANGUAGES, languageOf, NAMES, switchLanguage } from ".";

afterEach(activateLanguage);

it("takes the first language that is there, as its speakers write it", () => {
  expect(languageOf(["ja-JP", "en-US"])).toBe("ja");
  expect(languageOf(["fr-FR", "ko"])).toBe("ko");
  expect(
    ["zh-TW", "zh-Hant", "zh-Hant-HK", "zh-HK", "zh-CN", "zh", "de", "EN-gb"].map((tag) => languageOf([tag])),
  ).toEqual(["zh-Hant", "zh-Hant", "zh-Hant", "zh-Hant", "en", "en", "en", "en"]);
  expect(languageOf([])).toBe("en");
});

it("says of the page which language it is in, and names every language in itself", async () => {
  for (const language of LANGUAGES) {
    await switchLanguage(language);
    expect([i18n.locale, document.documentElement.lang]).toEqual([language, language]);
    expect(NAMES[language]).not.toBe("");
  }
});

it("ends with the last choice, whichever is there first", async () => {
  const slow = switchLanguage("ja");
  await switchLanguage("en");
  await slow;
  expect(i18n.locale).toBe("en");
});
