/**
 * What the program says, in the language of the window. A message has an id, by which a catalogue has its translation, and the
 * English text, which is shown where the catalogue lacks the id: a newer program may say more.
 */
import { type I18n, i18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Argument, Message } from "@/bindings";
import type { MessageId } from "@/bindings/messages";
import { figureIn, groupedIn, isFigure, isGrouped } from "./grouping";
import { formatsOf } from "./format";
import { IN_WINDOW } from "./in-window";

/** A text with its full stop. */
const stopped = (i18n: I18n, text: string) => (/[.。!?]$/.test(text) ? text : i18n._(msg`${text}.`));

/** A message in the language of the window. */
export function sentenceIn(i18n: I18n, message: Message): string {
  return knownIn(i18n, message) ?? message.text;
}

/** The same; null when the message is not known. In English each is known, as what it is. */
export function knownIn(i18n: I18n, message: Message): string | null {
  const instead = IN_WINDOW[message.id as MessageId];
  if (instead) return i18n._(instead.id, valuesIn(i18n, message), instead.message ? { message: instead.message } : {});
  if (message.text === "") return "";
  if (i18n.locale === "en") return groupedIn(i18n.locale, message);
  return translatedIn(i18n, message);
}

/** A message in the language of the window; null where its catalogue lacks the id. */
function translatedIn(i18n: I18n, message: Message): string | null {
  const { id, text } = message;
  if (!(id in i18n.messages)) return null;
  const translated = i18n._(id, valuesIn(i18n, message));
  return /[.!?]$/.test(text) ? stopped(i18n, translated) : translated;
}

function valuesIn(i18n: I18n, { id, args }: Pick<Message, "id" | "args">): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => [name, argumentIn(i18n, argument, isGrouped(id, name))]),
  );
}

function argumentIn(i18n: I18n, argument: Argument, grouped: boolean): string | number {
  if (typeof argument === "number") return grouped ? formatsOf(i18n.locale).number(argument) : argument;
  if (typeof argument === "string") return argument;
  if (isFigure(argument)) return figureIn(i18n.locale, argument);
  return Array.isArray(argument)
    ? argument.map((item) => argumentIn(i18n, item, grouped)).join(i18n._(msg`, `))
    : sentenceIn(i18n, argument);
}

/** A message in the language of the window, outside of components; nothing where there is none. */
export const sentenceNow = (message: Message | null | undefined): string => (message ? sentenceIn(i18n, message) : "");

/** Several things that are said as one text; none, when there are none. */
export function together(parts: readonly string[]): string {
  const said = parts.filter(Boolean);
  const ended = said.map((told, at) =>
    at === said.length - 1 || /[.。!?]$/.test(told) ? told : i18n._(msg`${told}.`),
  );
  return ended.length === 0 ? "" : ended.reduce((first, second) => i18n._(msg`${first} ${second}`));
}
