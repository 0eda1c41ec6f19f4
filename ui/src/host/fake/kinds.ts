import type { MemoryKind } from "@/bindings";

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
