/**
 * Simulations of the variants, kept in step with them: each variant is simulated again as soon as it changes. What the
 * chart draws is known sooner, from the lines that were asked for ahead of a slider.
 */
import { createContext, useContext, useEffect, useMemo } from "react";
import type { SimulatedLine, Simulation } from "@/bindings";
import { ApiFailure, type Backend } from "@/host";
import { useBackend } from "@/state/backend";
import { observable } from "@/state/observable";
import { type Ahead, keepAhead } from "./ahead";
import { type Assumed, AS_RECORDED, assumed, sameAssumed } from "./assumed";
import { lineOf } from "./chart";
import { BASE, bench, type BenchVariant, type Letter, noteDoing } from "./lab";
import { type Latest, latest } from "./latest";
import { type Json, sameSetting } from "./setting";

/** Forecast of one variant. */
export interface Forecast {
  /** The newest answer; it stays while a newer one is on its way. Null while the setting has an error. */
  simulation: Simulation | null;
  /** Why the newest setting has no answer; null when it has one or will. */
  error: unknown;
  /** True if the answer is of an older setting. */
  stale: boolean;
  /** Time of the newest answer, in milliseconds. */
  milliseconds: number | null;
  /** Of what ran under a setting in force: the same without editing. */
  without?: Simulation | null;
}

/** Forecasts by letter. */
export type Forecasts = Partial<Record<Letter, Forecast>>;

/** Chart lines, by letter. */
export type Lines = Partial<Record<Letter, SimulatedLine>>;

/** The error of a setting whose text cannot be read. */
export const UNREAD = Symbol("unread");

/** True for an error that lies in the setting, and not in the way to its answer. */
export const isOfSetting = (error: unknown): boolean =>
  error === UNREAD || (error instanceof ApiFailure && error.error.code === "invalid");

const NOTHING: Forecast = { simulation: null, error: null, stale: true, milliseconds: null };

/** Simulates the variants of one transcript. */
export interface Desk {
  /** Forecasts. */
  forecasts: ReturnType<typeof observable<Forecasts>>;
  /** Chart lines: never behind `forecasts`, and ahead of it where the line of the newest setting is known. */
  lines: ReturnType<typeof observable<Lines>>;
  /** Takes the variants as they are now, and what is assumed; asks about those that changed. */
  follow: (variants: readonly BenchVariant[], assumed?: Assumed) => void;
  /** Asks for the lines of settings that are likely to come next, the likeliest first. */
  wish: (configs: readonly Json[]) => void;
  /** Forgets all. */
  close: () => void;
}

/** Commands that a desk uses. */
export interface Program {
  /** Simulates one setting. */
  run: (config: Json, assumed: Assumed) => Promise<Simulation>;
  /** What ran, and where that was under a setting the same without editing. */
  ran: (assumed: Assumed) => Promise<Ran>;
  /** The line of each setting; null for those that would be refused. */
  lines: (configs: Json[], assumed: Assumed) => Promise<(SimulatedLine | null)[]>;
}

/** What ran. */
export interface Ran {
  /** It. */
  simulation: Simulation;
  /** Without editing, where a setting was in force. */
  without: Simulation | null;
}

/** Makes a desk. `now` gives milliseconds. */
export function openDesk(program: Program, now: () => number): Desk {
  const forecasts = observable<Forecasts>({});
  const lines = observable<Lines>({});
  const runners = new Map<Letter, { runner: Latest<Json>; asked: Json }>();
  let taken = AS_RECORDED;
  const makeAhead = (): Ahead => keepAhead((configs) => program.lines(configs, taken));
  let ahead = makeAhead();

  const tell = (letter: Letter, patch: Partial<Forecast>) => {
    const known = forecasts.get();
    forecasts.set({ ...known, [letter]: { ...(known[letter] ?? NOTHING), ...patch } });
  };
  const draw = (letter: Letter, line: SimulatedLine) => {
    if (lines.get()[letter] !== line) lines.set({ ...lines.get(), [letter]: line });
  };
  const erase = (letter: Letter) => {
    const { [letter]: _line, ...others } = lines.get();
    lines.set(others);
  };
  /** Takes the figures of a variant away: those of an earlier setting under its name would be taken for its own. */
  const takeAway = (letter: Letter, error: unknown) => {
    if (forecasts.get()[letter]?.error === error) return;
    noteDoing(letter, null);
    tell(letter, { simulation: null, without: null, error, stale: false, milliseconds: null });
    erase(letter);
  };
  /** Draws an answer, unless the line of the newest setting is there already. */
  const drawAnswer = (letter: Letter, config: Json, simulation: Simulation) => {
    // What ran stands under no setting of a variant.
    if (letter === BASE) return draw(letter, lineOf(simulation));
    if (!ahead.get(config)) ahead.keep(config, lineOf(simulation));
    const newest = ahead.get(runners.get(letter)?.asked ?? config);
    draw(letter, newest ?? ahead.get(config) ?? lineOf(simulation));
  };
  const makeRunner = (letter: Letter) => {
    let begun = 0;
    return latest<Json, Ran>(
      (config) => {
        begun = now();
        if (letter === BASE) return program.ran(taken);
        return program.run(config, taken).then((simulation) => ({ simulation, without: null }));
      },
      {
        done: ({ simulation, without }, config, waiting) => {
          drawAnswer(letter, config, simulation);
          noteDoing(letter, simulation.what);
          tell(letter, { simulation, without, error: null, stale: waiting, milliseconds: now() - begun });
        },
        failed: (error, _config, waiting) => {
          if (!waiting) takeAway(letter, error);
        },
      },
    );
  };
  const forget = (letter: Letter) => {
    runners.get(letter)?.runner.stop();
    runners.delete(letter);
  };
  const drop = (letter: Letter) => {
    forget(letter);
    const { [letter]: _gone, ...rest } = forecasts.get();
    forecasts.set(rest);
    erase(letter);
  };
  const assume = (next: Assumed) => {
    if (sameAssumed(taken, next)) return;
    taken = next;
    ahead.close();
    ahead = makeAhead();
    // The answers stay until new ones come; none that is on its way counts any more.
    for (const letter of [...runners.keys()]) forget(letter);
  };
  return {
    forecasts,
    lines,
    follow(variants, now = taken) {
      assume(now);
      for (const letter of [...runners.keys()])
        if (!variants.some((variant) => variant.letter === letter)) drop(letter);
      for (const { letter, config, unread } of variants) {
        if (unread) {
          forget(letter);
          takeAway(letter, UNREAD);
          continue;
        }
        const known = runners.get(letter);
        if (known && sameSetting(known.asked, config)) continue;
        const runner = known?.runner ?? makeRunner(letter);
        runners.set(letter, { runner, asked: config });
        const line = letter === BASE ? undefined : ahead.get(config);
        if (line) draw(letter, line);
        tell(letter, { stale: true });
        runner.push(config);
      }
    },
    wish: (configs) => ahead.wish(configs),
    close() {
      for (const { runner } of runners.values()) runner.stop();
      runners.clear();
      ahead.close();
    },
  };
}

/** A run that ends early has zeros after its end; they are no requests. */
function whole(simulation: Simulation): Simulation {
  const { stopped, requests } = simulation;
  return stopped ? { ...simulation, requests: requests.slice(0, stopped.last + 1) } : simulation;
}

async function simulate(backend: Backend, transcript: string, config: Json, assumed: Assumed): Promise<Simulation> {
  const variants = [{ name: "variant", config }];
  const { simulations } = await backend.call("context_simulate", { transcript, variants, ...assumed });
  const [simulation] = simulations;
  if (!simulation) throw new Error("the program answered without a simulation");
  return whole(simulation);
}

async function asItRan(backend: Backend, transcript: string, assumed: Assumed): Promise<Ran> {
  const request = { transcript, variants: [{ name: "no editing", config: {} }], in_force: true, ...assumed };
  const { simulations, in_force: ran } = await backend.call("context_simulate", request);
  const [none] = simulations;
  if (!none) throw new Error("the program answered without a simulation");
  return ran ? { simulation: whole(ran), without: whole(none) } : { simulation: whole(none), without: null };
}

async function linesOf(
  backend: Backend,
  transcript: string,
  configs: readonly Json[],
  assumed: Assumed,
): Promise<(SimulatedLine | null)[]> {
  const variants = configs.map((config, at) => ({ name: String(at), config }));
  const { lines } = await backend.call("context_lines", { transcript, variants, ...assumed });
  return lines;
}

const milliseconds = () => performance.now();

/** The desk of a transcript, following the bench. */
export function useDesk(transcript: string): Desk {
  const backend = useBackend();
  const desk = useMemo(() => {
    const program: Program = {
      run: (config, assumed) => simulate(backend, transcript, config, assumed),
      ran: (assumed) => asItRan(backend, transcript, assumed),
      lines: (configs, assumed) => linesOf(backend, transcript, configs, assumed),
    };
    return openDesk(program, milliseconds);
  }, [backend, transcript]);
  useEffect(() => {
    // Followed beside the components, so that a line that is known is drawn with the move itself.
    const follow = () => desk.follow(bench.get().variants, assumed.get());
    follow();
    const stops = [bench.watch(follow), assumed.watch(follow)];
    return () => {
      for (const stop of stops) stop();
      desk.close();
    };
  }, [desk]);
  return desk;
}

const DeskContext = createContext<Desk | null>(null);
/** Gives the desk to the fields of the form. */
export const DeskProvider = DeskContext.Provider;

/** Asks for lines ahead of a slider. Outside of the lab it does nothing. */
export function useWish(): (configs: readonly Json[]) => void {
  const desk = useContext(DeskContext);
  return useMemo(() => desk?.wish ?? (() => undefined), [desk]);
}
