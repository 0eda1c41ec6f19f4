/** The commands of the context lab over made-up runs. */
import { verbatim } from "./verbatim";
import type {
  Composition,
  ConfirmPlan,
  CounterStatus,
  Event,
  NamedTokens,
  Recommendation,
  SimulatedLine,
  Simulation,
  Sweep,
  SweepPoint,
  Transcripts,
  TranscriptRow,
  Turn,
  TurnBlock,
  TurnMessage,
  Variant,
} from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { type FakeRun, goneAt, makeRun, showRun, simulateRun } from "./lab-run";
import { refuse } from "./log";

type LabCommand = Extract<
  CommandName,
  `context_${string}` | `${string}_variant` | "transcripts" | "tokens" | "prices" | "variants" | CounterCommand
>;
type CounterCommand = "counter_status" | "set_counter_key" | "cancel";
type LabHandlers = {
  [K in LabCommand]: (request: Request<K>) => Response<K>;
};

/** State of the lab's fake, for tests to change. */
export interface FakeLab {
  /** The runs, newest first. */
  runs: FakeRun[];
  /** Saved settings. */
  variants: Variant[];
  /** State of the index. */
  index: Transcripts["index"];
  /** Files that could not be read. */
  problems: Transcripts["problems"];
  /** The counter. */
  counter: CounterStatus;
  /** True if responses of the first run report edits. */
  deployed: boolean;
  /** The setting that was in force; null for none. */
  inForce: Variant | null;
}

const AS_IT_RAN = verbatim("as it ran: clear above 30K, keep 3");

/** The best of a sweep of one run, by price with a mean request for each result read again. */
function recommend(run: FakeRun): Recommendation {
  const value = (numbers: number[]) => ({ grid: numbers });
  const trigger = { type: "input_tokens", value: value([20_000, 30_000, 40_000, 60_000]) };
  const keep = { type: "tool_uses", value: value([3, 5, 10]) };
  const { points } = sweep([run], { edits: [{ type: "clear_tool_uses_20250919", trigger, keep }] }, () => undefined);
  const baseline = points[0]!;
  // By input: the made-up cache would leave nothing to recommend.
  const each = baseline.input / run.requests;
  const paid = (point: SweepPoint) => point.input + point.regrets * each;
  const [first] = points.slice(1).sort((a, b) => paid(a) - paid(b));
  const best = first && paid(first) < paid(baseline) * 0.99 ? first : null;
  return {
    transcript: run.id,
    best,
    baseline,
    input_change: best ? best.input / baseline.input - 1 : null,
    cost_change_usd: best ? best.cost_usd! - baseline.cost_usd! : null,
    read_again: best?.regrets ?? 0,
    why: [verbatim(best ? "It costs least." : "None of 12 settings saves a hundredth.")],
    tried: points.length - 1,
    points,
    cancelled: false,
    warnings: [],
    requests_fast_without_price: 0,
  };
}

/** A lab with three runs. */
export function newLab(): FakeLab {
  return {
    runs: [
      makeRun("8c41f0de", "move the berth tables to the new schema", "/home/ada/harbour", 143, 7),
      makeRun("31b7a220", "find out why the tide test fails", "/home/ada/harbour", 46, 21),
      { ...makeRun("d02e9b51", "write the lamp schedule", "/home/ada/lighthouse", 18, 3), recorded: true },
    ],
    variants: [{ name: "default 100k", config: { edits: [{ type: "clear_tool_uses_20250919" }] } }],
    index: { running: false, done: 3, total: 3, updated_at: "2026-11-20T10:00:00Z" },
    problems: [],
    counter: { base_url: "https://api.anthropic.com", key_source: null, keyring: true, calls: [] },
    deployed: false,
    inForce: null,
  };
}

function rowFor(run: FakeRun): TranscriptRow {
  const show = showRun(run);
  return {
    id: run.id,
    short_id: run.id.slice(0, 8),
    path: show.path,
    format: show.format,
    title: run.title,
    project: run.project,
    models: [run.model],
    requests: run.requests,
    peak: Math.max(...show.requests.map(({ context }) => context)),
    cost_usd: show.cost_usd,
    client_cost_usd: null,
    peak_kind: "recorded",
    cost_is_lower_bound: show.cost_is_lower_bound,
    requests_with_placeholder_output: show.requests_with_placeholder_output,
    requests_fast_without_price: show.requests_fast_without_price,
    compactions: 0,
    memory_writes: 2,
    started_at: show.requests[0]?.time ?? null,
    ended_at: show.requests.at(-1)?.time ?? null,
    bytes: run.requests * 4096,
    subagents: [],
    malformed_lines: 0,
    unknown_lines: 0,
  };
}

const named = (list: { name: string; tokens: number }[]): NamedTokens[] => {
  const sums = new Map<string, NamedTokens>();
  for (const { name, tokens } of list) {
    const known = sums.get(name) ?? { name, count: 0, tokens: 0 };
    sums.set(name, { name, count: known.count + 1, tokens: known.tokens + tokens });
  }
  return [...sums.values()].sort((a, b) => b.tokens - a.tokens);
};

function composition(run: FakeRun, request: number): Composition {
  const show = showRun(run);
  const at = show.requests[request] ?? refuse("not_found", `There is no request ${request}.`);
  const uses = run.uses.filter((use) => use.request < request);
  return {
    request,
    context: at.context,
    kind: at.kind,
    classes: at.classes,
    files: show.memory_files.map(({ path, tokens }) => ({ name: path, count: 1, tokens })),
    tool_results: named(uses.map(({ tool, result }) => ({ name: tool, tokens: result }))),
    tool_inputs: named(uses.map(({ tool, input }) => ({ name: tool, tokens: input }))),
    system_prompt: 0,
    tools: [],
    attachments: [],
    rests_on: at.rests_on,
    largest: [...uses]
      .sort((a, b) => b.result - a.result)
      .slice(0, 5)
      .map(({ label, result, request: since }) => ({ label, tokens: result, since_request: since + 1 })),
  };
}

const block = (part: Partial<TurnBlock>): TurnBlock => ({
  block: "text",
  name: "",
  tool_use_id: null,
  text: "",
  cut: false,
  is_error: false,
  tokens: 1,
  cleared: false,
  ...part,
});

function messagesOf(run: FakeRun, request: number, gone: Set<string>): TurnMessage[] {
  const message = (position: number, part: Partial<TurnMessage>): TurnMessage => ({
    position,
    role: "user",
    origin: "typed",
    time: null,
    line: position + 1,
    answer: false,
    blocks: [],
    ...part,
  });
  const out = [message(0, { blocks: [block({ text: `${run.title}, please\u200b`, tokens: 12 })] })];
  for (let index = 0; index <= request; index += 1) {
    const use = run.uses.find((one) => one.request === index);
    const blocks = [block({ text: `Step ${index + 1}.`, tokens: run.text[index] ?? 1 })];
    if (use)
      blocks.push(
        block({
          block: "tool_use",
          name: use.tool,
          tool_use_id: use.id,
          text: `{"what": "${use.label}"}`,
          tokens: use.input,
        }),
      );
    out.push(message(out.length, { role: "assistant", origin: "model", answer: index === request, blocks }));
    if (!use || index === request) continue;
    const result = block({
      block: "tool_result",
      name: use.tool,
      tool_use_id: use.id,
      text: `<b>result</b> of ${use.label}\nline two`,
      tokens: use.result,
      cleared: gone.has(use.id),
    });
    out.push(message(out.length, { origin: "tool_results", blocks: [result] }));
  }
  return out;
}

/** System prompt and tools of a request that is recorded. */
function preambleOf(): TurnMessage[] {
  const part = (position: number, origin: TurnMessage["origin"], blocks: TurnBlock[]): TurnMessage => ({
    position,
    role: "system",
    origin,
    time: null,
    line: 0,
    answer: false,
    blocks,
  });
  const schema = JSON.stringify({ name: "Read", input_schema: { type: "object" } }, null, 2);
  return [
    part(0, "system_prompt", [block({ text: "You keep the harbour's books.", tokens: 9 })]),
    part(1, "tools", [block({ block: "tool", name: "Read", text: schema, tokens: 21 })]),
  ];
}

const holds = (message: TurnMessage, find: string) =>
  message.blocks.some(({ text }) => text.toLowerCase().includes(find.toLowerCase()));

function turn(
  run: FakeRun,
  request: number,
  variant: Variant | null,
  from: number | null,
  limit: number,
  find: string,
): Turn {
  const { rests_on: restsOn, proved } = showRun(run).requests[request]!;
  const all = messagesOf(run, request, goneAt(run, variant, request)).filter((one) => holds(one, find));
  const start = from ?? Math.max(0, all.length - limit);
  return {
    request,
    from: start,
    total: all.length,
    preamble: restsOn === "request" ? preambleOf().filter((one) => holds(one, find)) : [],
    messages: all.slice(start, start + limit),
    source: proved === null ? null : "sdk",
    proved,
    reason: null,
  };
}

/** Every combination of the values under `grid`. */
function combinations(grid: unknown): unknown[] {
  if (Array.isArray(grid))
    return grid.reduce<unknown[][]>(
      (lists, item) => lists.flatMap((list) => combinations(item).map((one) => [...list, one])),
      [[]],
    );
  if (typeof grid !== "object" || grid === null) return [grid];
  if ("grid" in grid) return (grid as { grid: unknown[] }).grid;
  return Object.entries(grid).reduce<Record<string, unknown>[]>(
    (all, [key, value]) => all.flatMap((one) => combinations(value).map((choice) => ({ ...one, [key]: choice }))),
    [{}],
  );
}

function sweep(runs: FakeRun[], grid: unknown, progress: (done: number, total: number) => void): Sweep {
  const configs = [{}, ...combinations(grid)];
  const points = configs.map((config, at): SweepPoint => {
    const variant = { name: at === 0 ? "no setting" : `setting ${at}`, config };
    const totals = runs.map((run) => simulateRun(run, variant).totals);
    progress(at + 1, configs.length);
    const add = (pick: (one: (typeof totals)[number]) => number) => totals.reduce((sum, one) => sum + pick(one), 0);
    return {
      variant,
      peak: Math.max(...totals.map(({ peak }) => peak)),
      cost_usd: add(({ cost_usd }) => cost_usd ?? 0),
      input: add(({ input }) => input),
      regrets: add(({ regrets }) => regrets),
      clears: add(({ clears }) => clears),
      pareto: false,
      baseline: at === 0,
      in_force: false,
      what: simulateRun(runs[0]!, variant).what,
    };
  });
  const none = points[0];
  const isAsNone = (point: SweepPoint) =>
    !point.baseline && point.peak === none?.peak && point.cost_usd === none.cost_usd && point.regrets === none.regrets;
  const beats = (a: SweepPoint, b: SweepPoint) =>
    a.peak <= b.peak &&
    a.cost_usd! <= b.cost_usd! &&
    a.regrets <= b.regrets &&
    (a.peak < b.peak || a.cost_usd! < b.cost_usd! || a.regrets < b.regrets);
  for (const point of points) point.pareto = !isAsNone(point) && !points.some((other) => beats(other, point));
  return { points, transcripts: runs.length, cancelled: false, warnings: [], requests_fast_without_price: 0 };
}

/** The line of a setting; null where the program would refuse it. */
function lineOrNull(simulate: () => Simulation): SimulatedLine | null {
  try {
    const { requests, compactions, regrets } = simulate();
    const indexes = (kept: typeof requests) => kept.map(({ index }) => index);
    return {
      after: requests.map(({ after }) => after),
      cleared: indexes(requests.filter(({ cleared_tool_use_ids }) => cleared_tool_use_ids.length > 0)),
      thinking: [],
      compacted: compactions.map(({ request }) => request),
      needed_again: [...new Set(regrets.map(({ needed_at }) => needed_at))].sort((a, b) => a - b),
    };
  } catch {
    return null;
  }
}

function exported(variant: Variant, format: string): string {
  const json = JSON.stringify({ context_management: variant.config }, null, 2);
  switch (format) {
    case "json":
      return json;
    case "html":
      return `<!doctype html><title>${variant.name}</title>`;
    default:
      return `# ${format}\n${json}`;
  }
}

/** The commands over a lab. */
export function labHandlers(lab: FakeLab, emit: (event: Event) => void): LabHandlers {
  const runOf = (id = "") =>
    lab.runs.find((run) => run.id === id) ?? refuse("not_found", `There is no transcript ${id}.`, id);
  const plan = (requests: number[]): ConfirmPlan => ({
    calls: requests.length * 2,
    cached: 0,
    bytes: 412_000,
    base_url: lab.counter.base_url,
    key_source: lab.counter.key_source,
    requests,
    what: verbatim("Messages and tool results of the transcript up to these requests."),
    limits: [verbatim("The system prompt is not in the file.")],
  });
  return {
    transcripts: () => ({
      transcripts: lab.runs.map(rowFor),
      totals: {
        sessions: lab.runs.length,
        projects: 2,
        requests: 207,
        cost_usd: 6.2,
        requests_without_price: 0,
        requests_with_placeholder_output: 0,
        requests_fast_without_price: 0,
      },
      index: { ...lab.index },
      problems: lab.problems,
    }),
    tokens: ({ texts = [], model }) => ({
      counts: texts.map(({ name, text }) => ({
        file: name,
        model: model ?? "claude-sonnet-4-5",
        family: "v4.7",
        family_assumed: !model,
        tokens: Math.ceil(text.length / 4),
        kind: "counted offline" as const,
        range: null,
      })),
    }),
    context_show: ({ transcript }) => showRun(runOf(transcript)),
    context_composition: ({ transcript, request = 0 }) => composition(runOf(transcript), request),
    context_simulate({ transcript, variants = [], in_force: asked = false }) {
      const run = runOf(transcript);
      const ran = lab.inForce && asked ? { ...simulateRun(run, lab.inForce), in_force: true, what: AS_IT_RAN } : null;
      return { simulations: variants.map((variant) => simulateRun(run, variant)), in_force: ran };
    },
    context_lines({ transcript, variants = [] }) {
      const run = runOf(transcript);
      return { lines: variants.map((variant) => lineOrNull(() => simulateRun(run, variant))) };
    },
    context_turn: ({ transcript, request = 0, variant = null, from = null, limit, find }) =>
      turn(runOf(transcript), request, variant, from, limit ?? 40, find ?? ""),
    context_request: ({ transcript, at = "0" }) => ({
      index: Number(at),
      id: `msg_${at}`,
      source: null,
      proved: null,
      reason: verbatim("The client recorded nothing of this request."),
      body: { model: runOf(transcript).model, messages: [] },
      raw: null,
    }),
    context_recommend: ({ transcript }) => recommend(runOf(transcript)),
    context_sweep: ({ transcripts = [], grid, job }) =>
      sweep(transcripts.map(runOf), grid, (done, total) => job && emit({ type: "progress", task: job, done, total })),
    context_deployed: ({ transcript }) => ({
      variant: null,
      requests: lab.deployed
        ? [
            {
              index: 12,
              forecast: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_120 }],
              reported: [{ type: "clear_tool_uses_20250919", cleared_tool_uses: 8, cleared_input_tokens: 50_000 }],
              error_percent: 0.2,
            },
          ]
        : [],
      reporting: lab.deployed && transcript === lab.runs[0]?.id ? 40 : 0,
      agreeing: lab.deployed ? 40 : 0,
    }),
    context_export: ({ variant = { name: "", config: {} }, format = "json" }) => ({
      file_name: `setting.${format}`,
      media_type: "text/plain",
      text: exported(variant, format),
    }),
    context_memory: () => ({
      files: [
        {
          path: "/home/ada/harbour/memory/MEMORY.md",
          tokens: 2050,
          partial: false,
          sessions: 3,
          cost_usd_per_session: 0.08,
          last_loaded_at: "2026-11-19T11:22:00Z",
          reasons: [{ reason: "session_start", sessions: 2 }],
        },
      ],
      sessions: 3,
      sessions_telling: 2,
      cancelled: false,
    }),
    context_confirm: ({ transcript, variant = { name: "", config: {} }, agreed = false, points }) => {
      const run = runOf(transcript);
      const simulation = simulateRun(run, variant);
      const step = Math.max(1, Math.floor(run.requests / (points ?? 4)));
      const requests = Array.from({ length: points ?? 4 }, (_, at) => Math.min(run.requests - 1, (at + 1) * step - 1));
      if (!agreed) return { plan: plan(requests), points: [], cancelled: false };
      if (lab.counter.key_source === null) refuse("counter_unavailable", "There is no key.");
      lab.counter.calls.unshift(
        ...requests.map(() => ({
          at: "2026-11-20T10:00:00Z",
          purpose: "count_tokens",
          url: `${lab.counter.base_url}/v1/messages/count_tokens`,
          bytes: 51_500,
          status: 200,
        })),
      );
      return {
        plan: plan(requests),
        points: requests.map((request) => {
          const { before, after } = simulation.requests[request]!;
          return {
            request,
            forecast_before: before,
            forecast_after: after,
            exact_before: before + 90,
            exact_after: after + 60,
            error_percent: (-60 / (after + 60)) * 100,
            problem: null,
            cached: false,
          };
        }),
        cancelled: false,
      };
    },
    prices: () => ({
      prices: [
        {
          model: "claude-sonnet-4-5",
          up_to: 200_000,
          from: null,
          window: 200_000,
          input: 3,
          output: 15,
          cache_write_5m: 3.75,
          cache_write_1h: 6,
          cache_read: 0.3,
          source: "the provider's page of prices",
          date: "2026-08-21",
        },
      ],
      own_file: "/home/ada/.local/share/retrace/prices.toml",
      own_file_problem: null,
    }),
    variants: () => ({ variants: [...lab.variants] }),
    save_variant: ({ name = "", config = {} }) => {
      if (name.trim() === "") refuse("invalid", "A saved setting needs a name.", "name");
      lab.variants = [...lab.variants.filter((one) => one.name !== name), { name, config }];
      return { variants: lab.variants };
    },
    remove_variant: ({ name = "" }) => {
      lab.variants = lab.variants.filter((one) => one.name !== name);
      return { variants: lab.variants };
    },
    counter_status: () => ({ ...lab.counter, calls: [...lab.counter.calls] }),
    set_counter_key: ({ remove = false }) => {
      lab.counter.key_source = remove ? null : "keyring";
      return { ...lab.counter };
    },
    cancel: () => ({ cancelled: true }),
  };
}
