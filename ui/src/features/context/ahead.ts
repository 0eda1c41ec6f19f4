/**
 * Lines asked for ahead of time: where a slider is about to be moved, the lines of its other positions are asked for, the
 * nearest first, so that each move is answered in the frame that moves the slider. A line is the same figures as those of
 * the whole simulation, which follows.
 */
import type { SimulatedLine } from "@/bindings";
import type { Json } from "./setting";

/** Settings asked about in one call: few enough that the call is short. */
const AT_ONCE = 16;
/** Numbers kept in all lines together: 8 MB at most. */
const MAX_NUMBERS = 1_000_000;
/** At least so many lines are kept, however long they are: a few moves to either side. */
const LEAST_LINES = 32;

/** Lines by setting. */
export interface Ahead {
  /** The line of a setting, where it is known. */
  get: (config: Json) => SimulatedLine | undefined;
  /** Keeps a line. */
  keep: (config: Json, line: SimulatedLine) => void;
  /** Asks for those of these settings that are not known, in this order; what was wished before and not asked yet is dropped. */
  wish: (configs: readonly Json[]) => void;
  /** Forgets all. */
  close: () => void;
}

/** Makes the keeper of lines. `ask` gives the line of each setting, null for one that is refused. */
export function keepAhead(ask: (configs: Json[]) => Promise<(SimulatedLine | null)[]>): Ahead {
  // In the order of their use: what has not been used for longest goes first.
  const lines = new Map<string, SimulatedLine>();
  const refused = new Set<string>();
  let numbers = 0;
  let wished: Json[] = [];
  let asking = false;
  let closed = false;

  const drop = (key: string) => {
    numbers -= lines.get(key)?.after.length ?? 0;
    lines.delete(key);
  };
  const keep = (config: Json, line: SimulatedLine) => {
    const key = JSON.stringify(config);
    drop(key);
    lines.set(key, line);
    numbers += line.after.length;
    for (const oldest of lines.keys()) {
      if (numbers <= MAX_NUMBERS || lines.size <= LEAST_LINES) break;
      drop(oldest);
    }
  };
  const isNew = (config: Json) => {
    const key = JSON.stringify(config);
    return !lines.has(key) && !refused.has(key);
  };
  const next = () => {
    if (asking || closed) return;
    const batch = wished.filter(isNew).slice(0, AT_ONCE);
    wished = wished.filter((config) => !batch.includes(config));
    if (batch.length === 0) return;
    asking = true;
    ask(batch).then(
      (answers) => {
        asking = false;
        if (closed) return;
        batch.forEach((config, at) => {
          const line = answers[at];
          if (line) keep(config, line);
          else refused.add(JSON.stringify(config));
        });
        next();
      },
      () => {
        // Whatever is wrong, the simulation itself says it; without lines ahead it is only slower.
        asking = false;
        wished = [];
      },
    );
  };
  return {
    get(config) {
      const key = JSON.stringify(config);
      const line = lines.get(key);
      if (line) {
        lines.delete(key);
        lines.set(key, line);
      }
      return line;
    },
    keep,
    wish(configs) {
      wished = [...configs];
      next();
    },
    close() {
      closed = true;
      lines.clear();
      refused.clear();
      wished = [];
    },
  };
}

/** Steps to either side that are worth asking for where a slider has many. */
const MAX_STEPS = 128;

/** The positions of a slider other than its own, the nearest first; those that one key reaches come before all. */
export function positionsAround(
  value: number,
  { minValue, maxValue, step }: { minValue: number; maxValue: number; step: number },
): number[] {
  const onGrid = (at: number) => minValue + Math.round((at - minValue) / step) * step;
  const near: number[] = [];
  const above = onGrid(value + step);
  const below = onGrid(value - step);
  for (let away = 0; away < MAX_STEPS / 2; away += 1) near.push(above + away * step, below - away * step);
  const [first, second, ...others] = near;
  const all = [first!, second!, minValue, maxValue, ...others];
  return [...new Set(all)].filter((at) => at >= minValue && at <= maxValue && at !== value);
}
