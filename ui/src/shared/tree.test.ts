import { describe, expect, it } from "vitest";
import type { Memory } from "@/bindings";
import { treeMove, treeRows, WITHOUT_PATH } from "./tree";

function memory(path: string | null, id = `mem_${path}`): Memory {
  const hashless = { content_sha256: null, content_size_bytes: null, content_kind: "text" as const };
  const kind = { class: "topic" as const, memory_type: null, scope: null, agent: null, day: null };
  const version = { version_id: "memver_1", seq: 1, versions: 1, changed_at: "2031-01-01T00:00:00Z" };
  return { id, path, kind, ...version, ...hashless };
}

const PATHS = [
  "tides.md",
  "logs/2031/04/b.md",
  "logs/2031/04/a.md",
  "MEMORY.md",
  "cranes/daily.md",
  "cranes/parts/hook.md",
  "a10.md",
  "a9.md",
];
const outline = (closed: string[] = []) =>
  treeRows(
    PATHS.map((path) => memory(path)),
    new Set(closed),
  ).map(({ label, level, leaf, open }) => `${"  ".repeat(level)}${leaf ? "" : open ? "v " : "> "}${label}`);

describe("the tree", () => {
  it("has the index first, then files, then folders, and joins folders that hold only a folder", () => {
    expect(outline()).toEqual([
      "MEMORY.md",
      "a9.md",
      "a10.md",
      "tides.md",
      "v cranes",
      "  daily.md",
      "  v parts",
      "    hook.md",
      "v logs / 2031 / 04",
      "  a.md",
      "  b.md",
    ]);
  });

  it("leaves out what is in a closed folder, and counts it there", () => {
    expect(outline(["cranes", "logs/2031/04"]).slice(4)).toEqual(["> cranes", "> logs / 2031 / 04"]);
    const rows = treeRows(
      PATHS.map((path) => memory(path)),
      new Set(["cranes"]),
    );
    expect(rows.find(({ key }) => key === "cranes")).toMatchObject({ count: 2, position: 5, siblings: 6 });
  });

  it("keeps memories without a path in a folder of their own, last", () => {
    const rows = treeRows([memory(null, "mem_gone"), memory("z.md")], new Set());
    expect(rows.map(({ key }) => key)).toEqual(["z.md", WITHOUT_PATH, "mem_gone"]);
  });

  it("takes thousands of files", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => memory(`d${at % 100}/f${at}.md`));
    expect(treeRows(many, new Set())).toHaveLength(20_100);
  });
});

describe("walking the tree", () => {
  const rows = treeRows(
    PATHS.map((path) => memory(path)),
    new Set(["logs/2031/04"]),
  );
  const move = (at: string | null, key: string, typed = "") => treeMove(rows, at, key, typed);

  it("goes down and up and stops at the ends", () => {
    expect(move(null, "ArrowDown")).toEqual({ to: "MEMORY.md" });
    expect(move("MEMORY.md", "j")).toEqual({ to: "a9.md" });
    expect(move("MEMORY.md", "k")).toEqual({ to: "MEMORY.md" });
    expect(move("a9.md", "End")).toEqual({ to: "logs/2031/04" });
    expect(move("logs/2031/04", "ArrowDown")).toEqual({ to: "logs/2031/04" });
    expect(move("tides.md", "Home")).toEqual({ to: "MEMORY.md" });
  });

  it("opens, closes, enters and leaves folders", () => {
    expect(move("logs/2031/04", "ArrowRight")).toEqual({ toggle: "logs/2031/04" });
    expect(move("cranes", "ArrowRight")).toEqual({ to: "cranes/daily.md" });
    expect(move("cranes", "ArrowLeft")).toEqual({ toggle: "cranes" });
    expect(move("cranes/parts/hook.md", "ArrowLeft")).toEqual({ to: "cranes/parts" });
    expect(move("cranes/daily.md", "ArrowLeft")).toEqual({ to: "cranes" });
    expect(move("MEMORY.md", "ArrowLeft")).toBeNull();
    expect(move("cranes", "Enter")).toEqual({ toggle: "cranes" });
    expect(move("tides.md", "Enter")).toBeNull();
  });

  it("goes to a name that is typed, and round", () => {
    expect(move("MEMORY.md", "t")).toEqual({ to: "tides.md" });
    expect(move("tides.md", "a")).toEqual({ to: "a9.md" });
    expect(move("a9.md", "a")).toEqual({ to: "a10.md" });
    expect(move("a9.md", "1", "a")).toEqual({ to: "a10.md" });
    expect(move("tides.md", "q")).toBeNull();
    expect(move("tides.md", "Escape")).toBeNull();
  });
});
