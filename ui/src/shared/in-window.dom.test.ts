/** The window gives no advice for a terminal where it has the act itself. */
import { i18n } from "@lingui/core";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SENTENCES } from "@/bindings/sentences";
import { IN_WINDOW, TERMINAL_ONLY } from "./in-window";
import { sentenceIn } from "./sentences";

/** A command of the terminal, or an option of one. */
const COMMAND = /`retrace |: retrace |(^|[ `(])--[a-z]/;

const commands = Object.values(SENTENCES)
  .filter(({ message }) => COMMAND.test(message ?? ""))
  .map(({ id }) => id);

it("says in its own words what the program advises for a terminal", () => {
  const known = [...Object.keys(IN_WINDOW), ...TERMINAL_ONLY].toSorted();
  expect(known).toEqual(commands.toSorted());
  expect(Object.values(IN_WINDOW).filter((words) => COMMAND.test(words?.message ?? ""))).toEqual([]);
});

it("keeps the arguments of what it says instead", () => {
  const message = {
    id: "rollback.retrace_undo_takes_out_lists",
    args: { seq: 824 },
    text: "`retrace undo 824` takes it out of the lists again.",
  };
  expect(sentenceIn(i18n, message)).toBe("Undoing operation 824 in the timeline removes it from the lists again.");
  const args = /\{(\w+)\}/g;
  for (const [id, words] of Object.entries(IN_WINDOW)) {
    const said = Object.values(SENTENCES).find((sentence) => sentence.id === id)?.message ?? "";
    const names = [...(words.message ?? "").matchAll(args)].map(([, name]) => name);
    expect(
      [...said.matchAll(args)].map(([, name]) => name),
      id,
    ).toEqual(expect.arrayContaining(names));
  }
});

it("names in its own texts only the command that shows it", () => {
  const catalogue = readFileSync("src/i18n/locales/en.po", "utf8");
  const texts = [...catalogue.matchAll(/^msgid "(.*)"$/gm)].map(([, text]) => text!);
  const named = texts.filter((text) => /retrace [a-z-]+ /.test(text) && !/retrace serve|Retrace/.test(text));
  expect(named).toEqual([]);
});
