/** What the window takes to show one megabyte of the worst of each kind as Markdown, and the most that it parses of each. */
import { cleanup } from "@testing-library/react";
import { bench, describe } from "vitest";
import type { DocumentLine } from "@/bindings";
// eslint-disable-next-line no-restricted-imports -- the same texts as those of the program's benchmarks
import KINDS from "../../../crates/retrace-findings/benches/worst.json";
import { hiddenIn } from "./hidden";
import Markdown from "./Markdown";
import { LIMITS, refusalOf, treeOf } from "./markdown-tree";
import { renderPart } from "./testing";

type Kind = (typeof KINDS)[number];

const ROUNDS = { iterations: 3, time: 0, warmupIterations: 0, warmupTime: 0 };

function textOf({ before, repeated, after }: Kind, letters: number): string {
  return before + repeated.repeat(Math.floor((letters - before.length - after.length) / repeated.length)) + after;
}

describe("shown as Markdown, a megabyte", () => {
  for (const kind of KINDS) {
    const text = textOf(kind, 1 << 20);
    const lines: DocumentLine[] = text.split("\n").map((line) => ({ text: line, spans: [], hidden: hiddenIn(line) }));
    bench(
      kind.name,
      () => {
        renderPart(<Markdown lines={lines} />);
        cleanup();
      },
      ROUNDS,
    );
  }
});

// Beside the window, in a worker that is broken off after two seconds.
describe("parsed, as much as is not refused", () => {
  for (const kind of KINDS) {
    const text = textOf(kind, LIMITS.letters);
    const refused = refusalOf(text);
    bench(refused ? `${kind.name} (refused: ${refused})` : kind.name, () => void treeOf(text), ROUNDS);
  }
});
