import { expect, it } from "vitest";
import { partsOf, ShortPath } from "./ShortPath";
import { renderPart } from "./testing";

it("keeps the end of a path whole, in whole characters", () => {
  expect(partsOf("/home/robin/.claude/projects/webshop/memory")).toEqual([
    "/home/robin/.claude/proje",
    "cts/webshop/memory",
  ]);
  expect(partsOf("notes")).toEqual(["", "notes"]);
  expect(partsOf(`a/${"😀".repeat(18)}`)).toEqual(["a/", "😀".repeat(18)]);
});

it("is the path, to who reads or copies it", () => {
  const { container } = renderPart(<ShortPath path="/home/robin/.claude/projects/webshop/memory" />);
  expect(container).toHaveTextContent("/home/robin/.claude/projects/webshop/memory");
});
