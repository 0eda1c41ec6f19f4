import { describe, expect, it } from "vitest";
import type { Session } from "@/bindings";
import { chapters, gaps, standing } from "./story";
import { took } from "./words";

const session = (more: Partial<Session>): Session =>
  ({ versions: [], prompts: [], other_versions: [], agents: [], events: [], ...more }) as Session;

describe("a session's story", () => {
  it("has every change once, those without a prompt first", () => {
    const written = (id: string) => ({ store: "s", confidence: "stated", turn: null, version: { id } }) as never;
    const prompt = (text: string, versions: string[]) =>
      ({ text, truncated: false, at: null, request: 0, requests: 1, cost_usd: null, versions }) as const;
    const told = chapters(
      session({
        versions: [written("c"), written("b"), written("a")],
        other_versions: ["a"],
        prompts: [prompt("One", ["b"]), prompt("Two", ["c", "gone"])],
      }),
    );
    expect(told.map(({ prompt, changes }) => [prompt?.text, changes.map(({ version }) => version.id)])).toEqual([
      [undefined, ["a"]],
      ["One", ["b"]],
      ["Two", ["c"]],
    ]);
    expect(chapters(session({}))).toEqual([]);
  });

  it("says in which requests a file stood", () => {
    expect(standing([[0, 4]], 5)).toEqual({ kind: "all" });
    expect(standing([[2, 4]], 5)).toEqual({ kind: "from", request: 2 });
    expect(standing([[0, 2]], 5)).toEqual({ kind: "until", request: 2 });
    expect(
      standing(
        [
          [1, 1],
          [3, 4],
        ],
        5,
      ),
    ).toEqual({ kind: "part", requests: 3, of: 5 });
    expect(standing([], 5)).toEqual({ kind: "none" });
    expect(standing([[0, 0]], 0)).toEqual({ kind: "none" });
    expect(
      gaps(
        [
          [1, 1],
          [3, 3],
        ],
        5,
      ),
    ).toEqual([
      [2, 2],
      [4, 4],
    ]);
    expect(gaps([[0, 4]], 5)).toEqual([]);
  });

  it("says how long it took in at most two units", () => {
    const minute = 60_000;
    expect([41_000, 23 * minute, 125 * minute, 72 * 60 * minute].map((length) => took("en", length))).toEqual([
      "41 sec",
      "23 min",
      "2 hr 5 min",
      "3 days",
    ]);
  });
});
