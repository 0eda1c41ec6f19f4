import { expect, it } from "vitest";
import type { Simulation } from "@/bindings";
import { ApiFailure } from "@/host";
import type { BenchVariant } from "./lab";
import type { Json } from "./setting";
import { openDesk } from "./simulations";

const variant = (letter: BenchVariant["letter"], keep: number): BenchVariant => ({
  letter,
  name: "",
  config: { keep },
});
const settled = () => new Promise<void>((done) => setTimeout(done));

/** A desk whose program answers with the setting itself when told to. */
function desk() {
  const asked: { config: Json; answer: () => void; refuse: () => void }[] = [];
  let clock = 0;
  const opened = openDesk(
    (config) =>
      new Promise((resolve, reject) =>
        asked.push({
          config,
          answer: () => resolve({ config } as unknown as Simulation),
          refuse: () => reject(new ApiFailure({ code: "invalid", message: "no", hint: "", subject: "" })),
        }),
      ),
    () => (clock += 5),
  );
  return {
    asked,
    opened,
    keepOf: (letter: "A" | "B") => (opened.forecasts.get()[letter]?.simulation?.config as Json)?.keep,
  };
}

it("asks about each variant once, and only about those that changed", async () => {
  const { asked, opened, keepOf } = desk();
  opened.follow([variant("A", 0), variant("B", 1)]);
  opened.follow([variant("A", 0), variant("B", 1)]);
  expect(asked).toHaveLength(2);
  asked.forEach(({ answer }) => answer());
  await settled();
  opened.follow([variant("A", 0), variant("B", 2)]);
  expect(asked).toHaveLength(3);
  expect(keepOf("B")).toBe(1);
  expect(opened.forecasts.get().B?.stale).toBe(true);
  asked[2]!.answer();
  await settled();
  expect(keepOf("B")).toBe(2);
  expect(opened.forecasts.get().B).toMatchObject({ stale: false, milliseconds: 5 });
});

it("answers the last position of a slider, with one call on its way", async () => {
  const { asked, opened, keepOf } = desk();
  for (let keep = 0; keep < 30; keep += 1) opened.follow([variant("B", keep)]);
  expect(asked).toHaveLength(1);
  asked[0]!.answer();
  await settled();
  expect(keepOf("B")).toBe(0);
  expect(asked).toHaveLength(2);
  asked[1]!.answer();
  await settled();
  expect(keepOf("B")).toBe(29);
  expect(asked).toHaveLength(2);
});

it("keeps the last answer while a setting is refused", async () => {
  const { asked, opened, keepOf } = desk();
  opened.follow([variant("B", 1)]);
  asked[0]!.answer();
  await settled();
  opened.follow([variant("B", -1)]);
  asked[1]!.refuse();
  await settled();
  expect(keepOf("B")).toBe(1);
  expect(opened.forecasts.get().B?.error).toBeInstanceOf(ApiFailure);
  opened.follow([variant("B", 3)]);
  asked[2]!.answer();
  await settled();
  expect(opened.forecasts.get().B?.error).toBeNull();
});

it("forgets a variant that is taken off, also when its answer comes later", async () => {
  const { asked, opened } = desk();
  opened.follow([variant("A", 0), variant("B", 1)]);
  opened.follow([variant("A", 0)]);
  asked.forEach(({ answer }) => answer());
  await settled();
  expect(Object.keys(opened.forecasts.get())).toEqual(["A"]);
});
