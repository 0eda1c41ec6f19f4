/**
 * Numbers in what the program says, with the separators of the window's own numbers: `25000 bytes` stands beside `25,000 bytes`
 * otherwise. What only names something stays as it is: a line, an operation, a port.
 */
import type { Argument, Message } from "@/bindings";
import type { MessageArguments, MessageId } from "@/bindings/messages";
import { formatsOf } from "./format";

type Name = Exclude<MessageArguments[MessageId], never>;

/** Arguments whose numbers are names. */
const NAMES: ReadonlySet<string> = new Set<Name>([
  "by",
  "code",
  "column",
  "first",
  "found",
  "index",
  "known",
  "last",
  "line",
  "major",
  "minor",
  "next_version",
  "number",
  "port",
  "process",
  "request",
  "reviewed_seq",
  "seq",
  "seq_2",
  "status",
  "through",
  "turn",
  "undone",
  "version",
]);

/** The same in single messages, where the argument is a count elsewhere: a request of all requests. */
const NAMES_IN: Partial<Record<MessageId, readonly Name[]>> = {
  "warnings.from_request_every_turn_compacts": ["after", "all"],
  "warnings.max_iterations_ends_run_request": ["after", "all"],
  "warnings.refusal_ends_run_request": ["after", "all"],
};

/** True if the numbers of an argument are counts and sizes, which are grouped. */
export function isGrouped(id: string, name: string): boolean {
  return !NAMES.has(name) && !NAMES_IN[id as MessageId]?.includes(name as Name);
}

/** Arguments that are amounts of US dollars. The program writes them as English does: `$1.303`. */
const MONEY_IN: Partial<Record<MessageId, readonly Name[]>> = {
  "recommend.cheapest_of": ["cost", "ran"],
  "recommend.cheapest_of_with_reads": ["cost", "ran", "each"],
  // Of tokens where there is no price.
  "recommend.next_best": ["amount"],
  "recommend.none_is_cheaper": ["ran", "each"],
  "warnings.run_costs_without": ["now", "before"],
};

/** An argument as the window writes money, as exact as it came; the text itself where it is none. */
export function moneyIn(locale: string, id: string, name: string, text: string): string {
  const [, amount, digits = ""] = /^\$(\d+(?:\.(\d+))?)$/.exec(text) ?? [];
  if (amount === undefined || !MONEY_IN[id as MessageId]?.includes(name as Name)) return text;
  return formatsOf(locale).dollarsTo(Number(amount), digits.length);
}

/** What the arguments of a message, and of those in it, hold: numbers that are grouped, numbers that stay, and texts. */
interface Held {
  grouped: Set<number>;
  kept: Set<number>;
  texts: string[];
}

function heldBy({ id, args }: Pick<Message, "id" | "args">, found: Held): Held {
  const take = (argument: Argument, grouped: boolean): void => {
    if (typeof argument === "string") found.texts.push(argument);
    else if (typeof argument === "number") found[grouped ? "grouped" : "kept"].add(argument);
    else if (Array.isArray(argument)) argument.forEach((item) => take(item, grouped));
    else if (typeof argument === "object") heldBy(argument, found);
  };
  for (const [name, argument] of Object.entries(args)) take(argument, isGrouped(id, name));
  return found;
}

/**
 * The English text of a message, which came whole, with its numbers grouped. A number that names something too is left, and one
 * that a text of the message holds as well: what a memory or a path says is shown as it is.
 */
export function groupedIn(locale: string, message: Message): string {
  const { grouped, kept, texts } = heldBy(message, { grouped: new Set(), kept: new Set(), texts: [] });
  const isQuoted = (number: number) => texts.some((text) => text.includes(String(number)));
  return [...grouped]
    .filter((number) => number >= 1000 && !kept.has(number) && !isQuoted(number))
    .reduce((text, number) => {
      // Not within a longer number, a name or a path.
      const alone = new RegExp(`(?<![\\w./:\\\\-])${number}(?![\\w/:\\\\-]|[.,]\\w)`, "gu");
      return text.replace(alone, formatsOf(locale).number(number));
    }, message.text);
}
