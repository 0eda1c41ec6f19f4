import { expect, it } from "vitest";
import { projectNames } from "./runs";

it("tells projects of one name apart by the directories above them", () => {
  const names = projectNames(["/home/ada/work/cli", "/home/ada/play/cli", "/home/ada/webshop/", "other"]);
  expect([...names.values()]).toEqual(["work/cli", "play/cli", "webshop", "other"]);
  expect(names.get("/home/ada/play/cli")).toBe("play/cli");
});
