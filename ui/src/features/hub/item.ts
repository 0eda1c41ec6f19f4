/** A version at the hub: its name, whether this machine reads its content, and what is known of it. */
import type { HubItem } from "@/bindings";
import { useHub } from "@/state/hub";
import { useRead } from "@/state/queries";
import { may } from "./rights";

/** Name of a version at the hub; several machines can have one of the same id. */
export const nameOf = (item: Pick<HubItem, "id" | "machine">) => `${item.id}@${item.machine}`;

/** True if this machine may read the contents of a machine: its own, or with its role those of all. */
export function useReads(machine: string): boolean {
  const status = useHub().data;
  if (!status) return false;
  return may(status.role, "contents") || (machine === status.machine && may(status.role, "send"));
}

/** A version with comments, reviews and, where its content may be read, findings. With `ask` false only what was read before. */
export function useShown(item: HubItem, ask = true) {
  const content = useReads(item.machine) && item.content === "kept";
  return useRead("hub_show", { version: nameOf(item), content }, { enabled: ask });
}
