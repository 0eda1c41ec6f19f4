import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { FigureKind } from "@/bindings";
import { renderPart } from "@/shared/testing";
import { Change, changeOf, Figure, KINDS } from "./Figure";

const KIND_NAMES: FigureKind[] = ["recorded", "exact", "counted offline", "estimated"];

it("says of every figure how it was come by: a sign for the eye, words for all", () => {
  const { container } = renderPart(
    <>
      {KIND_NAMES.map((kind) => (
        <Figure key={kind} text="1,200" kind={kind} range={2.14} />
      ))}
    </>,
  );
  const shown = [...container.querySelectorAll<HTMLElement>("[data-kind]")].map(({ textContent }) =>
    textContent?.replace(/[\u202f\u00a0]/g, " "),
  );
  expect(shown).toEqual([
    "1,200 (recorded)",
    "= 1,200 (exact)",
    "≈ 1,200 (counted offline)",
    "~ 1,200 ±2.1 % (estimated)",
  ]);
  for (const kind of KIND_NAMES)
    expect(screen.getByText(`(${KINDS[kind].word.message})`, { exact: false })).toBeInTheDocument();
});

it("does not hide a kind that it does not know", () => {
  const { container } = renderPart(<Figure text="7" kind={"guessed" as FigureKind} />);
  expect(container.textContent).toMatch(/guessed/);
});

it("gives the difference to no editing, and none where there is nothing to compare", () => {
  expect(changeOf(40, 100)).toBeCloseTo(-0.6);
  expect([changeOf(100, 100), changeOf(null, 100), changeOf(3, 0), changeOf(3, null)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  renderPart(<Change value={40} base={100} />);
  expect(screen.getByText("−60\u202f%", { normalizer: String })).toHaveClass("text-add");
});
