import { describe, expect, it } from "vitest";
import {
  beyondForm,
  chooseCompaction,
  compactionKind,
  editOf,
  EDITS,
  inputClearing,
  keptThinking,
  onDemand,
  parseIndexes,
  parseNames,
  parseSetting,
  patchEdit,
  printSetting,
  removeEdit,
  sameSetting,
  setOnDemand,
  setSdkThreshold,
  toolTrigger,
  triggerTokens,
} from "./setting";

const TOOLS = "clear_tool_uses_20250919";
const THINKING = "clear_thinking_20251015";
const COMPACT = "compact_20260112";

describe("the form of a setting", () => {
  it("puts each edit where the API wants it, whatever was added first", () => {
    let config = patchEdit({}, COMPACT, { trigger: { type: "input_tokens", value: 90_000 } });
    config = patchEdit(config, TOOLS, { keep: { type: "tool_uses", value: 4 } });
    config = patchEdit(config, THINKING, {});
    expect((config.edits as { type: string }[]).map(({ type }) => type)).toEqual([...EDITS]);
  });

  it("changes single fields and keeps what it has no field for", () => {
    const config = {
      edits: [
        { type: "clear_of_the_future", depth: 2 },
        { type: TOOLS, trigger: { type: "input_tokens", value: 1 }, later: true },
        { type: COMPACT, instructions: "short" },
      ],
      beside: 1,
    };
    const changed = patchEdit(config, TOOLS, { keep: { type: "tool_uses", value: 9 }, trigger: undefined });
    expect(changed).toEqual({
      edits: [
        { type: "clear_of_the_future", depth: 2 },
        { type: TOOLS, keep: { type: "tool_uses", value: 9 }, later: true },
        { type: COMPACT, instructions: "short" },
      ],
      beside: 1,
    });
    expect(beyondForm(changed)).toEqual(["beside", "edits.0", "edits.1.later", "edits.2.instructions"]);
  });

  it("leaves nothing behind when the last edit goes", () => {
    expect(removeEdit(patchEdit({}, TOOLS, {}), TOOLS)).toEqual({});
  });

  it("comes back from its JSON as it went in", () => {
    const config = patchEdit(
      patchEdit({}, TOOLS, { exclude_tools: ["memory"], clear_tool_inputs: ["Read"] }),
      THINKING,
      {
        keep: "all",
      },
    );
    expect(parseSetting(printSetting(config))).toEqual({ config });
  });

  it("reads defaults where nothing is said, and every way to say it", () => {
    expect(toolTrigger({})).toEqual({ type: "input_tokens", value: 100_000 });
    expect(toolTrigger({ trigger: { type: "tool_uses", value: 7 } })).toEqual({ type: "tool_uses", value: 7 });
    expect(toolTrigger({ trigger: "soon" })).toEqual({ type: "input_tokens", value: 100_000 });
    expect(
      [{}, { keep: "all" }, { keep: { type: "all" } }, { keep: { type: "thinking_turns", value: 3 } }].map(
        keptThinking,
      ),
    ).toEqual(["default", "all", "all", 3]);
    expect([{}, { clear_tool_inputs: true }, { clear_tool_inputs: [] }].map(inputClearing)).toEqual([
      "none",
      "all",
      "named",
    ]);
  });

  it("holds one compaction at a time, and keeps the edits that clear", () => {
    const cleared = patchEdit({}, TOOLS, {});
    const server = chooseCompaction(cleared, "server");
    expect(compactionKind(server)).toBe("server");
    const sdk = chooseCompaction(server, "sdk");
    expect(compactionKind(sdk)).toBe("sdk");
    expect(editOf(sdk, COMPACT)).toBeNull();
    expect(editOf(sdk, TOOLS)).not.toBeNull();
    expect(triggerTokens(setSdkThreshold(chooseCompaction({}, "sdk"), 42))).toBe(42);
    expect(compactionKind({ compaction: { type: "summarize" }, at: [3] })).toBe("on_demand");
    expect(chooseCompaction({ compaction: { type: "summarize" }, at: [3] }, "off")).toEqual({});
  });

  it("compacts on demand alone, before requests or at a size", () => {
    const demand = chooseCompaction(patchEdit({}, TOOLS, {}), "on_demand");
    expect(demand).toEqual({ compaction: { type: "summarize" }, context_reaches: 100_000 });
    expect([compactionKind(demand), triggerTokens(demand), beyondForm(demand)]).toEqual(["on_demand", 100_000, []]);
    const before = setOnDemand(demand, { at: parseIndexes("40, 7 and 40, 0") });
    expect(before).toEqual({ compaction: { type: "summarize" }, at: [6, 39] });
    const changed = setOnDemand(before, { instructions: "Keep the names." });
    expect(onDemand(changed)).toEqual({ at: [6, 39], context_reaches: null, instructions: "Keep the names." });
    expect(setOnDemand(changed, { context_reaches: 9 })).toEqual({
      compaction: { type: "summarize", instructions: "Keep the names." },
      context_reaches: 9,
    });
    expect(setOnDemand(changed, { instructions: " " })).toEqual(before);
    expect(chooseCompaction(changed, "server").compaction).toBeUndefined();
  });

  it("survives anything that stands where a setting should", () => {
    for (const junk of [null, 3, "x", [], { edits: "no" }, { edits: [null, 1, []] }, { compaction_control: 7 }]) {
      expect(editOf(junk, TOOLS)).toBeNull();
      expect(compactionKind(junk)).toBe("off");
      expect(patchEdit(junk, TOOLS, {}).edits).toContainEqual({ type: TOOLS });
    }
  });
});

describe("a setting as text", () => {
  it("may be a whole request, or the value alone", () => {
    const config = { edits: [{ type: TOOLS }] };
    expect(parseSetting(JSON.stringify({ context_management: config }))).toEqual({ config });
    expect(parseSetting(JSON.stringify(config))).toEqual({ config });
  });

  it("says what is wrong with it", () => {
    expect(parseSetting("[1]")).toEqual({ problem: { is: "no_object" } });
    expect(parseSetting("{ x")).toEqual({ problem: { is: "no_json", at: { line: 1, column: 3 } } });
  });

  it("is the same whatever the order of its fields, and another when an edit moves", () => {
    expect(sameSetting({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toBe(true);
    expect(sameSetting({ edits: [1, 2] }, { edits: [2, 1] })).toBe(false);
  });
});

it("reads names however they are separated", () => {
  expect(parseNames(" memory, Read  Read,Bash ")).toEqual(["memory", "Read", "Bash"]);
});
