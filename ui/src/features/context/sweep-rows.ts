/** Rows of a sweep: settings whose results are the same in every figure are one row, which names them all. Pure. */
import type { Argument, Message, SweepPoint } from "@/bindings";

/** Settings with the same results. */
export interface SweepRow {
  /** The settings, in the order in which they came; the first stands for all. */
  points: readonly [SweepPoint, ...SweepPoint[]];
  /** What they do, as one text; null where they differ in more than one number. */
  what: Message | null;
}

/** Stands between the values that a row stands for; the same in every language. */
const BETWEEN = " / ";

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const isMessage = (argument: Argument | undefined): argument is Message =>
  typeof argument === "object" && !Array.isArray(argument) && "id" in argument;

/** English texts that differ in one word, as one: "clear above 30K / 50K, keep 3". */
function mergedTexts(texts: readonly string[]): string | null {
  const words = texts.map((text) => text.split(/([\s,]+)/));
  const [first = []] = words;
  if (words.some(({ length }) => length !== first.length)) return null;
  const differing = first.flatMap((_, at) => (words.every((one) => one[at] === first[at]) ? [] : [at]));
  const [at] = differing;
  if (at === undefined || differing.length > 1) return null;
  return first.map((word, place) => (place === at ? words.map((one) => one[at]).join(BETWEEN) : word)).join("");
}

/**
 * Messages of one id that differ in one argument, as one message with all of its values; null for others. `say` writes a value
 * as the window does.
 */
export function mergedMessages(messages: readonly Message[], say: (value: Argument) => string): Message | null {
  const [first] = messages;
  if (!first) return null;
  if (messages.length === 1) return first;
  const text = mergedTexts(messages.map((message) => message.text));
  if (text === null || messages.some(({ id }) => id !== first.id)) return null;
  const differing = Object.keys(first.args).filter((name) =>
    messages.some(({ args }) => !same(args[name], first.args[name])),
  );
  const [name] = differing;
  if (name === undefined || differing.length > 1) return null;
  const values = messages.map(({ args }) => args[name]);
  const inner = values.every(isMessage)
    ? mergedMessages(values, say)
    : values.map((value) => say(value!)).join(BETWEEN);
  return inner === null ? null : { ...first, text, args: { ...first.args, [name]: inner } };
}

const figuresOf = ({ peak, cost_usd, input, regrets, clears, pareto }: SweepPoint) =>
  [peak, cost_usd, input, regrets, clears, pareto].join(" ");

/** The rows, in the order of their first settings. What `alone` is true for has a row of its own. */
export function rowsOf(
  points: readonly SweepPoint[],
  alone: (point: SweepPoint) => boolean,
  say: (value: Argument) => string,
): SweepRow[] {
  const groups = new Map<string, [SweepPoint, ...SweepPoint[]]>();
  for (const [at, point] of points.entries()) {
    const key = alone(point) ? `alone ${at}` : figuresOf(point);
    const known = groups.get(key);
    if (known) known.push(point);
    else groups.set(key, [point]);
  }
  return [...groups.values()].map((group) => ({
    points: group,
    what: mergedMessages(
      group.map(({ what }) => what),
      say,
    ),
  }));
}
