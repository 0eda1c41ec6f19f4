/** Hands Markdown to a worker, and breaks it off when it takes too long or nobody waits for it any more. */
import { LIMITS, type Outcome } from "./markdown-tree";

/** True if there are workers. Without them the text is parsed where it is shown. */
export const hasWorkers = (): boolean => typeof Worker !== "undefined";

/** One that has nothing to do; the next job takes it. */
let idle: Worker | null = null;

function worker(): Worker {
  const found = idle ?? new Worker(new URL("./markdown.worker.ts", import.meta.url), { type: "module" });
  idle = null;
  return found;
}

/** Parses a text; `done` is called once, unless the returned function is called before. */
export function parseElsewhere(text: string, done: (outcome: Outcome) => void): () => void {
  let job: Worker | null = null;
  const end = (outcome: Outcome | null, reusable = false) => {
    if (!job) return;
    window.clearTimeout(timer);
    job.onmessage = job.onerror = null;
    if (reusable && idle === null) idle = job;
    else job.terminate();
    job = null;
    if (outcome) done(outcome);
  };
  const timer = window.setTimeout(() => end({ refused: "costly" }), LIMITS.milliseconds);
  job = worker();
  job.onmessage = ({ data }: MessageEvent<Outcome>) => end(data, true);
  // Its code could not be loaded, or it ran out of memory.
  job.onerror = () => end({ refused: "failed" });
  job.postMessage(text);
  return () => end(null);
}
