import { expect, it } from "vitest";
import { partsOf, ShortPath } from "./ShortPath";
import { renderPart } from "./testing";

it("keeps the end of a path whole: names, and where they are too short or too long, characters", () => {
  expect(partsOf("/home/robin/.claude/projects/webshop/memory")).toEqual([
    "/home/robin/.claude",
    "/projects/webshop/memory",
  ]);
  expect(partsOf("/home/.claude/projects/-home-robin-src-webshop/memory")).toEqual([
    "/home/.claude/projects/-home-robin-",
    "src-webshop/memory",
  ]);
  expect(partsOf("notes")).toEqual(["", "notes"]);
  expect(partsOf("/tmp/home/notes")).toEqual(["", "/tmp/home/notes"]);
  expect(partsOf("😀".repeat(20))).toEqual(["😀😀", "😀".repeat(18)]);
});

it("is the path, to who reads or copies it", () => {
  const { container } = renderPart(<ShortPath path="/home/robin/.claude/projects/webshop/memory" />);
  expect(container).toHaveTextContent("/home/robin/.claude/projects/webshop/memory");
});
