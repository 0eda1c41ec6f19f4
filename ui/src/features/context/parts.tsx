/** The parts of a context: what each is called, and the colour it has in the sentence, the chart and the list alike. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useCallback } from "react";
import type { ContextPart, PartClass, RestsOn } from "@/bindings";
import { classes } from "@/shared/classes";
import { useWords } from "@/shared/ui";
import css from "./parts.module.css";

/** A part: its class, and the tool of results. */
export type PartName = Pick<ContextPart, "class" | "tool">;

const NAMES: Record<PartClass, MessageDescriptor> = {
  system: msg`system`,
  tool_definitions: msg`tool definitions`,
  instructions: msg`instructions`,
  memory: msg`memory`,
  not_recorded: msg`not recorded`,
  attachments: msg`attachments`,
  text: msg`prompts and text`,
  thinking: msg`thinking`,
  tool_inputs: msg`tool inputs`,
  tool_results: msg`other results`,
};

/** Says the name of a part. */
export function usePartName(): (part: PartName, restsOn: RestsOn) => string {
  const { t } = useLingui();
  const say = useWords();
  return useCallback(
    (part, restsOn) => {
      const { tool } = part;
      if (tool !== null) return t`${tool} results`;
      if (part.class === "not_recorded" && restsOn === "request") return t`framing`;
      return say(NAMES[part.class]);
    },
    [say, t],
  );
}

/** Shades of results by tool; the largest tool has the first. */
const SHADES = 6;

/** A key of a part. */
export const partKey = (part: PartName): string => `${part.class} ${part.tool ?? ""}`;

/** The classes that give each part its colour, by key: `--part` is set by them. The parts are in the order of the stack. */
export function tonesOf(parts: readonly PartName[]): Map<string, string> {
  const tools = parts.filter(({ tool }) => tool !== null).reverse();
  return new Map(
    parts.map((part) => {
      const nth = tools.indexOf(part);
      const tone = nth >= 0 ? `tool-${Math.min(nth, SHADES - 1)}` : part.class;
      return [partKey(part), classes(css.part, css[`part-${tone}`])];
    }),
  );
}

/** Upper edges of the stacked parts, by part and request. */
export function stackOf(parts: readonly ContextPart[]): number[][] {
  let below: readonly number[] = [];
  return parts.map(({ tokens }) => {
    const top = tokens.map((size, index) => size + (below[index] ?? 0));
    below = top;
    return top;
  });
}
