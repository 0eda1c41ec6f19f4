import { expect, it } from "vitest";
import { whereJsonStops } from "./json-place";

const at = (text: string) => Object.values(whereJsonStops(text)).join(":");

it("finds the first sign that cannot stand where it does", () => {
  expect(at("{ x")).toBe("1:3");
  expect(at('{\n  "edits": nothing\n}')).toBe("2:12");
  expect(at('{"a": [1, 2,]}')).toBe("1:13");
  expect(at('{"a" 1}')).toBe("1:6");
  expect(at('{"a": "open')).toBe("1:7");
});

it("finds the end where the text ends too early, and what stands behind a whole value", () => {
  expect(at("")).toBe("1:1");
  expect(at('{"a": {"b": true}')).toBe("1:18");
  expect(at("{} {}")).toBe("1:4");
  expect(at('[-1.5e3, "\\u00e9", null]\n')).toBe("2:1");
});
