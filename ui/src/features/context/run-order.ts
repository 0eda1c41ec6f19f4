/** The order of the list of runs. */
import type { TranscriptsReq } from "@/bindings";
import { observable } from "@/state/observable";

/** Orders of the list. */
export type RunOrder = NonNullable<TranscriptsReq["sort"]>;

/** The order outlives the screen, so that one can go elsewhere and come back. */
export const runOrder = observable<RunOrder>("cost");

/** Puts the order back to how a new window has it; for tests. */
export function resetRunOrder(): void {
  runOrder.set("cost");
}
