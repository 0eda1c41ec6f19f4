/**
 * The variants that stand side by side. They outlive the screen, so that one can go elsewhere and come back; what is to
 * outlive the window is saved in the program.
 */
import type { Message, Variant } from "@/bindings";
import { observable, useObservable, useObservableLater } from "@/state/observable";
import { FIRST_CONFIG, type Json } from "./setting";

/** Letters of the variants, the first being "no editing". */
export const LETTERS = ["A", "B", "C", "D"] as const;
/** One of [`LETTERS`]. */
export type Letter = (typeof LETTERS)[number];

/** A variant on the bench. */
export interface BenchVariant {
  /** Its letter: stays with it, gives it its line. */
  letter: Letter;
  /** The name a person gave it; empty for one that is named by what it does. */
  name: string;
  /** The setting. */
  config: Json;
  /** True while what is typed as its JSON cannot be read; `config` is then the last that could. */
  unread?: boolean;
}

/** What the variants do, in the words of the program, by letter: it follows each answer. */
export const doings = observable<Partial<Record<Letter, Message>>>({});

/** Notes what a variant does. */
export function noteDoing(letter: Letter, what: Message | null): void {
  const known = doings.get();
  if (known[letter]?.text === what?.text) return;
  const { [letter]: _was, ...rest } = known;
  doings.set(what ? { ...rest, [letter]: what } : rest);
}

/** A variant as the program takes it. One without a name goes by what it does, in English, as settings are written. */
export function plainVariant({ letter, name, config }: BenchVariant): Variant {
  return { name: name.trim() || doings.get()[letter]?.text || letter, config };
}

/** The bench. */
export interface Bench {
  /** The variants, A first. */
  variants: readonly BenchVariant[];
  /** The one that is edited and drawn filled. */
  chosen: Letter;
}

/** Letter of what ran: the setting in force, else no editing. It is always there and cannot be changed. */
export const BASE: Letter = "A";

/** The bench of a new window. */
export function newBench(): Bench {
  return {
    variants: [
      { letter: BASE, name: "", config: {} },
      { letter: "B", name: "", config: FIRST_CONFIG },
    ],
    chosen: "B",
  };
}

/** The bench, for what follows it outside of components. */
export const bench = observable<Bench>(newBench());

/** The bench, followed at once: for what is being touched. */
export function useBench(): Bench {
  return useObservable(bench);
}

/** The bench, followed without hurry: for all that can wait a frame. */
export function useBenchLater(): Bench {
  return useObservableLater(bench);
}

/** Puts the bench back to how a new window has it; for tests. */
export function resetBench(): void {
  doings.set({});
  bench.set(newBench());
}

/** The first letter that is free; null when four variants stand there. */
export function freeLetter({ variants }: Bench): Letter | null {
  return LETTERS.find((letter) => !variants.some((variant) => variant.letter === letter)) ?? null;
}

function change(step: (bench: Bench) => Bench): void {
  bench.set(step(bench.get()));
}

const inOrder = (variants: readonly BenchVariant[]) =>
  [...variants].sort((a, b) => LETTERS.indexOf(a.letter) - LETTERS.indexOf(b.letter));

/** Chooses a variant. */
export function choose(letter: Letter): void {
  change((now) => ({ ...now, chosen: letter }));
}

/** Adds a variant and chooses it. False when there is no room. */
export function add(variant: Variant): boolean {
  const letter = freeLetter(bench.get());
  if (!letter) return false;
  const added: BenchVariant = { letter, name: variant.name, config: variant.config as Json };
  change((now) => ({ variants: inOrder([...now.variants, added]), chosen: letter }));
  return true;
}

/** Changes a variant other than the one without editing. */
export function edit(letter: Letter, patch: Partial<Pick<BenchVariant, "name" | "config" | "unread">>): void {
  if (letter === BASE) return;
  change((now) => ({
    ...now,
    variants: now.variants.map((variant) => (variant.letter === letter ? { ...variant, ...patch } : variant)),
  }));
}

/** Changes the setting of a variant other than the one without editing. */
export function editConfig(letter: Letter, step: (config: Json) => Json): void {
  const known = bench.get().variants.find((variant) => variant.letter === letter);
  if (known) edit(letter, { config: step(known.config) });
}

/** Takes a variant off, and chooses the one before it. */
export function remove(letter: Letter): void {
  if (letter === BASE) return;
  change((now) => {
    const at = now.variants.findIndex((variant) => variant.letter === letter);
    const variants = now.variants.filter((variant) => variant.letter !== letter);
    const chosen = now.chosen === letter ? (variants[Math.max(0, at - 1)]?.letter ?? BASE) : now.chosen;
    return { variants, chosen };
  });
}

/** Puts a saved variant on the bench: in the chosen place where there is no room, else in a new one. */
export function put(variant: Variant): void {
  const { chosen } = bench.get();
  if (add(variant)) return;
  const place = chosen === BASE ? LETTERS[LETTERS.length - 1]! : chosen;
  edit(place, { name: variant.name, config: variant.config as Json });
  choose(place);
}
