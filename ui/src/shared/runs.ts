/** The transcripts of this machine, and the projects they ran in. */
import type { TranscriptRow } from "@/bindings";
import { useRead } from "@/state/queries";
import { fileName } from "./text";

/** While the index is being brought up to date, it is asked so often, in milliseconds. */
const RUNNING_MS = 400;

/** Request for every transcript, without bringing the index up to date. */
export const ALL_RUNS = { query: null, project: null, sort: null, refresh: false, wait: false } as const;

/** Every transcript that is known, and the state of the index. */
export function useTranscripts() {
  return useRead("transcripts", ALL_RUNS, { refetchInterval: (last) => (last?.index.running ? RUNNING_MS : false) });
}

/** The last part of a project's path, which is what people call it. */
export function projectName(project: string): string {
  return fileName(project.replace(/\/+$/, "")) || project;
}

/** The projects of transcripts, the one used last first. */
export function projectsOf(rows: readonly TranscriptRow[]): string[] {
  return [...new Set(rows.map(({ project }) => project).filter((project): project is string => project !== null))];
}
