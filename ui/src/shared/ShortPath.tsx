/** A path in one line. Where it has no room, its middle gives way: the end tells it from others. */
import { spelled } from "./hidden";

/** So many characters at the end stay whole. */
const END = 18;

/** The part of a path that gives way, and its end. */
export function partsOf(path: string): [start: string, end: string] {
  const signs = Array.from(path);
  return [signs.slice(0, -END).join(""), signs.slice(-END).join("")];
}

/** The path. */
export function ShortPath({ path }: { path: string }) {
  const [start, end] = partsOf(spelled(path));
  return (
    <span className="short-path" dir="ltr">
      {start && <span className="short-path-start">{start}</span>}
      <span className="short-path-end">{end}</span>
    </span>
  );
}
