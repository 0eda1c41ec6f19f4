/** Keeps secrets that a check found out of sight: what is shown of them has as many characters, and few of theirs. */
import type { Finding } from "@/bindings";

type Place = Pick<Finding, "rule" | "start" | "line" | "column" | "end_line" | "end_column">;
type Line = { text: string };

/** In place of a character. */
const DOT = "•";
/** Of a secret of at least so many characters the first and the last few are shown, by which it is known again. */
const KNOWN_FROM = 16;
const FIRST = 4;
const LAST = 2;

/** The secrets among findings, as they stand in `lineAt`; a shorter part of one is no secret by itself. */
export function secretsIn(findings: readonly Place[], lineAt: (line: number) => string | undefined): string[] {
  const parts = findings
    .filter(({ rule, start }) => rule.startsWith("secret/") && start !== null)
    .flatMap((place) => {
      const last = Math.max(place.end_line ?? place.line, place.line);
      return Array.from({ length: last - place.line + 1 }, (_, at) => {
        const line = place.line + at;
        const from = at === 0 ? place.column - 1 : 0;
        const to = line === last && place.end_column !== null ? place.end_column - 1 : undefined;
        return [...(lineAt(line) ?? "")].slice(from, to).join("");
      });
    });
  return [...new Set(parts.filter((part) => part.trim() !== ""))].sort((a, b) => b.length - a.length);
}

/** A secret as it is shown. */
export function masked(secret: string): string {
  const letters = [...secret];
  if (letters.length < KNOWN_FROM) return DOT.repeat(letters.length);
  const [first, last] = [letters.slice(0, FIRST).join(""), letters.slice(-LAST).join("")];
  return `${first}${DOT.repeat(letters.length - FIRST - LAST)}${last}`;
}

/** A line without the secrets; positions in it stay what they were. */
export function withoutSecrets<T extends Line>(line: T, secrets: readonly string[]): T {
  const text = secrets.reduce((shown, secret) => shown.replaceAll(secret, masked(secret)), line.text);
  return text === line.text ? line : { ...line, text };
}

/** Of a cut secret at least so many characters are one, and no word that begins or ends like it. */
const CUT_FROM = 6;

/** A part of a line without the secrets, those that its ends cut included. */
export function withoutCut(text: string, secrets: readonly string[]): string {
  const whole = withoutSecrets({ text }, secrets).text;
  return secrets.reduce((shown, secret) => cutAtEnd(cutAtStart(shown, secret), secret), whole);
}

/** What stands around a part in place of the rest of the line. */
const LEFT_OUT = "…";

function cutAtStart(text: string, secret: string): string {
  const lead = text.startsWith(LEFT_OUT) ? LEFT_OUT : "";
  const rest = text.slice(lead.length);
  for (let length = secret.length - 1; length >= CUT_FROM; length -= 1)
    if (rest.startsWith(secret.slice(-length))) return `${lead}${DOT.repeat(length)}${rest.slice(length)}`;
  return text;
}

function cutAtEnd(text: string, secret: string): string {
  const tail = text.endsWith(LEFT_OUT) ? LEFT_OUT : "";
  const rest = text.slice(0, text.length - tail.length);
  for (let length = secret.length - 1; length >= CUT_FROM; length -= 1)
    if (rest.endsWith(secret.slice(0, length))) return `${rest.slice(0, -length)}${DOT.repeat(length)}${tail}`;
  return text;
}
