/** The Context lab over recorded runs; what a person saves, and whether there is a key, is kept here. */
import type { CounterStatus, Simulation, Transcripts, Turn, Variant } from "@/bindings";
import type { CommandName, Request, Response } from "@/host/backend";
import { isRecorded, recorded } from "./fixtures";
import { refuse } from "./log";

type Handlers = { [K in CommandName]?: (request: Request<K>) => Response<K> };

/** State of the lab's fake, for tests to change. */
export interface FakeLab {
  /** The runs and the state of their index. */
  transcripts: Transcripts;
  /** Saved settings. */
  variants: Variant[];
  /** The counter. */
  counter: CounterStatus;
}

/** A lab with the recorded runs. */
export function newLab(): FakeLab {
  const config = { edits: [{ type: "clear_tool_uses_20250919" }] };
  return {
    transcripts: recorded("transcripts"),
    variants: [{ name: "default 100k", config }],
    counter: { ...recorded("counter_status"), keyring: true },
  };
}

/** How a setting is named in recordings. */
const plain = ({ config }: Variant): Variant => ({ name: "variant", config });

function simulate(transcript: string, variant: Variant): Simulation {
  const [simulation] = recorded("context_simulate", { transcript, variants: [plain(variant)] }).simulations;
  return { ...simulation!, name: variant.name };
}

/** The line of a setting; null where nothing is recorded, as where the program refuses it. */
function lineOf(transcript: string, variant: Variant): Response<"context_lines">["lines"][number] {
  if (!isRecorded("context_simulate", { transcript, variants: [plain(variant)] })) return null;
  try {
    const { requests, compactions, regrets } = simulate(transcript, variant);
    const clearing = requests.filter(({ cleared_tool_use_ids: ids }) => ids.length > 0);
    return {
      after: requests.map(({ after }) => after),
      cleared: clearing.map(({ index }) => index),
      thinking: [],
      compacted: compactions.map(({ request }) => request),
      needed_again: [...new Set(regrets.map(({ needed_at }) => needed_at))].sort((a, b) => a - b),
    };
  } catch {
    return null;
  }
}

/** The messages of a recorded request that hold a text. */
function found({ transcript, request, variant, find, limit }: Request<"context_turn">): Turn {
  const asked = { transcript, request, limit, variant: variant ? plain(variant) : null };
  const turn = recorded("context_turn", asked as Request<"context_turn">);
  const holds = ({ blocks }: Turn["messages"][number]) =>
    blocks.some(({ text }) => text.toLowerCase().includes((find ?? "").toLowerCase()));
  const messages = turn.messages.filter(holds);
  return { ...turn, messages, preamble: turn.preamble.filter(holds), total: find ? messages.length : turn.total };
}

/** The commands that keep something, or take a recording apart; the rest of the lab is only recorded. */
export function labHandlers(lab: FakeLab): Handlers {
  return {
    transcripts: () => structuredClone(lab.transcripts),
    context_simulate: ({ transcript = "", variants = [] }) => ({
      simulations: variants.map((variant) => simulate(transcript, variant)),
      in_force: null,
    }),
    context_lines: ({ transcript = "", variants = [] }) => ({
      lines: variants.map((variant) => lineOf(transcript, variant)),
    }),
    context_turn: found,
    context_export: (request) => recorded("context_export", { ...request, variant: plain(request.variant!) }),
    context_confirm: ({ agreed = false, ...request }) => {
      const { plan } = recorded("context_confirm", { ...request, variant: plain(request.variant!) });
      plan.key_source = lab.counter.key_source;
      if (!agreed) return { plan, points: [], cancelled: false };
      if (plan.key_source === null) refuse("counter_unavailable", "There is no key.");
      const { requests } = simulate(request.transcript!, request.variant!);
      const url = `${plan.base_url}/v1/messages/count_tokens`;
      const call = { at: "2026-11-20T10:00:00Z", purpose: "count_tokens", url, bytes: plan.bytes, status: 200 };
      lab.counter.calls.unshift(...plan.requests.map(() => call));
      const points = plan.requests.map((at) => {
        const [forecast_before, forecast_after] = [requests[at]!.before, requests[at]!.after];
        const exact = { exact_before: forecast_before + 90, exact_after: forecast_after + 60, error_percent: -0.2 };
        return { request: at, forecast_before, forecast_after, ...exact, problem: null, cached: false };
      });
      return { plan, points, cancelled: false };
    },
    variants: () => ({ variants: [...lab.variants] }),
    save_variant: ({ name = "", config = {} }) => {
      lab.variants = [...lab.variants.filter((one) => one.name !== name), { name, config }];
      return { variants: lab.variants };
    },
    remove_variant: ({ name = "" }) => {
      lab.variants = lab.variants.filter((one) => one.name !== name);
      return { variants: lab.variants };
    },
    counter_status: () => structuredClone(lab.counter),
    set_counter_key: ({ remove = false }) => {
      lab.counter.key_source = remove ? null : "keyring";
      return structuredClone(lab.counter);
    },
    cancel: () => ({ cancelled: true }),
  };
}
