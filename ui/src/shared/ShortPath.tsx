/** A path in one line. Where it has no room, its middle gives way: the end tells it from others. */
import type { CSSProperties } from "react";
import { spelled } from "./hidden";

/** So many characters at the end stay whole, where no whole names do. */
const END = 18;
/** Fewest and most characters of whole names at the end. */
const [FEWEST, MOST] = [10, 24];

/** The part of a path that gives way, and its end: whole names where they are neither too short nor too long. */
export function partsOf(path: string): [start: string, end: string] {
  const signs = Array.from(path);
  const from = Math.max(0, signs.length - MOST);
  const name = signs.findIndex((sign, at) => at >= from && sign === "/" && signs.length - at >= FEWEST);
  const at = name > 0 ? name : Math.max(0, signs.length - END);
  return [signs.slice(0, at).join(""), signs.slice(at).join("")];
}

/** Room that a text needs: in the width of a digit, signs beyond the Latin alphabet twice. */
const roomOf = (text: string) =>
  `${Array.from(text).reduce((room, sign) => room + (sign.codePointAt(0)! < 0x250 ? 1 : 2), 0)}ch`;

/** The path. */
export function ShortPath({ path }: { path: string }) {
  const [start, end] = partsOf(spelled(path));
  return (
    <span className="short-path" dir="ltr">
      {start && (
        <span className="short-path-start" style={{ "--end": roomOf(end) } as CSSProperties}>
          {start}
        </span>
      )}
      <span className="short-path-end">{end}</span>
    </span>
  );
}
