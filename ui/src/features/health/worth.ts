/** The order in which memories are listed by what they cost and do. */
import type { MemoryWorth } from "@/bindings";

/** Orders: the program's own, in which what costs and does nothing comes first; by price; by sessions that had it. */
export const WORTH_ORDERS = ["effect", "cost", "present"] as const;
/** One of [`WORTH_ORDERS`]. */
export type WorthOrder = (typeof WORTH_ORDERS)[number];

const shareOf = ({ present, sessions }: MemoryWorth) => (sessions === 0 ? 0 : present / sessions);

/** Memories in an order. */
export function inOrder(memories: readonly MemoryWorth[], order: WorthOrder): readonly MemoryWorth[] {
  if (order === "effect") return memories;
  const costOf = ({ cost_usd_per_session: money }: MemoryWorth) => money ?? 0;
  return [...memories].sort((one, other) =>
    order === "cost"
      ? costOf(other) - costOf(one) || other.tokens_per_session - one.tokens_per_session
      : shareOf(one) - shareOf(other) || one.present - other.present,
  );
}
