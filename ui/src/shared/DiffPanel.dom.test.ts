import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import type { FileDiff, Finding } from "@/bindings";
import { hideIn, useSecrets } from "./DiffPanel";

const KEY = "sk_live_0123456789abcdefghij";
const line = (of: { old: number | null; new: number | null; text: string }) => ({ tag: "delete", spans: [], ...of });
const diff = {
  hunks: [
    {
      lines: [
        line({ old: 1, new: 1, text: "- kept" }),
        line({ old: 2, new: null, text: `- Rotate ${KEY}.` }),
        line({ old: null, new: 2, text: "- Rotate it." }),
      ],
    },
  ],
} as unknown as FileDiff;
const finding = { rule: "secret/stripe", start: 18, line: 2, column: 10, end_line: 2, end_column: 38 } as Finding;

test("a secret of the side that goes away is out of sight", () => {
  const { result } = renderHook(() => useSecrets(diff, [finding], "old"));
  expect(result.current).toEqual([KEY]);
  const texts = hideIn(diff, result.current).hunks[0]!.lines.map(({ text }) => text);
  expect(texts.join("\n")).not.toContain(KEY);
  expect(texts[1]).toMatch(/^- Rotate sk_l•+ij\.$/u);
});

test("its place on one side is no place on the other", () => {
  const { result } = renderHook(() => useSecrets(diff, [finding]));
  expect(result.current).not.toContain(KEY);
});
