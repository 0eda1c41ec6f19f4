/** Prompts as a person typed them: clients write commands and their output as elements around the text. */

/** A prompt to be shown. */
export interface Prompt {
  /** Its text, without the elements. */
  text: string;
  /** True for a command or its output, which are no words. */
  code: boolean;
}

/** What stands before the text of an element; an element that is not named here is the person's own. */
const SIGNS: Readonly<Record<string, string>> = {
  "bash-input": "! ",
  "bash-stdout": "",
  "bash-stderr": "",
  "command-name": "",
  "command-args": "",
  "local-command-stdout": "",
  "local-command-stderr": "",
};
/** Says once more what the name of the command says. */
const LEFT_OUT = new Set(["command-message", "local-command-caveat"]);
const ELEMENT = /<([a-z-]+)>([\s\S]*?)(?:<\/\1>|$)/g;

/** Takes the elements of a client away, where a prompt is made of nothing else. */
export function readPrompt(prompt: string): Prompt {
  const elements = [...prompt.matchAll(ELEMENT)];
  const known = elements.length > 0 && elements.every(([, name = ""]) => name in SIGNS || LEFT_OUT.has(name));
  // A person may write of such an element among words.
  if (!known || prompt.replaceAll(ELEMENT, "").trim() !== "") return { text: prompt, code: false };
  const parts = elements
    .filter(([, name = ""]) => !LEFT_OUT.has(name))
    .map(([, name = "", text = ""]) => (text.trim() === "" ? "" : `${SIGNS[name]}${text.trim()}`));
  return { text: parts.filter(Boolean).join(" "), code: true };
}

/** The same as text alone, for titles. */
export const plainPrompt = (prompt: string): string => readPrompt(prompt).text;
