/** What the palette finds by name: memories, sessions by their first prompt, findings. */
import { useLingui } from "@lingui/react/macro";
import { useQueries } from "@tanstack/react-query";
import type { Store } from "@/bindings";
import { spelled } from "@/shared/hidden";
import { useProgramWords } from "@/shared/program";
import { sessionPlace, useSessionName } from "@/shared/session";
import { fileName } from "@/shared/text";
import { useBackend } from "@/state/backend";
import { useHealth } from "@/state/health";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { type Entry, pick } from "./entries";

const MOST = 8;
/** Names are looked for from so many signs on; one sign is in nearly every name. */
const LEAST = 2;

/** A live memory of a store. */
export interface Known {
  store: Store;
  id: string;
  path: string;
  version: string;
}

/** Every live memory with a path, over all stores. */
function useKnown(stores: readonly Store[]): Known[] {
  const backend = useBackend();
  const reads = useQueries({
    queries: stores.map(({ id }) => {
      const request = { store: id, at: null };
      return { queryKey: ["memories", request], queryFn: () => backend.call("memories", request) };
    }),
  });
  return stores.flatMap((store, at) =>
    (reads[at]?.data?.memories ?? []).flatMap(({ id, path, version_id: version }) =>
      path === null ? [] : [{ store, id, path, version }],
    ),
  );
}

const memoryEntry = ({ store, id, path }: Known): Entry => ({
  key: `memory ${id}`,
  label: spelled(path),
  detail: spelled(store.name),
  run: () => navigate({ screen: "memories", store: store.id, memory: id }),
});

/** Sessions of agents, by their first prompt and their project. */
function useSessions(wanted: boolean): Entry[] {
  const request = { query: null, project: null, refresh: false, wait: false };
  const read = useRead("transcripts", request, { enabled: wanted });
  const name = useSessionName();
  return (read.data?.transcripts ?? []).map(({ id, first_prompt: prompt, title, project, started_at: at }) => ({
    key: `session ${id}`,
    label: name({ prompt, title, at }),
    detail: project === null ? "" : spelled(fileName(project.replace(/\/+$/, ""))),
    words: id,
    run: () => navigate(sessionPlace(id)),
  }));
}

/** Findings, each at the line of its memory. */
function useFindings(stores: readonly Store[], known: readonly Known[], wanted: boolean): Entry[] {
  const { t } = useLingui();
  const { data } = useHealth();
  const program = useProgramWords();
  if (!wanted) return [];
  const memories = new Map(known.map(({ store, path, id }) => [`${store.id}\u0000${path}`, id]));
  return (data?.findings ?? []).map(({ store_id: store, finding }, at) => {
    const memory = memories.get(`${store}\u0000${finding.path}`);
    const { line } = finding;
    return {
      key: `finding ${at}`,
      label: `${program.ruleName(finding.rule)}: ${spelled(finding.path || (stores.find(({ id }) => id === store)?.name ?? ""))}`,
      detail: line > 1 ? t`line ${line}` : "",
      words: `${finding.rule} ${finding.message.text}`,
      run: () => navigate(memory ? { screen: "memories", store, memory, line } : { screen: "health", store }),
    };
  });
}

/** What is found by name, and every memory for commands that take one. */
export function useFound(query: string, stores: readonly Store[]) {
  const wanted = query.trim().length >= LEAST;
  const all = useKnown(stores);
  const sessions = useSessions(wanted);
  const findings = useFindings(stores, all, wanted);
  const named = (entries: readonly Entry[]) => (wanted ? pick(entries, query, MOST) : []);
  return { all, memories: named(all.map(memoryEntry)), sessions: named(sessions), findings: named(findings) };
}
