/**
 * Numbers in what the program says, with the separators of the window's own numbers: `25000 bytes` stands beside `25,000 bytes`
 * otherwise. What only names something stays as it is: a line, an operation, a port.
 */
import type { Argument, Figure, Message } from "@/bindings";
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

/** A figure as the window writes it, as exact as it came. */
export function figureIn(locale: string, figure: Figure): string {
  const formats = formatsOf(locale);
  if ("usd" in figure) {
    const [, digits = ""] = figure.usd.split(".");
    return formats.dollarsTo(Number(figure.usd), digits.length);
  }
  if ("count" in figure) return formats.number(figure.count);
  // In few characters where none of its digits is lost.
  const said = String(figure.tokens).replace(/0+$/, "").length;
  return said <= 3 ? formats.compact(figure.tokens) : formats.number(figure.tokens);
}

/** True for a figure, which has an amount and no id. */
export const isFigure = (argument: Argument): argument is Figure =>
  typeof argument === "object" && !Array.isArray(argument) && !("id" in argument);

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
    else if (!isFigure(argument)) heldBy(argument, found);
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
