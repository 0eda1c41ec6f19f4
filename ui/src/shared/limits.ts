/** True for indexes that an agent loads only up to a limit. Where that is, the program measures. */
import { fileName } from "./text";

/** Store kinds that load an index in this way. */
const KINDS_WITH_LIMIT = new Set(["claude-auto", "claude-agent"]);

/** True if a file is an index that is loaded only up to the limits. */
export function isLimitedIndex(path: string, storeKind: string): boolean {
  return fileName(path) === "MEMORY.md" && KINDS_WITH_LIMIT.has(storeKind);
}
