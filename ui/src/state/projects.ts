/** Projects with memory that appeared while the program runs. */
import type { Found, NewProjectsReq } from "@/bindings";
import { useRead } from "./queries";

/** Another process that records tells this one nothing of them; asked so often, in milliseconds. */
const ASK_MS = 120_000;

/** Request that changes nothing but what is given. */
export function projectsAnswer(change: Partial<NewProjectsReq>): NewProjectsReq {
  return { decline: [], offer: [], always: null, ...change };
}

/** Setting and offers. */
export function useProjects() {
  return useRead("new_projects", {}, { refetchInterval: ASK_MS });
}

/** Projects that wait for an answer. */
export function useOfferedProjects(): readonly Found[] {
  return useProjects().data?.found ?? [];
}
