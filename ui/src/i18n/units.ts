/**
 * Figures that end in a character, `6萬`, in languages that set a space between digits and characters: between two characters
 * stands none. A catalogue writes the space, `超過 {trigger} 時清除`, since most figures end in a digit.
 */

/** Stands after such a figure while a message is made, so that the same letters in another text are left alone. */
const MARK = "\ue001";
const ENDS_IN_UNIT = /^[−+]?\d[\d.,]*[万萬億兆]$/u;
const SPACED = new RegExp(`${MARK}((?:</\\d+>)?) (?=[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}])`, "gu");
const MARKS = new RegExp(MARK, "g");

type Values = Record<string, unknown>;

function valuesMarked(values: Values): Values {
  const found = Object.entries(values).filter(([, value]) => typeof value === "string" && ENDS_IN_UNIT.test(value));
  if (found.length === 0) return values;
  return { ...values, ...Object.fromEntries(found.map(([name, value]) => [name, `${String(value)}${MARK}`])) };
}

/** What a message is asked for with, its figures marked. */
export function unitsMarked<T extends readonly unknown[]>(asked: T): T {
  const [what, values, ...rest] = asked;
  if (typeof what === "object" && what !== null && "values" in what && what.values)
    return [{ ...what, values: valuesMarked(what.values as Values) }, values, ...rest] as unknown as T;
  if (typeof values === "object" && values !== null)
    return [what, valuesMarked(values as Values), ...rest] as unknown as T;
  return asked;
}

/** The text of a message, without marks and without a space after a character. */
export function joined(text: string): string {
  return text.includes(MARK) ? text.replace(SPACED, "$1").replace(MARKS, "") : text;
}
