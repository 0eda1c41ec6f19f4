/// <reference types="node" />
/** Every language translates everything, and says it with the same values and marks as English. */
import { type CompiledMessage, compileMessage } from "@lingui/message-utils/compileMessage";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from ".";

/** Texts that may be the same in another language: names, and words of the API and of code. */
const SAME = new Set([
  "/home/you/notes",
  "Basic Memory",
  "Claude Code",
  "Cline",
  "Codex",
  "Copilot",
  "Gemini CLI",
  "opencode",
  "Git",
  "Letta Code",
  "OpenClaw",
]);

/** Texts of the window, and translations of the program's sentences. */
const CATALOGUES = ["", "program/"] as const;

/** Reads the messages of a catalogue: `msgid` to `msgstr`. */
function read(catalogue: string, language: string): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, `locales/${catalogue}${language}.po`), "utf8");
  const messages = new Map<string, string>();
  for (const block of text.split(/\n{2,}/)) {
    const field = (name: string) => {
      const lines = block.split("\n").filter((line) => !line.startsWith("#"));
      const at = lines.findIndex((line) => line.startsWith(`${name} `));
      if (at < 0) return null;
      const rest = lines.slice(at + 1);
      const end = rest.findIndex((line) => !line.startsWith('"'));
      const quoted = [lines[at]!.slice(name.length + 1), ...rest.slice(0, end < 0 ? rest.length : end)];
      return quoted.map((line) => JSON.parse(line) as string).join("");
    };
    const [context, id, translation] = [field("msgctxt"), field("msgid"), field("msgstr")];
    if (id) messages.set(context === null ? id : `${context}\u0004${id}`, translation ?? "");
  }
  return messages;
}

/** The values, tags and kinds of choice in a message, each once: how often one is said is each language's own. */
function parts(message: string): string[] {
  const found = new Set<string>();
  const visit = (tokens: CompiledMessage) => {
    for (const token of typeof tokens === "string" ? [tokens] : tokens) {
      if (typeof token === "string") for (const [tag] of token.matchAll(/<\/?\w+\/?>/g)) found.add(tag);
      else {
        const [name, kind, detail] = token;
        found.add(`{${[name, kind].filter(Boolean).join(", ")}}`);
        if (typeof detail === "object" && detail !== null)
          for (const branch of Object.values(detail))
            if (typeof branch === "string" || Array.isArray(branch)) visit(branch as CompiledMessage);
      }
    }
  };
  visit(compileMessage(message));
  return [...found].sort();
}

/** Syntax error of a message; null when it can be read. */
function broken(message: string): string | null {
  try {
    compileMessage(message);
  } catch (cause) {
    return String(cause);
  }
  return /, (plural|select|selectordinal),/.test(message) && !/\bother \{/.test(message) ? "it has no other" : null;
}

const others = LANGUAGES.filter((language) => language !== "en");

describe.each(CATALOGUES.flatMap((catalogue) => others.map((language) => [catalogue, language] as const)))(
  "%s%s",
  (catalogue, language) => {
    const english = read(catalogue, "en");
    const ids = [...english.keys()].sort();
    const messages = read(catalogue, language);

    it("says everything, and nothing that is not asked", () => {
      expect(ids.filter((id) => !messages.get(id)?.trim())).toEqual([]);
      expect([...messages.keys()].sort()).toEqual(ids);
    });

    it("has the values and marks of the English message", () => {
      const whole = ids.filter((id) => broken(messages.get(id) ?? "") === null);
      const wrong = whole.filter((id) => parts(messages.get(id) ?? "").join() !== parts(english.get(id)!).join());
      expect(wrong.map((id) => ({ id, found: messages.get(id) }))).toEqual([]);
    });

    it("can be read, and says what any other number is", () => {
      const wrong = ids.map((id) => ({ id, why: broken(messages.get(id) ?? "") })).filter(({ why }) => why !== null);
      expect(wrong).toEqual([]);
    });

    it("is no English, but for names", () => {
      // Without its values, what has no word of its own may be the same everywhere.
      const hasWord = (message: string) => /[A-Za-z]{2}/.test(message.replace(/\{\w+\}|<\/?\w+\/?>/g, ""));
      const same = ids.filter(
        (id) => messages.get(id) === english.get(id) && hasWord(english.get(id)!) && !SAME.has(id),
      );
      expect(same).toEqual([]);
    });
  },
);
