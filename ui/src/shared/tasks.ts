/** Name of long work. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react";

/** By how the name of the work begins: what the program does by itself has one word, what a window asked for has more. */
const TASKS: readonly [string, MessageDescriptor][] = [
  ["earlier-", msg`Earlier history`],
  ["import", msg`Earlier history`],
  ["sweep", msg`Trying settings`],
  ["confirm", msg`Asking for exact counts`],
  ["first-pull", msg`Pulling`],
  ["dream-pull", msg`Pulling`],
  ["pull", msg`Pulling`],
  ["push", msg`Pushing`],
  ["blame", msg`Looking for who wrote each line`],
  ["transcripts", msg`Looking for transcripts`],
  ["origins", msg`Searching for the writers`],
  ["health", msg`Reading the loads of sessions`],
  ["memory", msg`Reading the loads of sessions`],
  ["worth", msg`Reading the loads of sessions`],
];

/** Name of long work, in the language of the window; other work by its own name. */
export function useTaskName(): (task: string) => string {
  const { i18n } = useLingui();
  return (task) => {
    const known = TASKS.find(([begin]) => task.startsWith(begin));
    return known ? i18n._(known[1]) : task;
  };
}
