import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import { activateLanguage, switchLanguage } from "@/i18n";
import { sentenceIn } from "./sentences";

afterEach(activateLanguage);

const clears = (tokens: number) => ({
  id: "setting_words.clear_above_keep",
  args: { trigger: { tokens }, keep: 3 },
  text: "clear above 60K, keep 3",
});

describe("a figure that ends in a character", () => {
  it.each([
    ["zh-Hant", "超過 6萬時清除，保留 3 個"],
    ["ja", "6万超で消去、3 件を残す"],
  ] as const)("stands at the next one without a space in %s", async (language, text) => {
    await switchLanguage(language);
    expect(sentenceIn(i18n, clears(60_000))).toBe(text);
  });

  it("keeps the space where it ends in a digit", async () => {
    await switchLanguage("zh-Hant");
    expect(sentenceIn(i18n, clears(2000))).toBe("超過 2,000 時清除，保留 3 個");
  });

  it("leaves the same letters in another text alone", async () => {
    await switchLanguage("zh-Hant");
    expect(i18n._("setting_words.clear_above_keep", { trigger: "每 6萬 個", keep: 3 })).toBe(
      "超過 每 6萬 個 時清除，保留 3 個",
    );
  });
});
