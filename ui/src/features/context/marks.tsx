/** Lines of a memory that are marked in a request: what of it the model saw. The address names the version, never its text. */
import { Trans } from "@lingui/react/macro";
import { createContext, useContext, useMemo } from "react";
import type { TurnMessage } from "@/bindings";
import { Chip } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { useRoute } from "@/state/route";

/** Marked lines. */
export interface Marks {
  /** True for a line of a request that is one of the memory's. */
  has: (line: string) => boolean;
  /** The line that was asked about, where one was. */
  sought: string | null;
  /** The memory's file. */
  name: string;
}

/** A line of a request as its file has it: without the number that a reading puts before it. */
export function bareLine(line: string): string {
  return line.replace(/^ *\d+[\t→]/, "").trimEnd();
}

/** Marks for these lines of a memory. */
export function marksOf(lines: readonly string[], line: number | undefined, name: string): Marks {
  const known = new Set(lines.map((text) => text.trimEnd()).filter((text) => text.trim() !== ""));
  const sought = line === undefined ? null : (lines[line - 1]?.trimEnd() ?? null);
  return { has: (text) => known.has(bareLine(text)), sought: sought === "" ? null : sought, name };
}

/** The marks that the address asks for; null where it asks for none. */
export function useMarks(): Marks | null {
  const route = useRoute();
  const { mark, line } = route.screen === "context" ? route : { mark: undefined, line: undefined };
  const read = useRead("document", { target: mark ?? "", highlight: false }, { enabled: mark !== undefined });
  const { data } = read;
  return useMemo(
    () =>
      data
        ? marksOf(
            data.lines.map(({ text }) => text),
            line,
            data.path ?? "",
          )
        : null,
    [data, line],
  );
}

const MarksContext = createContext<Marks | null>(null);
/** Gives the marks to the blocks of a request. */
export const MarksProvider = MarksContext.Provider;
/** The marks of this request. */
export const useMarked = (): Marks | null => useContext(MarksContext);

/** Place of the first marked line, the one that was asked about before others; -1 where there is none. */
export function markAt(lines: readonly string[], marks: Marks | null): number {
  if (!marks) return -1;
  const sought = marks.sought === null ? -1 : lines.findIndex((line) => bareLine(line) === marks.sought);
  return sought >= 0 ? sought : lines.findIndex((line) => marks.has(line));
}

/** Place of the message with the line that was asked about, else of the first with any; -1 where none has one. */
export function markedMessage(messages: readonly TurnMessage[], marks: Marks | null): number {
  if (!marks) return -1;
  const holds = (is: (line: string) => boolean) =>
    messages.findIndex(({ blocks }) => blocks.some(({ text }) => text.split("\n").some(is)));
  const sought = marks.sought === null ? -1 : holds((line) => bareLine(line) === marks.sought);
  return sought >= 0 ? sought : holds(marks.has);
}

/** Says what is marked. */
export function MarkChip({ marks, messages }: { marks: Marks | null; messages: readonly TurnMessage[] }) {
  const lines = useMemo(() => {
    const found = new Set<string>();
    if (!marks) return found;
    for (const { blocks } of messages)
      for (const { text } of blocks)
        for (const line of text.split("\n")) if (marks.has(line)) found.add(bareLine(line));
    return found;
  }, [marks, messages]);
  if (!marks) return null;
  return (
    <Chip tone="accent" data-testid="turn-marks">
      <Trans>
        {lines.size} lines of {marks.name} marked
      </Trans>
    </Chip>
  );
}
