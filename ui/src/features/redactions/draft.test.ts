import { describe, expect, it } from "vitest";
import type { RedactionMatch } from "@/bindings";
import {
  countChanged,
  countPlaces,
  groupMatches,
  isReady,
  maskedPieces,
  newDraft,
  reasonTells,
  redactRequest,
} from "./draft";

const match = (more: Partial<RedactionMatch>): RedactionMatch => ({
  place: "version",
  store_id: "memstore_1",
  version_id: "memver_1",
  path: "a.md",
  line: 1,
  masked: "key ███",
  name: null,
  hits: 1,
  detail: null,
  remedy: null,
  action: "redact_version",
  ...more,
});

describe("the draft", () => {
  it("names exactly one way to choose", () => {
    const draft = { ...newDraft(), secret: "sé", pattern: "p", versions: ["memver_1"], reason: "  " };
    expect(redactRequest({ ...draft, method: "secret" }, true)).toEqual({
      versions: [],
      find: null,
      secret_base64: "c8Op",
      finding: null,
      store: null,
      live: true,
      transcripts: false,
      reason: null,
      dry_run: true,
    });
    expect(redactRequest({ ...draft, method: "find" }, false)).toMatchObject({
      versions: [],
      find: "p",
      secret_base64: null,
      dry_run: false,
    });
    expect(redactRequest({ ...draft, method: "versions" }, true)).toMatchObject({
      versions: ["memver_1"],
      find: null,
      secret_base64: null,
    });
  });

  it("changes transcripts only where a person ticks them", () => {
    const finding = { store: "memstore_1", path: "a.md", rule: "secret/stripe-key", start: 4 };
    expect(redactRequest(newDraft([], finding), true)).toMatchObject({ finding, transcripts: false });
    expect(redactRequest({ ...newDraft([], finding), transcripts: true }, true)).toMatchObject({ transcripts: true });
  });

  it("is ready when there is something to look for", () => {
    expect(isReady(newDraft())).toBe(false);
    expect(isReady({ ...newDraft(), secret: " " })).toBe(true);
    expect(isReady(newDraft(["memver_1"]))).toBe(true);
  });

  it("notices a reason that gives the text away", () => {
    const draft = { ...newDraft(), secret: "hunter22\n" };
    expect(reasonTells({ ...draft, reason: "it was hunter22" })).toBe(true);
    expect(reasonTells({ ...draft, reason: "database password" })).toBe(false);
  });
});

describe("matches", () => {
  it("are joined where versions of one path read the same, and only there", () => {
    const groups = groupMatches([
      match({}),
      match({ version_id: "memver_2" }),
      match({ line: 3 }),
      match({ place: "live" }),
      match({ path: null }),
      match({ path: null }),
    ]);
    expect(groups.map(({ places }) => places)).toEqual([2, 1, 1, 1, 1]);
  });

  it("are counted by what they are", () => {
    const all = [
      match({}),
      match({ place: "live" }),
      match({ place: "transcript", path: "s.jsonl" }),
      match({ place: "transcript", path: "s.jsonl", line: 9 }),
      match({ place: "git", path: "Git repository /work" }),
      match({ place: "text", path: "Notes of reviews" }),
    ];
    expect(countPlaces(all)).toEqual({ live: 1, versions: 1, transcripts: 1, others: 2 });
  });

  it("are counted by what is changed: each transcript once, and none that is left", () => {
    const all = [
      match({}),
      match({ place: "live", action: "replace_in_place" }),
      match({ place: "transcript", path: "s.jsonl", action: "replace_in_place" }),
      match({ place: "transcript", path: "s.jsonl", line: 9, action: "replace_in_place" }),
      match({ place: "transcript", path: "t.jsonl", action: "left" }),
      match({ place: "git", path: "Git repository /work", action: "left" }),
    ];
    expect(countChanged(all)).toEqual({ places: 2, transcripts: 1 });
  });

  it("show bars where the text stood", () => {
    expect(maskedPieces("a ███ b █")).toEqual([
      { text: "a ", bar: false },
      { text: "███", bar: true },
      { text: " b ", bar: false },
      { text: "█", bar: true },
    ]);
    expect(maskedPieces("")).toEqual([]);
  });
});
