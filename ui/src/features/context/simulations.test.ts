import { expect, it } from "vitest";
import type { Simulation } from "@/bindings";
import { ApiFailure } from "@/host";
import type { BenchVariant } from "./lab";
import type { Json } from "./setting";
import { openDesk, type Program, UNREAD } from "./simulations";

const variant = (letter: BenchVariant["letter"], keep: number): BenchVariant => ({
  letter,
  name: "",
  config: { keep },
});
const settled = () => new Promise<void>((done) => setTimeout(done));
const request = ({ keep }: Json) => ({ after: keep, cleared_tool_use_ids: [], cleared_tool_inputs: [] });

/** A desk whose program answers with the setting itself when told to. */
function desk() {
  const asked: { config: Json; answer: () => void; refuse: () => void }[] = [];
  let clock = 0;
  const program: Program = {
    run: (config) =>
      new Promise((resolve, reject) =>
        asked.push({
          config,
          answer: () =>
            resolve({
              config,
              requests: [request(config)],
              compactions: [],
              regrets: [],
            } as unknown as Simulation),
          refuse: () => reject(new ApiFailure({ code: "invalid", message: "no", hint: "", subject: "" })),
        }),
      ),
    ran: () =>
      new Promise((resolve) => {
        const simulation = { what: null, requests: [request({ keep: 7 })], compactions: [], regrets: [] };
        resolve({ simulation: simulation as unknown as Simulation, without: null });
      }),
    lines: (configs) =>
      Promise.resolve(
        configs.map(({ keep }) => ({
          after: [keep as number],
          cleared: [],
          thinking: [],
          compacted: [],
          needed_again: [],
        })),
      ),
  };
  const opened = openDesk(program, () => (clock += 5));
  return {
    asked,
    opened,
    drawn: () => opened.lines.get().B?.after[0],
    keepOf: (letter: "A" | "B") => (opened.forecasts.get()[letter]?.simulation?.config as Json)?.keep,
  };
}

it("asks about each variant once, and only about those that changed", async () => {
  const { asked, opened, keepOf } = desk();
  opened.follow([variant("C", 0), variant("B", 1)]);
  opened.follow([variant("C", 0), variant("B", 1)]);
  expect(asked).toHaveLength(2);
  asked.forEach(({ answer }) => answer());
  await settled();
  opened.follow([variant("C", 0), variant("B", 2)]);
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

it("takes figures and line away while a setting is refused", async () => {
  const { asked, opened, drawn, keepOf } = desk();
  opened.follow([variant("B", 1)]);
  asked[0]!.answer();
  await settled();
  opened.follow([variant("B", -1)]);
  asked[1]!.refuse();
  await settled();
  expect([keepOf("B"), drawn()]).toEqual([undefined, undefined]);
  expect(opened.forecasts.get().B?.error).toBeInstanceOf(ApiFailure);
  opened.follow([variant("B", 3)]);
  asked[2]!.answer();
  await settled();
  expect(opened.forecasts.get().B?.error).toBeNull();
  expect([keepOf("B"), drawn()]).toEqual([3, 3]);
});

it("takes figures and line away while the text of a setting cannot be read, also those on their way", async () => {
  const { asked, opened, drawn, keepOf } = desk();
  opened.follow([variant("B", 1)]);
  asked[0]!.answer();
  await settled();
  opened.follow([variant("B", 2)]);
  opened.follow([{ ...variant("B", 2), unread: true }]);
  asked[1]!.answer();
  await settled();
  expect([keepOf("B"), drawn()]).toEqual([undefined, undefined]);
  expect(opened.forecasts.get().B?.error).toBe(UNREAD);
  opened.follow([{ ...variant("B", 2), unread: false }]);
  asked[2]!.answer();
  await settled();
  expect([keepOf("B"), drawn(), opened.forecasts.get().B?.error]).toEqual([2, 2, null]);
});

it("forgets a variant that is taken off, also when its answer comes later", async () => {
  const { asked, opened } = desk();
  opened.follow([variant("C", 0), variant("B", 1)]);
  opened.follow([variant("C", 0)]);
  asked.forEach(({ answer }) => answer());
  await settled();
  expect(Object.keys(opened.forecasts.get())).toEqual(["C"]);
});

it("draws a line that was asked for ahead at once, and an older answer never over it", async () => {
  const { asked, opened, drawn, keepOf } = desk();
  opened.follow([variant("B", 1)]);
  opened.wish([{ keep: 2 }, { keep: 3 }]);
  await settled();
  expect(drawn()).toBeUndefined();
  opened.follow([variant("B", 2)]);
  expect(drawn()).toBe(2);
  asked[0]!.answer();
  await settled();
  expect(keepOf("B")).toBe(1);
  expect(drawn()).toBe(2);
  asked[1]!.answer();
  await settled();
  expect([keepOf("B"), drawn()]).toEqual([2, 2]);
});

it("asks anew about all when something else is assumed, and forgets what was on its way", async () => {
  const { asked, opened, keepOf } = desk();
  opened.follow([variant("B", 1)], { model: null, cache_ttl: null });
  opened.follow([variant("B", 1)], { model: null, cache_ttl: "1h" });
  expect(asked).toHaveLength(2);
  asked[0]!.answer();
  await settled();
  expect(keepOf("B")).toBeUndefined();
  asked[1]!.answer();
  await settled();
  expect(keepOf("B")).toBe(1);
});

it("draws what ran for the first variant, whatever line another variant has for the same setting", async () => {
  const { opened } = desk();
  opened.follow([{ letter: "A", name: "", config: {} }]);
  await settled();
  expect(opened.lines.get().A?.after).toEqual([7]);
  expect(opened.forecasts.get().A?.simulation?.requests[0]?.after).toBe(7);
});
