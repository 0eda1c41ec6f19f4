/** The names of classes in components and in the sheets beside them are the same: a name that no sheet has styles nothing. */
import { expect, it } from "vitest";

const sheets = import.meta.glob<Record<string, string>>("../**/*.module.css", { import: "default", eager: true });
const sources = import.meta.glob<string>(["../**/*.tsx", "!../**/*.test.tsx"], {
  query: "?raw",
  import: "default",
  eager: true,
});

const camel = (name: string) => name.replace(/-+(\w)/g, (_dashes, letter: string) => letter.toUpperCase());

/** Names that a component takes from a sheet, as written, and the beginnings of those it puts together. */
function takenFrom(source: string, file: string): { names: string[]; beginnings: string[] } {
  const [, variable] = new RegExp(`import (\\w+) from "\\./${file.replaceAll(".", "\\.")}";`).exec(source) ?? [];
  if (!variable) return { names: [], beginnings: [] };
  const names = [...source.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, "g"))].map(([, name]) => name!);
  const beginnings = [...source.matchAll(new RegExp(`\\b${variable}\\[\`([\\w-]+)\\$`, "g"))].map(([, name]) => name!);
  return { names, beginnings };
}

it.each(Object.entries(sheets).map(([path, sheet]) => [path.slice(3), path, sheet] as const))(
  "%s",
  (_name, path, sheet) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const file = path.slice(folder.length);
    const taken = Object.entries(sources)
      .filter(([source]) => source.startsWith(folder) && !source.slice(folder.length).includes("/"))
      .map(([, source]) => takenFrom(source, file));
    const names = new Set(taken.flatMap((one) => one.names));
    const beginnings = taken.flatMap((one) => one.beginnings);
    // Each class is there twice: as written, and as components name it.
    const defined = [...new Set(Object.values(sheet))];
    expect(
      [...names].filter((name) => !defined.map(camel).includes(name)),
      "taken, but not in the sheet",
    ).toEqual([]);
    const idle = defined.filter(
      (name) => !names.has(camel(name)) && !beginnings.some((start) => name.startsWith(start)),
    );
    expect(idle, "in the sheet, but never taken").toEqual([]);
  },
);
