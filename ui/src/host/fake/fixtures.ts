/**
 * Answers that the real program gave, recorded by `npm run fixtures` into `fixtures/`. The fake gives them out; what changes
 * while a window is open it keeps itself.
 */
import type { ApiError, Commands } from "@/bindings";
import { ApiFailure, type CommandName, type Request, type Response } from "@/host/backend";

/** One call and what the program said to it. */
export interface Recording {
  command: CommandName;
  request: Record<string, unknown>;
  response?: unknown;
  error?: ApiError;
}

const files = import.meta.glob<string>("./fixtures/*.json", { query: "?raw", import: "default", eager: true });

/** Every recording, by file. */
export const recordings = Object.entries(files).map(([file, text]) => ({
  file,
  recordings: JSON.parse(text) as Recording[],
}));

/** What a request says beside the defaults, in one order; a job's name never matters. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== "object" || value === null) return value;
  const isDefault = (one: unknown) => one == null || one === false || one === "" || (Array.isArray(one) && !one.length);
  const fields = Object.entries(value).filter(([name, one]) => name !== "job" && !isDefault(one));
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, said(one)]));
}

const keyOf = (command: string, request: object) => `${command} ${JSON.stringify(said(request))}`;

const known = new Map(
  recordings.flatMap((file) => file.recordings.map((one) => [keyOf(one.command, one.request), one] as const)),
);

/** True if the program was asked this when the fixtures were recorded. */
export const isRecorded = <K extends CommandName>(command: K, request: Request<K>) =>
  known.has(keyOf(command, request));

/** The program's answer to a request, to keep; fails as the program did, and where it was never asked. */
export function recorded<K extends CommandName>(command: K, request: Request<K> = {}): Response<K> {
  const found = known.get(keyOf(command, request));
  if (!found)
    throw new ApiFailure({
      code: "not_found",
      message: `Nothing is recorded for ${keyOf(command, request)}.`,
      hint: "Add the call to ui/scripts/fixtures, or have the test answer it.",
      subject: command,
    });
  if (found.error) throw new ApiFailure(found.error);
  return structuredClone(found.response) as Commands[K]["response"];
}

/** The first answer that is recorded for a command, whatever was asked: a shape to fill in. */
export function anyRecorded<K extends CommandName>(command: K): Response<K> {
  const all = recordings.flatMap((file) => file.recordings);
  const found = all.find((one) => one.command === command && one.response !== undefined);
  return recorded(command, (found?.request ?? {}) as Request<K>);
}

/** Every answer that a file of recordings has for a command. */
export function everyRecorded<K extends CommandName>(group: string, command: K): Response<K>[] {
  const all = recordings.find(({ file }) => file === `./fixtures/${group}.json`)?.recordings ?? [];
  return all.flatMap((one) =>
    one.command === command && one.response !== undefined ? [one.response as Response<K>] : [],
  );
}
