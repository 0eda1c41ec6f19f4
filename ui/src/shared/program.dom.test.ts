/** The program's words for rules and findings are translated to every language, with all that stands in it. */
import { verbatim } from "@/host/fake/verbatim";
import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "@/bindings";
import { RULES } from "@/bindings/words";
import { activateLanguage, LANGUAGES, switchLanguage } from "@/i18n";
import { messageIn } from "./program";

afterEach(activateLanguage);

describe.each(LANGUAGES.filter((language) => language !== "en"))("in %s", (language) => {
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

it("a secret is named by its kind and stays masked; what is not known stays as it is", async () => {
  await switchLanguage("ko");
  const masked = (name: string, shown: string, count: number): Message =>
    count === 1
      ? { id: "page.masked_one", args: { name, shown }, text: `${name}: ${shown}… (1 character).` }
      : { id: "page.masked", args: { name, shown, count }, text: `${name}: ${shown}… (${count} characters).` };
  const secret = { rule: "secret/stripe", message: masked("A Stripe key", "sk_l", 32) };
  expect(messageIn(i18n, secret)).toBe("Stripe 키: sk_l… (32자).");
  expect(messageIn(i18n, { rule: "personal/email", message: masked("An e-mail address", "r", 1) })).toBe(
    "이메일 주소: r… (1자).",
  );
  expect(messageIn(i18n, { rule: "brand/new", message: verbatim("Something new.") })).toBe("Something new.");
});
