/** Long work that a screen starts: a name for it, its progress, and the way to stop it. */
import { useState } from "react";
import { useBackend } from "./backend";
import { type Progress, useProgress } from "./progress";

let started = 0;

/** Long work. */
export interface Job {
  /** Name of the run that is going on; null when none is. */
  name: string | null;
  /** What it reports. */
  progress: Progress | null;
  /** Runs work under a new name. */
  run: (work: (name: string) => Promise<void>) => Promise<void>;
  /** Asks the program to stop it; it then answers with what it has. */
  cancel: () => void;
}

/** Long work with a name of its own. */
export function useJob(prefix: string): Job {
  const backend = useBackend();
  const progress = useProgress();
  const [name, setName] = useState<string | null>(null);
  return {
    name,
    progress: progress && progress.task === name ? progress : null,
    async run(work) {
      started += 1;
      const own = `${prefix}-${Date.now().toString(36)}-${started}`;
      setName(own);
      try {
        await work(own);
      } finally {
        setName(null);
      }
    },
    cancel() {
      // A job that has just ended cannot be stopped; its answer is on its way then.
      if (name !== null) backend.call("cancel", { job: name }).catch(() => undefined);
    },
  };
}
