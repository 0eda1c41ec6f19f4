/** Dialogs and acts of the window: read from the source of the window, so that a new one is known at once. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TREE } from "./programs.mjs";

const SOURCE = join(TREE, "ui/src");
/** Parts that hold a dialog, and what they make of the test id they are given. */
const PARTS = { Sheet: (id) => id, Question: (id) => `${id}-dialog` };
/** Where these parts are made. */
const MAKERS = [join("shared", "overlay.tsx"), join("shared", "Question.tsx")];
/** What is there over a hub alone: `walks/hub-window.mjs` and `walks/hub.mjs` open it. */
const OF_HUB = [join("app", "HubWindow.tsx"), join("features", "hub", "RoleSheet.tsx")];

function sources() {
  return readdirSync(SOURCE, { recursive: true })
    .filter((name) => name.endsWith(".tsx") && !name.includes(".test."))
    .map((name) => ({ name, text: readFileSync(join(SOURCE, name), "utf8") }));
}

/** Test ids of all dialogs. Throws for one whose id this cannot read. */
export function dialogs() {
  const found = [];
  for (const { name, text } of sources()) {
    if (MAKERS.includes(name) || OF_HUB.includes(name)) continue;
    for (const [opening, part] of text.matchAll(/<(Sheet|Question)\b(?:=>|[^>])*?(?:testId=(?:"[^"]*"|\{[^}]*\})|>)/g)) {
      const id = /testId="([^"]+)"/.exec(opening)?.[1];
      if (!id) throw new Error(`${name}: a <${part}> without a plain testId: ${opening}`);
      found.push(PARTS[part](id));
    }
    // An element that is no sheet and lies over the window all the same.
    for (const [, attributes] of text.matchAll(/<Dialog\b([^>]*)>/g)) {
      const id = /data-testid="([^"]+)"/.exec(attributes)?.[1];
      if (!id) throw new Error(`${name}: a <Dialog> without a plain data-testid`);
      found.push(id);
    }
  }
  return found.sort();
}

/** Test ids of the buttons that open a menu. */
export function menus() {
  return sources()
    .flatMap(({ text }) => Array.from(text.matchAll(/<MoreMenu\b[^>]*?testId="([^"]+)"/g), ([, id]) => id))
    .sort();
}

/** Commands whose preview the dialog of acts shows. */
export function acts() {
  const text = readFileSync(join(SOURCE, "state/acts.ts"), "utf8");
  const union = /export type Act =([\s\S]*?);\n\n/.exec(text)?.[1] ?? "";
  return Array.from(union.matchAll(/command: "(\w+)"/g), ([, command]) => command).sort();
}
