/** What the variants would do, kept in step with them: each variant is simulated again as soon as it changes. */
import { useEffect, useMemo } from "react";
import type { Simulation } from "@/bindings";
import type { Backend } from "@/host";
import { useBackend } from "@/state/backend";
import { observable, useObservable } from "@/state/observable";
import type { BenchVariant, Letter } from "./lab";
import { type Latest, latest } from "./latest";
import { type Json, sameSetting } from "./setting";

/** What is known about one variant. */
export interface Forecast {
  /** The newest answer; it stays while a newer one is on its way, and while the setting is not valid. */
  simulation: Simulation | null;
  /** Why the newest setting has no answer; null when it has one or will. */
  error: unknown;
  /** Whether the answer is of an older setting. */
  stale: boolean;
  /** How long the newest answer took, in milliseconds. */
  milliseconds: number | null;
}

/** Forecasts by letter. */
export type Forecasts = Partial<Record<Letter, Forecast>>;

const NOTHING: Forecast = { simulation: null, error: null, stale: true, milliseconds: null };

/** Simulates the variants of one transcript. */
export interface Desk {
  /** What is known. */
  forecasts: ReturnType<typeof observable<Forecasts>>;
  /** Takes the variants as they are now; asks about those that changed. */
  follow: (variants: readonly BenchVariant[]) => void;
  /** Forgets all. */
  close: () => void;
}

/** Makes a desk. `run` asks the program about one setting, `now` gives milliseconds. */
export function openDesk(run: (config: Json) => Promise<Simulation>, now: () => number): Desk {
  const forecasts = observable<Forecasts>({});
  const runners = new Map<Letter, { runner: Latest<Json>; asked: Json }>();
  const tell = (letter: Letter, patch: Partial<Forecast>) => {
    const known = forecasts.get();
    forecasts.set({ ...known, [letter]: { ...(known[letter] ?? NOTHING), ...patch } });
  };
  const makeRunner = (letter: Letter) => {
    let begun = 0;
    return latest<Json, Simulation>(
      (config) => {
        begun = now();
        return run(config);
      },
      {
        done: (simulation, _config, waiting) =>
          tell(letter, { simulation, error: null, stale: waiting, milliseconds: now() - begun }),
        failed: (error, _config, waiting) => tell(letter, waiting ? {} : { error, stale: false }),
      },
    );
  };
  const drop = (letter: Letter) => {
    runners.get(letter)?.runner.stop();
    runners.delete(letter);
    const { [letter]: _gone, ...rest } = forecasts.get();
    forecasts.set(rest);
  };
  return {
    forecasts,
    follow(variants) {
      for (const letter of [...runners.keys()])
        if (!variants.some((variant) => variant.letter === letter)) drop(letter);
      for (const { letter, config } of variants) {
        const known = runners.get(letter);
        if (known && sameSetting(known.asked, config)) continue;
        const runner = known?.runner ?? makeRunner(letter);
        runners.set(letter, { runner, asked: config });
        tell(letter, { stale: true });
        runner.push(config);
      }
    },
    close() {
      for (const { runner } of runners.values()) runner.stop();
      runners.clear();
    },
  };
}

async function simulate(backend: Backend, transcript: string, config: Json): Promise<Simulation> {
  const variants = [{ name: "variant", config }];
  const { simulations } = await backend.call("context_simulate", { transcript, variants });
  const [simulation] = simulations;
  if (!simulation) throw new Error("the program answered without a simulation");
  // A run that ends early has zeros after its end; they are no requests.
  const { stopped, requests } = simulation;
  return stopped ? { ...simulation, requests: requests.slice(0, stopped.last + 1) } : simulation;
}

const milliseconds = () => performance.now();

/** The forecasts for these variants over a transcript. */
export function useForecasts(transcript: string, variants: readonly BenchVariant[]): Forecasts {
  const backend = useBackend();
  const desk = useMemo(
    () => openDesk((config) => simulate(backend, transcript, config), milliseconds),
    [backend, transcript],
  );
  useEffect(() => desk.follow(variants), [desk, variants]);
  useEffect(() => () => desk.close(), [desk]);
  return useObservable(desk.forecasts);
}
