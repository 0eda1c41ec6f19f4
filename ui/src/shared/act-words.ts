/** Words of acts that depend on what they do. */
import type { ActResult } from "@/bindings";

/** True if an act brings back what was deleted, and does nothing else: that is put back, anything else is rolled back. */
export function putsBack(result: Pick<ActResult, "writes" | "deletes"> | null | undefined): boolean {
  if (!result || result.writes.length === 0 || result.deletes.length > 0) return false;
  return result.writes.every(({ from_sha256 }) => from_sha256 === null);
}
