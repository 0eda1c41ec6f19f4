/** Long work that a screen starts: a name for it, its progress, and the way to stop it. */
import { useState } from "react";
import { useBackend } from "./backend";
import { endProgress, type Progress, useProgress } from "./progress";

let started = 0;

function newName(prefix: string): string {
  started += 1;
  return `${prefix}-${Date.now().toString(36)}-${started}`;
}

/** Long work. */
export interface Job {
  /** Name of the run that is going on; null when none is. */
  name: string | null;
  /** Its progress. */
  progress: Progress | null;
  /** Runs work under a new name. */
  run: (work: (name: string) => Promise<void>) => Promise<void>;
  /** Asks the program to stop it; it then answers with what it has. */
  cancel: () => void;
}

/** Long work with a name of its own. */
export function useJob(prefix: string): Job {
  const backend = useBackend();
  const [name, setName] = useState<string | null>(null);
  const progress = useProgress(name);
  return {
    name,
    progress,
    async run(work) {
      const own = newName(prefix);
      setName(own);
      try {
        await work(own);
      } finally {
        endProgress(own);
        setName(null);
      }
    },
    cancel() {
      // A job that has just ended cannot be stopped; its answer is on its way then.
      if (name !== null) backend.call("cancel", { job: name }).catch(() => undefined);
    },
  };
}

/** Work that a read starts by itself, under a name that stays as long as its component does. */
export function useReadJob(prefix: string): Pick<Job, "progress" | "cancel"> & { name: string } {
  const backend = useBackend();
  const [name] = useState(() => newName(prefix));
  const progress = useProgress(name);
  return {
    name,
    progress,
    cancel() {
      endProgress(name);
      backend.call("cancel", { job: name }).catch(() => undefined);
    },
  };
}
