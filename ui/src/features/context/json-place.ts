/** Where a text stops being JSON. Engines tell it each in their own words and language, some not at all. Pure. */

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const OPEN = { object: /\{/y, list: /\[/y } as const;
const CLOSE = { object: /\}/y, list: /\]/y } as const;
const [COLON, COMMA] = [/:/y, /,/y];

/** A place in a text, as editors count it. */
export interface TextPlace {
  line: number;
  column: number;
}

/** The place of the first sign that cannot stand there. */
export function whereJsonStops(text: string): TextPlace {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found !== undefined;
  };
  const next = (pattern: RegExp) => take(SPACE) && take(pattern);
  const items = (close: RegExp, item: () => boolean): boolean => {
    if (next(close)) return true;
    for (;;) {
      if (!item()) return false;
      if (next(close)) return true;
      if (!next(COMMA)) return false;
    }
  };
  const value = (): boolean => {
    if (next(OPEN.object)) return items(CLOSE.object, () => next(STRING) && next(COLON) && value());
    if (take(OPEN.list)) return items(CLOSE.list, value);
    return take(STRING) || take(NUMBER) || take(WORD);
  };
  if (value()) take(SPACE);
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
