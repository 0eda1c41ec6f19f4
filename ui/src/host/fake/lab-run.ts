/**
 * A run of an agent, made up by a small generator: the same seed gives the same run. Sizes are tokens. The fake simulates
 * settings over it by the published rules in their plainest form; the real work is in Rust.
 */
import { verbatim } from "./verbatim";
import type {
  ContextAnswer,
  ContextPart,
  ContextRequest,
  ContextShow,
  Message,
  Regret,
  SimulatedCompaction,
  SimulatedRequest,
  Simulation,
  SimulationWarning,
  Variant,
} from "@/bindings";
import { refuse } from "./log";

/** One tool use of the run: asked for in the answer of a request, its result sent with the next. */
export interface FakeUse {
  id: string;
  tool: string;
  label: string;
  /** Request whose answer asked for it. */
  request: number;
  input: number;
  result: number;
}

/** A run. */
export interface FakeRun {
  id: string;
  title: string;
  project: string;
  model: string;
  requests: number;
  uses: FakeUse[];
  /** Text and thinking that the answer to each request added. */
  text: number[];
  thinking: number[];
  /** True if the client recorded the requests of this run. */
  recorded: boolean;
}

const FILES = Array.from({ length: 60 }, (_, at) => `src/harbour/part_${at + 1}.rs`);
const COMMANDS = Array.from({ length: 40 }, (_, at) => `cargo test case_${at + 1}`);

/** Numbers from 0 to 1 that follow from a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Makes a run. */
export function makeRun(id: string, title: string, project: string, requests: number, seed: number): FakeRun {
  const next = numbers(seed);
  const uses: FakeUse[] = [];
  const text: number[] = [];
  const thinking: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    text.push(60 + Math.floor(next() * 260));
    thinking.push(Math.floor(next() * 420));
    if (request === requests - 1) continue;
    const reads = next() < 0.62;
    const list = reads ? FILES : COMMANDS;
    const what = list[Math.floor(next() * list.length)]!;
    const tool = next() < 0.08 ? "memory" : reads ? "Read" : "Bash";
    uses.push({
      id: `toolu_${id}_${request}`,
      tool,
      label: `${tool} ${what}`,
      request,
      input: 40 + Math.floor(next() * 120),
      result: 180 + Math.floor(next() ** 2 * 4200),
    });
  }
  return { id, title, project, model: "claude-sonnet-4-5", requests, uses, text, thinking, recorded: false };
}

const INSTRUCTIONS = 1820;
const MEMORY = 2050;
const UNRECORDED = 14_210;
const PRICE = { input: 3, output: 15, write: 3.75, read: 0.3 };

const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);

function peakOf(requests: readonly ContextRequest[]): ContextShow["peak"] {
  const largest = [...requests].sort((a, b) => b.context - a.context)[0];
  return largest ? { request: largest.index, tokens: largest.context, kind: largest.kind } : null;
}

/** The parts of each context, by class and tool. */
function partsOf(run: FakeRun, requests: readonly ContextRequest[]): ContextPart[] {
  const part = (
    name: ContextPart["class"],
    tokens: (request: ContextRequest) => number,
    tool: string | null = null,
  ) => ({
    class: name,
    tool,
    tokens: requests.map(tokens),
  });
  const resultsOf = (tool: string) => (request: ContextRequest) =>
    sum(run.uses.filter((use) => use.request < request.index && use.tool === tool).map(({ result }) => result));
  const tools = [...new Set(run.uses.map(({ tool }) => tool))];
  const largest = (tool: string) => Math.max(...requests.map(resultsOf(tool)));
  return [
    part("instructions", ({ classes }) => classes.instructions),
    part("memory", ({ classes }) => classes.memory),
    part("not_recorded", ({ classes }) => classes.not_recorded),
    part("text", ({ classes }) => classes.text),
    part("thinking", ({ classes }) => classes.thinking),
    part("tool_inputs", ({ classes }) => classes.tool_inputs),
    ...tools.sort((a, b) => largest(a) - largest(b)).map((tool) => part("tool_results", resultsOf(tool), tool)),
  ].filter(({ tokens }) => tokens.some((size) => size > 0));
}

/** The answer: the parts of the largest context in round figures, of which the first takes what rounding leaves. */
function answerOf(parts: readonly ContextPart[], peak: ContextShow["peak"]): ContextAnswer | null {
  if (!peak) return null;
  const round = (size: number) => Math.round(size / 100) * 100;
  const named = parts
    .map(({ class: name, tool, tokens }) => ({ class: name, tool, tokens: tokens[peak.request] ?? 0 }))
    .filter(({ tokens }) => tokens > 50)
    .sort((a, b) => b.tokens - a.tokens)
    .map((part) => ({ ...part, said: round(part.tokens) }));
  const said = round(peak.tokens);
  const [first] = named;
  if (first) first.said += said - sum(named.map((part) => part.said));
  return { request: peak.request, tokens: peak.tokens, said, parts: named, rest: null };
}

/** Composition of each request's context. */
export function showRun(run: FakeRun): ContextShow {
  const requests = Array.from({ length: run.requests }, (_, index): ContextRequest => {
    const before = run.uses.filter((use) => use.request < index);
    const classes = {
      system: 0,
      instructions: INSTRUCTIONS,
      memory: MEMORY,
      tool_results: sum(before.map(({ result }) => result)),
      tool_inputs: sum(before.map(({ input }) => input)),
      text: 420 + sum(run.text.slice(0, index)),
      thinking: sum(run.thinking.slice(0, index)),
      attachments: 0,
      not_recorded: UNRECORDED,
      over_counted: 0,
    };
    const context = sum(Object.values(classes));
    const time = new Date(Date.UTC(2026, 10, 19, 9, index)).toISOString();
    return {
      index,
      id: `msg_${index}`,
      time,
      model: null,
      recorded: null,
      context,
      kind: "recorded",
      classes,
      rests_on: run.recorded ? "request" : "transcript",
      proved: run.recorded ? true : null,
    };
  });
  const peak = peakOf(requests);
  const parts = partsOf(run, requests);
  return {
    transcript: run.id,
    path: `/home/ada/.claude/projects/-home-ada-harbour/${run.id}.jsonl`,
    format: "claude-code",
    title: run.title,
    agent: null,
    model: run.model,
    family: "v4.7",
    family_assumed: false,
    family_range_percent: null,
    context_window: 200_000,
    peak,
    answer: answerOf(parts, peak),
    parts,
    proved_requests: run.recorded ? requests.length : 0,
    in_force: null,
    requests,
    events: [],
    memory_files: [
      {
        path: "/home/ada/harbour/CLAUDE.md",
        class: "instructions",
        tokens: INSTRUCTIONS,
        partial: false,
        requests: run.requests,
        cost_usd: 0.09,
      },
      {
        path: "/home/ada/harbour/memory/MEMORY.md",
        class: "memory",
        tokens: MEMORY,
        partial: false,
        requests: run.requests,
        cost_usd: 0.11,
      },
    ],
    cost_usd: simulateRun(run, { name: "", config: {} }, requests).totals.cost_usd,
    cost_is_lower_bound: false,
    requests_with_placeholder_output: 0,
    requests_fast_without_price: 0,
    client_cost_usd: null,
    tools_used: [],
    unanswered: [],
    remarks: [],
  };
}

type Json = Record<string, unknown>;
const valueOf = (field: unknown, fallback: number) =>
  ((field as Json | undefined)?.value as number | undefined) ?? fallback;

/** The edits of a setting, refused in the words of the API where they are not valid. */
function editsOf({ config, name }: Variant): { tools: Json | null; turns: number | null; compact: number | null } {
  const edits = ((config as Json).edits ?? []) as Json[];
  const refuseAs = (message: string) => refuse("invalid", message, name || "config");
  let tools: Json | null = null;
  let turns: number | null = null;
  let compact: number | null = null;
  edits.forEach((edit, at) => {
    const path = `context_management.edits.${at}`;
    switch (edit.type) {
      case "clear_thinking_20251015":
        if (at > 0) refuseAs(`${path}: \`clear_thinking_20251015\` must be the first of \`edits\``);
        turns = edit.keep === "all" ? Infinity : valueOf(edit.keep, 1);
        break;
      case "clear_tool_uses_20250919":
        if (edit.exclude_tools !== undefined && !Array.isArray(edit.exclude_tools))
          refuseAs(`${path}.clear_tool_uses_20250919.exclude_tools: Input should be a valid array`);
        tools = edit;
        break;
      case "compact_20260112":
        compact = valueOf(edit.trigger, 150_000);
        if (compact < 50_000)
          refuseAs(`${path}.compact_20260112.trigger.value: Input should be greater than or equal to 50000`);
        break;
      default:
        refuseAs(
          `${path}: Input tag '${String(edit.type)}' found using 'type' does not match any of the expected tags`,
        );
    }
  });
  return { tools, turns, compact };
}

/** The uses that a tool edit clears at a request whose context is `size`. */
function clearedAt(run: FakeRun, edit: Json, index: number, size: number): FakeUse[] {
  const excluded = (edit.exclude_tools ?? []) as string[];
  const uses = run.uses.filter((use) => use.request < index && !excluded.includes(use.tool));
  const trigger = valueOf(edit.trigger, 100_000);
  const by = (edit.trigger as Json | undefined)?.type === "tool_uses" ? uses.length : size;
  const keep = valueOf(edit.keep, 3);
  if (by <= trigger || uses.length <= keep) return [];
  const candidates = uses.slice(0, uses.length - keep).filter((use) => use.request < index - 1);
  const least = valueOf(edit.clear_at_least, 0);
  if (least === 0) return candidates;
  let closed = 0;
  let batch = 0;
  candidates.forEach((use, at) => {
    batch += use.result;
    if (batch < least) return;
    closed = at + 1;
    batch = 0;
  });
  return candidates.slice(0, closed);
}

function regretsOf(run: FakeRun, clearedSince: Map<string, number>): Regret[] {
  const needed = new Set<string>();
  return run.uses.flatMap((use): Regret[] => {
    const earlier = run.uses.findLast((one) => one.label === use.label && one.request < use.request);
    const since = earlier && clearedSince.get(earlier.id);
    if (!earlier || since === undefined || since > use.request || needed.has(earlier.id)) return [];
    needed.add(earlier.id);
    return [
      {
        tool_use_id: earlier.id,
        label: earlier.label,
        tokens: earlier.result,
        cleared_at: since,
        needed_at: use.request,
        rule: use.tool === "Bash" ? "run_again" : "read_again",
        evidence: verbatim(use.label),
      },
    ];
  });
}

/** What a setting does, in words. */
function doingOf(tools: Json | null): Message {
  if (!tools) return { id: "setting_words.no_editing", args: {}, text: "no editing" };
  const args = { trigger: `${valueOf(tools.trigger, 100_000) / 1000}K`, keep: String(valueOf(tools.keep, 3)) };
  const text = `clear above ${args.trigger}, keep ${args.keep}`;
  return { id: "setting_words.clear_above_keep", args, text };
}

/** Simulation of a setting on a run. */
export function simulateRun(
  run: FakeRun,
  variant: Variant,
  shown: readonly ContextRequest[] = showRun(run).requests,
): Simulation {
  const { tools, turns, compact } = editsOf(variant);
  const clearedSince = new Map<string, number>();
  const compactions: SimulatedCompaction[] = [];
  let dropped = 0;
  let previous = 0;
  let breaks = 0;
  let writes = 0;
  let reads = 0;
  let newlyTimes = 0;
  const requests = shown.map((request): SimulatedRequest => {
    const { index, context } = request;
    const before = context;
    const thinking = turns === null ? 0 : sum(run.thinking.slice(0, Math.max(0, index - turns)));
    let size = context - thinking - dropped;
    const gone = tools ? clearedAt(run, tools, index, size) : [];
    const newly = gone.filter(({ id }) => !clearedSince.has(id));
    for (const { id } of newly) clearedSince.set(id, index);
    const freed = sum(gone.map(({ result }) => Math.max(0, result - 12)));
    size = Math.max(3000, size - freed);
    if (compact !== null && size >= compact) {
      compactions.push({
        request: index,
        tokens_before: size,
        summary: 3000,
        summary_range: [2000, 4600],
        cost_usd: (size * PRICE.read) / 1e6 + (3000 * PRICE.output) / 1e6,
        dropped_response: null,
      });
      const kept = INSTRUCTIONS + MEMORY + UNRECORDED + 3000;
      dropped += size - kept;
      size = kept;
    }
    const broken = newly.length > 0 || (turns !== null && thinking > 0 && turns !== Infinity);
    const held = broken ? Math.min(INSTRUCTIONS + MEMORY + UNRECORDED + 2000, size) : Math.min(previous, size);
    if (broken) breaks += 1;
    if (newly.length > 0) newlyTimes += 1;
    previous = size;
    reads += held;
    writes += size - held;
    const applied = gone.length
      ? [{ type: "clear_tool_uses_20250919", cleared_tool_uses: gone.length, cleared_input_tokens: freed }]
      : [];
    return {
      index,
      before,
      after: size,
      range: compactions.length > 0 ? [Math.round(size * 0.97), Math.round(size * 1.04)] : null,
      kind: compactions.length > 0 ? "estimated" : size === context ? "recorded" : "counted offline",
      cleared_tool_use_ids: newly.map(({ id }) => id),
      cleared_tool_inputs: [],
      cleared_thinking_turns: turns === null ? 0 : Math.max(0, Math.min(index - turns, index)),
      applied_edits: applied,
      cache_break_at: broken ? held : null,
      cache_read: held,
      cache_write: size - held,
      cost_usd: (held * PRICE.read + (size - held) * PRICE.write) / 1e6,
    };
  });
  const regrets = regretsOf(run, clearedSince);
  const warnings: SimulationWarning[] = [];
  if (tools && tools.clear_at_least === undefined && breaks > 0)
    warnings.push({
      code: "no_clear_at_least",
      message: verbatim(`Without clear_at_least this trigger would break the cache ${breaks} times.`),
    });
  const cost = sum(requests.map(({ cost_usd }) => cost_usd ?? 0)) + (sum(run.text) * PRICE.output) / 1e6;
  const kinds = requests.map(({ kind }) => kind);
  return {
    transcript: run.id,
    name: variant.name,
    what: doingOf(tools),
    in_force: false,
    config: variant.config,
    model: run.model,
    warnings,
    totals: {
      peak: Math.max(...requests.map(({ after }) => after)),
      input: sum(requests.map(({ after }) => after)),
      clears: newlyTimes,
      compactions: compactions.length,
      cache_writes: writes,
      cache_reads: reads,
      cache_breaks: breaks,
      cost_usd: cost + sum(compactions.map(({ cost_usd }) => cost_usd ?? 0)),
      requests_fast_without_price: 0,
      regrets: regrets.length,
      pays_back_after: newlyTimes === 0 ? null : 3.1,
      kind: kinds.includes("estimated")
        ? "estimated"
        : kinds.includes("counted offline")
          ? "counted offline"
          : "recorded",
      range_percent: kinds.includes("estimated") ? 2.1 : null,
    },
    requests,
    compactions,
    regrets,
    stopped: null,
  };
}

/** The uses a setting has cleared at a request. */
export function goneAt(run: FakeRun, variant: Variant | null, request: number): Set<string> {
  if (!variant) return new Set();
  const simulation = simulateRun(run, variant);
  return new Set(
    simulation.requests
      .filter(({ index }) => index <= request)
      .flatMap(({ cleared_tool_use_ids }) => cleared_tool_use_ids),
  );
}
