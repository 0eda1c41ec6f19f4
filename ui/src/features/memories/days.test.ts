import { describe, expect, it } from "vitest";
import type { Memory, MemoryKind } from "@/bindings";
import { levelOf, logDays } from "./days";

function log(path: string, day: string | null, size: number | null = 10): Memory {
  const kind: MemoryKind = { class: "daily_log", memory_type: null, scope: "project", agent: null, day };
  const content = { content_sha256: null, content_size_bytes: size, content_kind: "text" as const };
  const version = { version_id: "memver_1", seq: 1, versions: 1, changed_at: "2031-01-01T00:00:00Z" };
  return { id: `mem_${path}`, path, kind, ...version, ...content };
}

describe("days with logs", () => {
  it("are in order, each with its logs by path and their bytes", () => {
    const topic: Memory = { ...log("a.md", null), kind: { ...log("a.md", null).kind, class: "topic" } };
    const memories = [log("c", "2031-04-02", 5), log("b", "2031-04-01", 7), log("a", "2031-04-01"), topic];
    const days = logDays([...memories, log("month.md", null), log("gone", "2031-04-03", null)]);
    expect(days.map(({ day, bytes }) => `${day} ${bytes}`)).toEqual(["2031-04-01 17", "2031-04-02 5", "2031-04-03 0"]);
    expect(days[0]?.logs.map(({ path }) => path)).toEqual(["a", "b"]);
  });

  it("have a mark by how much was written", () => {
    expect([0, 1, 26, 50, 99, 100].map((bytes) => levelOf(bytes, 100))).toEqual([1, 1, 2, 2, 4, 4]);
    expect(levelOf(0, 0)).toBe(1);
  });
});
