import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";

/** Handlers for `betaMemoryTool`, each call of which `retrace memory-tool` does and records. */
export interface RetraceMemory extends MemoryToolHandlers {
  /** The calls from now on are made after `prompt`, in the `turn`-th turn of the session. */
  after(prompt: string, options?: { turn?: number }): void;
  /** Ends the process. What was answered is on disk and recorded. */
  close(): Promise<void>;
}

/** `root` is what the model sees as /memories, `session` the author of what is written, `program` where `retrace` is. */
export function retraceMemory(root: string, options?: { session?: string; program?: string }): RetraceMemory;
