import { describe, expect, it } from "vitest";
import { type Mark, plotOf, scalesOf } from "./chart";
import {
  areaBoxes,
  type Box,
  drawnMarks,
  freePlace,
  labelBox,
  labelWidth,
  limitPlaces,
  markBoxes,
  placesBeside,
  regretLabels,
} from "./labels";

const PLOT = plotOf(640, 296);
const VALUES = Array.from({ length: 41 }, (_, at) => 20_000 + at * 1000);
const SCALES = scalesOf(PLOT, VALUES.length, 80_000);
const of = (mark: Mark["mark"], ...indexes: number[]) => indexes.map((index): Mark => ({ mark, index }));
const meets = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

describe("labels of regrets", () => {
  const width = labelWidth("needed again");

  it("lie on no mark and not on each other, however near these stand", () => {
    for (let from = 2; from < 34; from += 1) {
      const marks = [
        ...of("clearing", from + 1, from + 3),
        ...of("compaction", from + 5),
        ...of("regret", from, from + 4),
      ];
      const labels = regretLabels(marks, VALUES, SCALES, PLOT, width, []);
      const boxes = labels.map(({ place }) => labelBox(place, width));
      const taken = markBoxes(marks, VALUES, SCALES, PLOT);
      boxes.forEach((box, at) => {
        expect([...taken, ...boxes.slice(at + 1)].some((other) => meets(box, other))).toBe(false);
        expect(box.left >= PLOT.left && box.right <= PLOT.right).toBe(true);
      });
    }
  });

  it("stand beside a mark that is alone, and are left out where there is no room", () => {
    expect(regretLabels(of("regret", 10), VALUES, SCALES, PLOT, width, [])).toHaveLength(1);
    const everywhere = { left: 0, right: 640, top: 0, bottom: 296 };
    expect(regretLabels(of("regret", 10), VALUES, SCALES, PLOT, width, [everywhere])).toEqual([]);
    const apart = of("regret", 2, 12, 22, 32);
    expect(regretLabels(apart, VALUES, SCALES, PLOT, width, [])).toHaveLength(3);
  });
});

it("the label of a limit goes to the other end of its line, off the marks at this one", () => {
  const y = SCALES.y(VALUES[1]!);
  const width = labelWidth("trigger 21K");
  const [left] = limitPlaces(PLOT, y);
  expect(freePlace(limitPlaces(PLOT, y), width, [], PLOT)).toEqual(left);
  const taken = markBoxes(of("clearing", 1, 2), VALUES, SCALES, PLOT);
  const place = freePlace(limitPlaces(PLOT, y), width, taken, PLOT)!;
  expect(place).not.toEqual(left);
  expect(taken.some((box) => meets(box, labelBox(place, width)))).toBe(false);
});

it("a label beside a point is on the side with more room, and goes round what is there", () => {
  expect(placesBeside(100, 50, PLOT)[0]).toEqual({ x: 109, y: 50, textAnchor: "start" });
  expect(placesBeside(500, 50, PLOT)[0]).toEqual({ x: 491, y: 50, textAnchor: "end" });
  const taken = [{ left: 100, right: 220, top: 40, bottom: 53 }];
  expect(freePlace(placesBeside(100, 50, PLOT), 90, taken, PLOT)?.y).toBe(34);
});

it("a letter of a language that writes in squares takes more room", () => {
  expect(labelWidth("다시 필요함")).toBeGreaterThan(labelWidth("needed"));
});

it("very many marks are drawn small, or not at all", () => {
  expect(drawnMarks(of("regret", ...VALUES.keys())).small).toBe(true);
  expect(drawnMarks(of("thinking", ...Array.from({ length: 90 }, (_, at) => at))).drawn).toEqual([]);
});

it("knows what lies below the line, so that a label of two lines stands above it", () => {
  const plot = { left: 0, right: 400, top: 0, bottom: 200 };
  const scales = scalesOf(plot, 101, 200);
  const values = Array.from({ length: 101 }, () => 100);
  const area = areaBoxes(values, scales, plot);
  expect(area[50]).toEqual({ left: 198, right: 202, top: 100, bottom: 200 });
  const places = placesBeside(scales.x(50), scales.y(100) - 6, plot);
  expect(freePlace(places, 120, [], plot, 2)?.y).toBe(94);
  const above = freePlace(places, 120, area, plot, 2)!;
  expect(labelBox(above, 120, 2).bottom).toBeLessThanOrEqual(100);
});
