import { expect, it } from "vitest";
import { latest } from "./latest";

/** Work that is finished by hand. */
function byHand() {
  const open: { value: number; resolve: (result: string) => void; reject: (cause: Error) => void }[] = [];
  const reported: string[] = [];
  const runner = latest<number, string>(
    (value) => new Promise((resolve, reject) => open.push({ value, resolve, reject })),
    {
      done: (result, value, waiting) => reported.push(`${value} ${result}${waiting ? " and more" : ""}`),
      failed: (cause, value, waiting) =>
        reported.push(`${value} failed ${(cause as Error).message}${waiting ? " and more" : ""}`),
    },
  );
  return { open, reported, runner };
}
const settled = () => new Promise<void>((done) => setTimeout(done));

it("runs the first value at once, one at a time, and the last of those that came meanwhile", async () => {
  const { open, reported, runner } = byHand();
  runner.push(1);
  for (let value = 2; value <= 50; value += 1) runner.push(value);
  expect(open.map(({ value }) => value)).toEqual([1]);
  open[0]!.resolve("answered");
  await settled();
  expect(open.map(({ value }) => value)).toEqual([1, 50]);
  open[1]!.resolve("answered");
  await settled();
  expect(reported).toEqual(["1 answered and more", "50 answered"]);
});

it("goes on after a failure", async () => {
  const { open, reported, runner } = byHand();
  runner.push(1);
  runner.push(2);
  open[0]!.reject(new Error("no"));
  await settled();
  open[1]!.resolve("yes");
  await settled();
  runner.push(3);
  expect(open).toHaveLength(3);
  expect(reported).toEqual(["1 failed no and more", "2 yes"]);
});

it("tells nothing any more once it is stopped", async () => {
  const { open, reported, runner } = byHand();
  runner.push(1);
  runner.push(2);
  runner.stop();
  open[0]!.resolve("late");
  await settled();
  runner.push(3);
  expect(open).toHaveLength(1);
  expect(reported).toEqual([]);
});
