/** That what the program says of rules and findings is said in every language, with all that stands in it. */
import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import { MESSAGES, RULES } from "@/bindings/words";
import { ApiFailure } from "@/host";
import { activateLanguage, LANGUAGES, switchLanguage } from "@/i18n";
import { wordsFor } from "./failure";
import { messageIn, sentenceIn } from "./program";

afterEach(activateLanguage);

/** A sentence with something in each of its places. */
const filled = (english: string) => english.replace(/\{(\d)\}/g, (_, place: string) => `x${place}.md`);

describe.each(LANGUAGES.filter((language) => language !== "en"))("in %s", (language) => {
  it("every sentence of a finding is said anew, with all that stands in it", async () => {
    await switchLanguage(language);
    for (const { english } of MESSAGES) {
      const sentence = filled(english);
      const told = sentenceIn(i18n, sentence);
      expect(told).not.toBe(sentence);
      for (const [value] of sentence.matchAll(/x\d\.md/g)) expect(told, english).toContain(value);
    }
  });

  it("every rule has a name, and all but the kinds of secrets an explanation", async () => {
    await switchLanguage(language);
    for (const [id, { name, explanation, remedy }] of Object.entries(RULES)) {
      expect(i18n._(name), id).not.toBe(name.message);
      expect(i18n._(remedy), id).not.toBe(remedy.message);
      expect(explanation === null, id).toBe(id.startsWith("secret/"));
      if (explanation) expect(i18n._(explanation), id).not.toBe(explanation.message);
    }
  });
});

it("the sentence that was meant is found among those that fit", async () => {
  await switchLanguage("ja");
  expect(sentenceIn(i18n, 'There is no "a.md" to import.')).toBe("取り込む「a.md」がありません。");
  expect(sentenceIn(i18n, 'There is no branch "main".')).toBe("ブランチ「main」がありません。");
  expect(sentenceIn(i18n, 'There is no "a\nb.md".')).toBe("「a\nb.md」がありません。");
  expect(sentenceIn(i18n, "Without width: U+200B U+200C U+200D U+2060 and 3 more.")).toBe(
    "幅がありません：U+200B U+200C U+200D U+2060 ほか 3 件。",
  );
});

it("a secret is named by its kind and stays masked; what is not known stays as it is", async () => {
  await switchLanguage("ko");
  const secret = { rule: "secret/stripe", message: "A Stripe key: sk_l… (32 characters)." };
  expect(messageIn(i18n, secret)).toBe("Stripe 키: sk_l… (32자).");
  expect(messageIn(i18n, { rule: "personal/email", message: "An e-mail address: r… (1 character)." })).toBe(
    "이메일 주소: r… (1자).",
  );
  expect(messageIn(i18n, { rule: "brand/new", message: "Something new." })).toBe("Something new.");
});

it("an error's next step is that of its code, and the program's own advice stands with the details", async () => {
  const busy = new ApiFailure({ code: "busy", message: "It is used.", hint: "Wait.", subject: "" });
  expect(wordsFor(busy)).toMatchObject({ detail: "It is used.", next: "Wait." });
  await switchLanguage("ja");
  const { detail, next } = wordsFor(busy);
  expect(detail).toBe("It is used. Wait.");
  expect(typeof next === "string" ? next : i18n._(next)).toMatch(/[ぁ-ん]/);
});
