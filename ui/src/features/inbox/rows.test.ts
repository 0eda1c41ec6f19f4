import { describe, expect, it } from "vitest";
import type { InboxItem, TriageKind, TriageRow } from "@/bindings";
import { withoutVersions } from "@/state/triage";
import { groupBeside, listRows, type Stop, stopAfter, stopBeside, stopsBetween, stopsOf, versionsOfAll } from "./rows";

const item = (name: string): InboxItem =>
  ({ memory_id: `mem_${name}`, version_id: `memver_${name}`, path: `${name}.md` }) as InboxItem;

function row(id: string, kind: TriageKind, names: string[], known = names.length): TriageRow {
  const items = names.map(item);
  return {
    id: kind === "single" ? items[0]!.memory_id : id,
    kind,
    reason: null,
    finding: null,
    versions: items.map(({ version_id }) => version_id),
    items: items.slice(0, known),
    stores: ["memstore_1"],
    session: null,
    actor: null,
    started_at: "",
    ended_at: "",
  };
}

const triage = {
  total: 9,
  needs_total: 1,
  routine_total: 8,
  broken: [],
  broken_total: 0,
  needs: [row("", "single", ["leak"])],
  routine: [row("edit", "same_edit", ["a", "b", "c", "d"], 1), row("day", "session", ["x", "y", "z", "w"])],
};

const open =
  (...ids: string[]) =>
  ({ id }: TriageRow) =>
    ids.includes(id);
const keys = (all: readonly { key: string }[]) => all.map(({ key }) => key);
const stops = (...ids: string[]) => stopsOf(listRows(triage, open(...ids), ["b", "c", "d", "a"].map(item)));

describe("the rows", () => {
  it("are two parts; what is open shows its changes, in the order of the row", () => {
    expect(keys(listRows(triage, open(), []))).toEqual(["needs", "mem_leak", "routine", "edit", "day"]);
    expect(keys(listRows(triage, open("edit"), ["b", "a"].map(item)))).toEqual([
      "needs",
      "mem_leak",
      "routine",
      "edit",
      "mem_a",
      "mem_b",
      "day",
    ]);
    expect(listRows({ ...triage, needs: [], routine: [] }, open(), [])).toEqual([]);
  });

  it("are walked over closed rows and the changes of open ones", () => {
    const all = stops("day");
    const walk = (from: string | null, by: number) => stopBeside(all, from, by)?.key;
    expect(walk(null, 1)).toBe("mem_leak");
    expect(walk("mem_leak", 1)).toBe("edit");
    expect(walk("edit", 1)).toBe("mem_x");
    expect(walk("mem_x", -1)).toBe("edit");
    expect(walk("day", 1)).toBe("mem_x");
    expect(walk("mem_w", 5)).toBe("mem_w");
    expect(stopBeside([], null, 1)).toBeNull();
  });

  it("are walked group by group", () => {
    const all = stops("day");
    const go = (from: string, by: 1 | -1) => groupBeside(all, from, by)?.key ?? null;
    expect([go("mem_leak", 1), go("edit", 1), go("day", 1), go("mem_y", -1)]).toEqual(["edit", "day", null, "day"]);
  });

  it("make a range of what lies between, each change once", () => {
    const all = stops("day");
    const range = stopsBetween(all, "mem_y", "mem_leak");
    expect(keys(range)).toEqual(["mem_leak", "edit", "mem_x", "mem_y"]);
    expect(versionsOfAll(range)).toHaveLength(7);
    expect(stopsBetween(all, "gone", "mem_leak")).toEqual([]);
  });

  it("name what is chosen next when some are gone", () => {
    const all = stops("day");
    const next = (chosen: string, ...gone: string[]) =>
      stopAfter(all, chosen, new Set(gone.map((name) => `memver_${name}`)))?.key ?? null;
    expect(next("mem_leak", "leak")).toBe("edit");
    expect(next("edit", "a", "b", "c", "d")).toBe("mem_x");
    expect(next("mem_w", "w")).toBe("mem_z");
    expect(next("mem_x", "leak", "a", "b", "c", "d", "x", "y", "z", "w")).toBeNull();
  });

  it("lose what is reviewed at once, and rows that are empty then", () => {
    const left = withoutVersions(triage, new Set(["memver_leak", "memver_b", "memver_x"]));
    expect([left.total, left.needs_total, left.routine_total]).toEqual([6, 0, 6]);
    expect(left.needs).toEqual([]);
    expect(left.routine.map(({ versions }) => versions.length)).toEqual([3, 3]);
    expect(left.routine[0]?.items).toHaveLength(1);
  });
});

it("keeps a change in one row where two answers have it", () => {
  const twice = { ...triage, routine: [row("one", "session", ["x"]), row("two", "writer", ["x", "y"])] };
  const all: Stop[] = stopsOf(listRows(twice, () => true, []));
  expect(keys(all).filter((key) => key === "mem_x")).toHaveLength(1);
});
