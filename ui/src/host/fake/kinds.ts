import { verbatim } from "./verbatim";
import type {
  AgentSnapshot,
  Clients,
  Document,
  Instruction,
  InstructionState,
  Instructions,
  MemoryKind,
} from "@/bindings";
import { refuse } from "./log";
import { documentLines } from "./text";

/** Kind of memory of a path of the made-up stores is: enough of the rules for the window to show each kind. */
export function kindOf(path: string | null, text: string | null = null): MemoryKind {
  const kind: MemoryKind = { class: "other", memory_type: null, scope: null, agent: null, day: null };
  if (path === null) return kind;
  const log = /(?:^|\/)logs\/(\d{4})\/(\d{2})\/(?:\d{4}-\d{2}-)?(\d{2})\b/.exec(path);
  if (log) return { ...kind, class: "daily_log", scope: "project", day: `${log[1]}-${log[2]}-${log[3]}` };
  const name = path.split("/").at(-1);
  if (name === "MEMORY.md") return { ...kind, class: "index", scope: "project" };
  if (name === "CLAUDE.md" || name === "AGENTS.md") return { ...kind, class: "instructions" };
  const scope = path.startsWith("team/") ? "team" : "project";
  return path.endsWith(".md")
    ? { ...kind, class: "topic", memory_type: /^type: (.+)$/m.exec(text ?? "")?.[1] ?? "project", scope }
    : kind;
}

/** The kinds by which the program narrows a list, of a memory. */
export function filtersOf({ class: memoryClass, memory_type: type, scope }: MemoryKind): string[] {
  const topic = memoryClass === "topic" && type !== null ? [`topic:${type}`] : [];
  return [memoryClass, ...topic, ...(scope !== null && scope !== "project" ? [scope] : [])];
}

const ROOT = "/home/ada/src/harbour";

const TEXTS: Record<string, string> = {
  [`${ROOT}/CLAUDE.md`]: "# Harbour\n\nRun the tide tables with `make tides`.\n\n@docs/cranes.md\n",
  [`${ROOT}/docs/cranes.md`]: "Cranes are numbered from the north.\n",
  [`/home/ada/.claude/CLAUDE.md`]: "Answer in short sentences.\n",
  [`${ROOT}/AGENTS.md`]: "# Harbour\n\nSee CLAUDE.md.\n",
};

function row(path: string, state: InstructionState, reason: string, rest: Partial<Instruction> = {}): Instruction {
  const text = TEXTS[path];
  return {
    agent: "claude-code",
    scope: "project",
    path,
    leads_to: null,
    state,
    reason: verbatim(reason),
    cut_at: null,
    imported_by: null,
    depth: 0,
    size_bytes: text?.length ?? null,
    lines: text === undefined ? null : text.split("\n").length - 1,
    tokens: text === undefined ? null : Math.ceil(text.length / 4),
    globs: [],
    store_id: null,
    store_path: null,
    ...rest,
  };
}

export function instructions(): Instructions {
  const files = [
    row("/home/ada/.claude/CLAUDE.md", "loaded", "Every session of this user loads it.", { scope: "user" }),
    row(`${ROOT}/CLAUDE.md`, "loaded", "It is in the session's directory."),
    row(`${ROOT}/docs/cranes.md`, "loaded", `${ROOT}/CLAUDE.md names it in line 5.`, { imported_by: 1, depth: 1 }),
    row(`${ROOT}/docs/gone.md`, "missing", `${ROOT}/CLAUDE.md names it in line 6, but it is not there.`, {
      imported_by: 1,
      depth: 1,
    }),
    row(`${ROOT}/CLAUDE.local.md`, "loaded", "It is in the session's directory.", {
      scope: "local",
      leads_to: "/srv/notes.md",
    }),
    row(`${ROOT}/AGENTS.md`, "cut", "It is cut at byte 12: project_doc_max_bytes allows 12 bytes.", {
      agent: "codex",
      cut_at: 12,
    }),
  ];
  const loaded = (agent: string) =>
    files.filter((file) => file.agent === agent && (file.state === "loaded" || file.state === "cut"));
  return {
    directory: ROOT,
    because: verbatim("Claude Code keeps this memory for it."),
    repository: ROOT,
    files,
    switched_off: null,
    agents: [
      {
        agent: "claude-code",
        version: "2.1.330",
        version_from: verbatim("The program is /usr/bin/claude."),
        seen_with: "2.1.330",
      },
      { agent: "codex", version: null, version_from: null, seen_with: "0.169.0" },
    ],
    totals: (["claude-code", "codex"] as const).map((agent) => ({
      agent,
      files: loaded(agent).length,
      tokens: loaded(agent).reduce((sum, file) => sum + (file.tokens ?? 0), 0),
    })),
    tokens_kind: "counted offline",
    problems: [],
  };
}

export function instruction(path: string): Document {
  const text = TEXTS[path];
  if (text === undefined) refuse("not_found", "No instruction file of that path is read there.", path);
  return {
    live: true,
    version: null,
    path,
    content_sha256: null,
    content_size_bytes: text.length,
    kind: "text",
    lines: documentLines(text, false),
    truncated: false,
    cut: null,
  };
}

export function agentSnapshot(store: { name: string; root: string }): AgentSnapshot {
  if (!store.root.includes("agent-memory")) {
    refuse("invalid", "This store is not the memory of a subagent of Claude Code.", store.name);
  }
  const sizes = { local_size_bytes: null, snapshot_size_bytes: 12, diff: null };
  return {
    agent: store.root.split("/").at(-1) ?? "",
    scope: "project",
    root: store.root,
    local_files: 1,
    snapshots: [
      {
        project: ROOT,
        directory: `${ROOT}/.claude/agent-memory-snapshots/reviewer`,
        state: "ask",
        reason: verbatim("The snapshot is newer than the one taken over last: the agent would ask."),
        updated_at: "2031-04-01T08:00:00Z",
        synced_from: "2031-03-01T08:00:00Z",
        changes: [
          { path: "MEMORY.md", change: "same", ...sizes, local_size_bytes: 12 },
          { path: "style.md", change: "added", ...sizes },
        ],
      },
    ],
    problems: [],
  };
}

/** The agents of the machine. */
export function clients(): Clients {
  return {
    clients: [
      {
        agent: "claude-code",
        title: "Claude Code",
        version: "2.1.330",
        version_from: verbatim("The program is /usr/bin/claude."),
        seen_with: "2.1.330",
        program: "/usr/bin/claude",
        places: ["/home/ada/.claude"],
        parts: [
          { part: "sessions", exact: null, since: null, note: verbatim("Sessions with their prompts.") },
          { part: "requests", exact: true, since: "2.1.300", note: verbatim("Each request is rebuilt and proved.") },
        ],
      },
      {
        agent: "codex",
        title: "Codex",
        version: "0.100.0",
        version_from: null,
        seen_with: "0.169.0",
        program: null,
        places: ["/home/ada/.codex"],
        parts: [
          {
            part: "instructions",
            exact: false,
            since: "0.169.0",
            note: verbatim("Instruction files as 0.169.0 does."),
          },
        ],
      },
    ],
  };
}
