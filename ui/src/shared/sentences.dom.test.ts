/** That what the program says is said in every language by its id, with all that stands in it, and nothing else is touched. */
import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import type { Argument, Message } from "@/bindings";
import type { MessageArguments, MessageId } from "@/bindings/messages";
import { SENTENCES } from "@/bindings/sentences";
import { ApiFailure } from "@/host";
import { activateLanguage, LANGUAGES, switchLanguage } from "@/i18n";
import { wordsFor } from "./failure";
import { formatsOf } from "./format";
import { messageIn } from "./program";
import { knownIn, sentenceIn, sentenceNow, together } from "./sentences";

afterEach(activateLanguage);

const others = LANGUAGES.filter((language) => language !== "en");

/** A message as the program sends it. */
const message = <Id extends MessageId>(
  id: Id,
  args: [MessageArguments[Id]] extends [never] ? Record<string, never> : Record<MessageArguments[Id], Argument>,
  text: string,
): Message => ({ id, args, text });

const verbatim = (text: string): Message => ({ id: "verbatim", args: {}, text });

const NO_MEMORY = message("failures.no_such_memory", {}, "There is no such memory.");

describe.each(others)("in %s", (language) => {
  it("every message is said by its id, with all that stands in it", async () => {
    await switchLanguage(language);
    for (const { id, message: english = "" } of SENTENCES as readonly { id: string; message?: string }[]) {
      const names = [...english.matchAll(/\{([a-z_0-9]+)\}/g)].map(([, name]) => name!);
      const args = Object.fromEntries(names.map((name) => [name, `${name}.md`]));
      const told = sentenceIn(i18n, { id, args, text: english });
      expect(told, id).not.toBe(english);
      for (const value of Object.values(args)) expect(told, id).toContain(value);
    }
  });

  it("figures are written as the window's own, and as exact as they came", async () => {
    await switchLanguage(language);
    const costs = message("warnings.run_costs_without", { now: { usd: "1.303" }, before: { usd: "1.30" } }, "");
    const own = formatsOf(language).dollars(1.3);
    expect(sentenceIn(i18n, { ...costs, text: "$1.303 and $1.30" })).toContain(`${own}3`);
    expect(sentenceIn(i18n, { ...costs, text: "$1.303 and $1.30" }).replace(`${own}3`, "")).toContain(own);
    const next = (amount: Argument) => message("recommend.next_best", { what: "$7", amount, again: 0 }, "x");
    expect(sentenceIn(i18n, next({ usd: "1.30" }))).toContain(own);
    // A name stays.
    expect(sentenceIn(i18n, next({ usd: "1.30" }))).toMatch(/(^|[^S])\$7/);
    expect(sentenceIn(i18n, next({ count: 1303 }))).toContain("1,303");
    const compacts = (tokens: number) => message("setting_words.compact_at", { trigger: { tokens } }, "x");
    expect(sentenceIn(i18n, compacts(150_000))).toContain(formatsOf(language).compact(150_000));
    expect(sentenceIn(i18n, compacts(62_501))).toContain("62,501");
  });

  it("an error is said whole", async () => {
    await switchLanguage(language);
    const messages = { message: NO_MEMORY, hint: NO_MEMORY };
    const error = { code: "not_found" as const, message: NO_MEMORY.text, hint: NO_MEMORY.text, subject: "a.md" };
    const words = wordsFor(new ApiFailure({ ...error, messages }));
    expect(words).toMatchObject({ detailLanguage: null, subject: "a.md" });
    expect(words.detail).not.toContain("memory");
    expect(words.next).toBe(words.detail);
  });
});

it("a message in a message is said in the same language, and a name stays as it is", async () => {
  await switchLanguage("ja");
  const problem = message("system.permission_denied", { code: 13 }, "Permission denied (os error 13)");
  const about = message("message.about", { subject: "a b.md", what: problem }, `a b.md: ${problem.text}`);
  expect(sentenceIn(i18n, about)).toContain("a b.md");
  expect(sentenceIn(i18n, about)).toContain(sentenceIn(i18n, problem));
  expect(sentenceIn(i18n, about)).not.toContain("denied");
});

it("a finding names a secret as its rule does", async () => {
  await switchLanguage("ja");
  const finding = {
    rule: "personal/email",
    message: message("page.masked", { name: "An e-mail address", shown: "ada", count: 12 }, "An e-mail address: ada…"),
  };
  expect(messageIn(i18n, finding)).not.toContain("e-mail");
  expect(messageIn(i18n, finding)).toContain("ada…");
});

it("what somebody else wrote stays as it is: names, notes, and what a newer program says", async () => {
  await switchLanguage("ja");
  for (const text of ["lint is not a test", NO_MEMORY.text, "a: b"])
    expect(sentenceIn(i18n, verbatim(text))).toBe(text);
  expect(knownIn(i18n, { id: "new.of_a_newer_program", args: {}, text: "Something new." })).toBeNull();
  const newer = wordsFor(new ApiFailure({ code: "busy", message: "It is used.", hint: "Wait.", subject: "" }));
  expect(newer).toMatchObject({ detail: "It is used. Wait.", detailLanguage: "en" });
  expect(i18n._(newer.next as never)).toMatch(/[ぁ-ん]/);
});

it("in English everything stays as it is", () => {
  expect(knownIn(i18n, NO_MEMORY)).toBe(NO_MEMORY.text);
  const busy = wordsFor(new ApiFailure({ code: "busy", message: "It is used.", hint: "Wait.", subject: "" }));
  expect(busy).toMatchObject({ detail: "It is used.", next: "Wait.", detailLanguage: null });
  expect(together(["One", "Two.", "three"])).toBe("One. Two. three");
  expect(sentenceNow(null)).toBe("");
});

const CUT = (line: number, lost: number, lines: number, bytes: number) =>
  message(
    "limits.line_after_not_loaded_lines",
    { line, saturating_sub: lost, lines, bytes, value: 200, value_2: 25_000 },
    `Line ${line} and the ${lost} after it are not loaded: ${lines} lines and ${bytes} bytes count, 200 and 25000 are loaded.`,
  );

it.each(LANGUAGES)("counts and sizes in %s are grouped as those of the window, and lines are not", async (language) => {
  await switchLanguage(language);
  const told = sentenceIn(i18n, CUT(1201, 1062, 2263, 10_884));
  for (const count of ["1,062", "2,263", "10,884", "25,000"]) expect(told).toContain(count);
  expect(told).toMatch(/(?<![\d,])1201(?![\d,])/);
  // A message in a message has its own names for its numbers.
  const inner = message("checker.file_bytes_over", { size: 8001, value: 7000 }, "The file has 8001 bytes, over 7000.");
  const about = message("message.about", { subject: "notes/8001.md", what: inner }, `notes/8001.md: ${inner.text}`);
  const whole = sentenceIn(i18n, about);
  // The English text is one with the path in it, which stays as it is.
  for (const part of ["notes/8001.md", language === "en" ? "8001 bytes" : "8,001", "7,000"])
    expect(whole).toContain(part);
});

it("a number that also names something is left in the English text, which is one with it", () => {
  expect(sentenceIn(i18n, CUT(2263, 62, 2263, 10_884))).toContain("2263 lines and 10,884 bytes");
  const quoted = message("message.about", { subject: "The 8001 ideas", what: 8001 }, "The 8001 ideas: 8001");
  expect(sentenceIn(i18n, quoted), "what a person wrote stays as it is").toBe("The 8001 ideas: 8001");
  const operation = message("rollback.undo_operation", { seq: 12_345 }, "undo of operation 12345");
  expect(sentenceIn(i18n, operation)).toBe("undo of operation 12345");
  const port = message("truth.no_configuration_file_mentions_port", { port: 8080 }, "No file mentions port 8080.");
  expect(sentenceIn(i18n, port)).toBe("No file mentions port 8080.");
});
