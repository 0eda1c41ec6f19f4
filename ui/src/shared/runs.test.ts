import { expect, it } from "vitest";
import { projectNames } from "./runs";

it("tells projects of one name apart by the directories above them", () => {
  const names = projectNames(["/home/ada/work/cli", "/home/ada/play/cli", "/home/ada/webshop/", "other"]);
  expect([...names.values()]).toEqual(["work/cli", "play/cli", "webshop", "other"]);
  expect(names.get("/home/ada/play/cli")).toBe("play/cli");
});

it("names a project whose last part says nothing by the directories above it, too", () => {
  const names = projectNames([
    "/home/ada/cli/.worktrees/1",
    "/home/ada/cli/.worktrees/ent-109",
    "/home/ada/2026",
    "/7",
  ]);
  expect([...names.values()]).toEqual(["cli/.worktrees/1", "ent-109", "ada/2026", "7"]);
});
