/** The grid of a sweep, as it is typed: lists of values, each combination of which is tried. */
import type { Json } from "./setting";

/** Typed text. */
export interface GridDraft {
  /** Triggers in tokens. */
  triggers: string;
  /** Tool uses that are kept. */
  keeps: string;
  /** Least tokens freed; 0 for none. */
  least: string;
  /** Tools never cleared. */
  exclude: string;
  /** Thinking turns kept; empty: thinking is not touched. */
  thinking: string;
}

/** Grid that most people would try. */
export const FIRST_GRID: GridDraft = {
  triggers: "30000, 50000, 70000, 100000",
  keeps: "2, 3, 5, 10",
  least: "0, 10000, 20000",
  exclude: "memory",
  thinking: "",
};

/** Reads a list of whole numbers; null where something else stands in it. `60k` is 60,000. */
export function parseNumbers(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  const numbers = words.map((word) => {
    const match = /^(\d+)(k?)$/i.exec(word);
    return match ? Number(match[1]) * (match[2] ? 1000 : 1) : NaN;
  });
  return numbers.every((number) => Number.isSafeInteger(number)) ? [...new Set(numbers)] : null;
}

/** One value as itself, several as a grid. */
const choice = (values: readonly number[]): unknown => (values.length === 1 ? values[0] : { grid: values });

/** The grid and how many settings it holds; null while a list cannot be read or a needed one is empty. */
export function gridOf(draft: GridDraft): { grid: Json; count: number } | null {
  const [triggers, keeps, least, thinking] = [draft.triggers, draft.keeps, draft.least, draft.thinking].map(
    parseNumbers,
  );
  if (!triggers?.length || !keeps?.length || !least || !thinking) return null;
  const exclude = draft.exclude.split(/[\s,]+/).filter(Boolean);
  const tools: Json = {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: choice(triggers) },
    keep: { type: "tool_uses", value: choice(keeps) },
    ...(least.length > 0 && !(least.length === 1 && least[0] === 0)
      ? { clear_at_least: { type: "input_tokens", value: choice(least) } }
      : {}),
    ...(exclude.length > 0 ? { exclude_tools: exclude } : {}),
  };
  const edits: Json[] = [tools];
  if (thinking.length > 0)
    edits.unshift({ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: choice(thinking) } });
  const count = [triggers, keeps, least, thinking].reduce((product, list) => product * Math.max(1, list.length), 1);
  return { grid: { edits }, count };
}
