/** The transcripts of this machine, and the projects they ran in. */
import { useCallback, useMemo } from "react";
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

/** True for a name that says something by itself: it has a letter, and begins in no hidden directory. */
const says = (name: string) => /\p{L}/u.test(name) && !name.startsWith(".");

/**
 * Names of projects: the last part of each path, with as many parts before it as tell it from the others and as it takes to
 * say something: a worktree may be called `1`.
 */
export function projectNames(projects: readonly string[]): Map<string, string> {
  const partsOf = (path: string) => path.split("/").filter(Boolean);
  const nameOf = (path: string, parts: number) => partsOf(path).slice(-parts).join("/") || path;
  return new Map(
    projects.map((path) => {
      const most = partsOf(path).length;
      let parts = 1;
      const isShared = () => projects.some((other) => other !== path && nameOf(other, parts) === nameOf(path, parts));
      while (parts < most && (isShared() || !says(nameOf(path, parts)))) parts += 1;
      return [path, parts === 1 ? projectName(path) : nameOf(path, parts)];
    }),
  );
}

/** Says the name of a project as it is told apart from all others here. */
export function useProjectName(): (project: string) => string {
  const rows = useTranscripts().data?.transcripts;
  const names = useMemo(() => projectNames(projectsOf(rows ?? [])), [rows]);
  return useCallback((project) => names.get(project) ?? projectName(project), [names]);
}

/** The projects of transcripts, the one used last first. */
export function projectsOf(rows: readonly TranscriptRow[]): string[] {
  return [...new Set(rows.map(({ project }) => project).filter((project): project is string => project !== null))];
}
