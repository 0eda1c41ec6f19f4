/** All keys in parts, for the list that a person reads. Pure. */
import type { KeyBinding } from "@/state/keys";

/** What a key is for. */
export type KeyPurpose = "act" | "move" | "go" | "anywhere";

const ANYWHERE = new Set(["mod+k", "/", "?"]);
const MOVES = new Set(["j", "k", "shift+j", "shift+k", "[", "]", "f", "shift+f", "escape", "space"]);

function purposeOf(keys: string): KeyPurpose {
  if (ANYWHERE.has(keys)) return "anywhere";
  if (keys.startsWith("g ")) return "go";
  return MOVES.has(keys) ? "move" : "act";
}

/** The order in which they stand: what the screen does first, what is the same on all screens last. */
const ORDER: readonly KeyPurpose[] = ["act", "move", "anywhere", "go"];

/** The parts that have a key, each with its keys in the order in which they came. */
export function keyGroups<Key extends Pick<KeyBinding, "keys">>(
  all: readonly Key[],
): { purpose: KeyPurpose; keys: Key[] }[] {
  return ORDER.map((purpose) => ({ purpose, keys: all.filter(({ keys }) => purposeOf(keys) === purpose) })).filter(
    ({ keys }) => keys.length > 0,
  );
}
