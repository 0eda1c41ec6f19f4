import { describe, expect, it } from "vitest";
import type { Inbox } from "@/bindings";
import { fakeBackend } from "@/host/fake";
import { inboxRows, itemAfter, itemBeside, itemsOf, type ItemRow, rowAt, ROW_HEIGHTS, rowOffsets } from "./rows";

/** Pages of `limit` items each over changes of two writers. */
async function pages(limit: number): Promise<Inbox[]> {
  const backend = fakeBackend();
  const { log } = backend;
  const [first, second] = log.stores;
  for (const [at, store] of [first!, first!, second!, first!].entries()) {
    store.disk.set(`note-${at}.md`, `# Note ${at}\n`);
    log.scan(store);
  }
  const read: Inbox[] = [];
  let before: string | null = null;
  do {
    const page: Inbox = await backend.call("inbox", { limit, before });
    read.push(page);
    before = page.next_before;
  } while (before !== null);
  return read;
}

const shape = (rows: ReturnType<typeof inboxRows>) =>
  rows.map((row) => (row.kind === "group" ? `${row.group.total}:` : row.item.path));

describe("the rows", () => {
  it("are groups over their items, whatever the pages are", async () => {
    const whole = ["3:", "note-3.md", "note-1.md", "note-0.md", "1:", "note-2.md"];
    for (const limit of [1, 2, 3, 50]) expect(shape(inboxRows(await pages(limit)))).toEqual(whole);
  });

  it("hold a memory once, as the page says that was read first", async () => {
    const [page] = await pages(50);
    expect(shape(inboxRows([page!, page!]))).toHaveLength(6);
  });

  it("begin where the heights of those before them end", async () => {
    const rows = inboxRows(await pages(50));
    const offsets = rowOffsets(rows);
    expect(offsets).toHaveLength(rows.length + 1);
    expect(offsets[2]).toBe(ROW_HEIGHTS.group + ROW_HEIGHTS.item);
    expect([-5, 0, 35, 36, 85, 86, 99_999].map((height) => rowAt(offsets, height))).toEqual([0, 0, 0, 1, 1, 2, 5]);
    expect(offsets.at(-1)).toBe(2 * ROW_HEIGHTS.group + 4 * ROW_HEIGHTS.item);
  });

  it("say what a group holds and what stands beside an item", async () => {
    const rows = inboxRows(await pages(50));
    const items = rows.filter((row): row is ItemRow => row.kind === "item");
    const keys = items.map(({ key }) => key);
    expect(itemsOf(rows, items[0]!.group.id)).toHaveLength(3);
    expect(itemBeside(items, keys[0]!, 1)?.key).toBe(keys[1]);
    expect(itemBeside(items, keys[3]!, 1)?.key).toBe(keys[3]);
    expect(itemBeside(items, keys[3]!, -100)?.key).toBe(keys[0]);
    expect(itemBeside(items, null, 1)?.key).toBe(keys[0]);
    expect(itemBeside([], null, 1)).toBeNull();
  });

  it("name what is chosen next when some are gone", async () => {
    const items = inboxRows(await pages(50)).filter((row): row is ItemRow => row.kind === "item");
    const keys = items.map(({ key }) => key);
    const next = (chosen: number, ...gone: number[]) =>
      itemAfter(items, keys[chosen]!, new Set(gone.map((at) => keys[at]!)))?.key ?? null;
    expect(next(1, 1)).toBe(keys[2]);
    expect(next(3, 3)).toBe(keys[2]);
    expect(next(1, 0, 1, 2)).toBe(keys[3]);
    expect(next(1)).toBe(keys[1]);
    expect(next(0, 0, 1, 2, 3)).toBeNull();
  });
});
