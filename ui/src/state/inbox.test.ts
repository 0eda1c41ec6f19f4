import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import type { Inbox, InboxGroup, InboxItem } from "@/bindings";
import type { Backend } from "@/host";
import { keptBehind, pageReader } from "./inbox";

const item = (number: number) => ({ memory_id: `mem_${number}`, version_id: `memver_${number}` }) as InboxItem;
const group = (newest: number, total: number, numbers: number[]) =>
  ({ id: `group_${newest}`, total, items: numbers.map(item) }) as InboxGroup;
const page = (total: number, groups: InboxGroup[], next_before: string | null): Inbox => ({
  groups,
  total,
  groups_total: 1,
  next_before,
});
const memories = (pages: readonly Inbox[]) =>
  pages.flatMap(({ groups }) => groups.flatMap(({ items }) => items.map(({ memory_id }) => memory_id)));

/** Ten changes in one group, of which seven were read on three pages. */
const known = () => [
  page(10, [group(10, 10, [10, 9])], "10.9"),
  page(10, [group(10, 10, [8, 7])], "10.7"),
  page(10, [group(10, 10, [6, 5, 4])], "10.4"),
];

describe("the pages behind the first page", () => {
  it("stay when something new came, and take what it pushed down", () => {
    const first = page(11, [group(11, 11, [11, 10])], "11.10");
    const behind = keptBehind(first, known())!;
    expect(memories(behind)).toEqual([9, 8, 7, 6, 5, 4].map((number) => `mem_${number}`));
    expect(behind.map(({ next_before }) => next_before)).toEqual(["10.7", "10.4"]);
    expect(behind.flatMap(({ groups }) => groups).every(({ id, total }) => id === "group_11" && total === 11)).toBe(
      true,
    );
    expect(behind.every(({ total }) => total === 11)).toBe(true);
  });

  it("stay when a reviewed item was taken out before", () => {
    const left = [page(9, [group(10, 9, [9])], "10.9"), page(9, [group(10, 9, [8, 7])], "10.7")];
    const behind = keptBehind(page(9, [group(9, 9, [9, 8])], "9.8"), left)!;
    expect(memories(behind)).toEqual(["mem_7"]);
    expect(behind[0]?.next_before).toBe("10.7");
  });

  it("go on where they went on, whatever the list is narrowed to and whatever that looks like", () => {
    const of = (one: Inbox): Inbox => ({
      ...one,
      next_before: one.next_before && `opaque ${one.next_before}`,
      groups: one.groups.map((is) => ({ ...is, id: `${is.id}@memstore_1:index` })),
    });
    const behind = keptBehind(of(page(11, [group(11, 11, [11, 10])], "11.10")), known().map(of))!;
    expect(behind.map(({ next_before }) => next_before)).toEqual(["opaque 10.7", "opaque 10.4"]);
    expect(behind[0]?.groups[0]?.id).toBe("group_11@memstore_1:index");
  });

  it("are read when the number left is not theirs", () => {
    expect(keptBehind(page(9, [group(10, 9, [10, 9])], "10.9"), known())).toBeNull();
    expect(keptBehind(page(10, [group(11, 10, [11, 10])], "11.10"), known())).toBeNull();
  });

  it("are none when there is one page only", () => {
    expect(keptBehind(page(2, [group(10, 2, [10, 9])], null), known())).toBeNull();
    expect(keptBehind(page(10, [group(10, 10, [10, 9])], "10.9"), known().slice(0, 1))).toBeNull();
  });
});

/** Reads pages at times, in milliseconds; tells how many items each was asked for. */
function reading(queries: QueryClient) {
  const limits: unknown[] = [];
  const call = (_name: string, request: { limit: number }) => {
    limits.push(request.limit);
    return Promise.resolve(page(10, [], "10.1"));
  };
  let now = 0;
  const read = pageReader({ call } as unknown as Backend, { store: null, kind: null }, () => now);
  const at = async (time: number, before: string | null) => {
    now = time;
    await read(before, queries, ["inbox"]);
  };
  return { limits, at };
}

describe("a page", () => {
  it("is small for somebody who comes to it key by key, and large soon after another", async () => {
    const { limits, at } = reading(new QueryClient());
    await at(0, null);
    await at(100, "10.9");
    await at(600, "10.8");
    await at(1500, "10.7");
    await at(9000, "10.6");
    await at(9001, null);
    expect(limits).toEqual([100, 40, 200, 200, 40, 100]);
  });

  it("that was there comes back no shorter than it can have been", async () => {
    const queries = new QueryClient();
    const pages = [page(10, [], "10.9"), page(10, [], "10.8"), page(10, [], "10.7")];
    queries.setQueryData(["inbox"], { pages, pageParams: [null, "10.9", "10.8"] });
    const { limits, at } = reading(queries);
    await at(9000, null);
    await at(9000, "10.9");
    await at(20_000, "10.8");
    // This one is new.
    await at(40_000, "10.7");
    expect(limits).toEqual([100, 200, 200, 40]);
  });
});
