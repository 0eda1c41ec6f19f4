/** Acts on mirrors and their queue; each act tells how it went. */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Pulled, QueuedChange, RemoteStore, Pushed } from "@/bindings";
import { ApiFailure } from "@/host";
import { wordsFor } from "@/shared/failure";
import { hostName } from "@/shared/hosts";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import { type Job, useJob } from "@/state/jobs";
import { navigate } from "@/state/route";
import { say } from "@/state/toasts";
import { useReports } from "./hostReports";
import { changeTitle, hostWords } from "./hostWords";

/** Acts on hosts. */
export interface HostActs {
  /** The pull that is going on, if one is. */
  pulling: Job;
  /** The push that is going on, if one is. */
  pushing: Job;
  /** Mirrors what is new; without a mirror, of all. With `full`, all versions are searched for redacted ones. */
  pull: (row: RemoteStore | null, full?: boolean) => Promise<Pulled | null>;
  /** Sends what is queued; without a mirror, of all. */
  push: (row: Pick<RemoteStore, "store_id"> | null) => Promise<Pushed | null>;
  /** Takes queued changes back. */
  withdraw: (changes: readonly QueuedChange[]) => Promise<void>;
  /** Queues a change once more, over the version that was seen there; null where nothing is there. */
  retry: (change: QueuedChange, over: string | null) => Promise<void>;
  /** Queues that a store be archived at its host. */
  archive: (row: RemoteStore) => Promise<void>;
  /** Ends a mirror. */
  remove: (row: RemoteStore) => Promise<void>;
  /** Goes to redacting here what the host redacted. */
  redactHere: (row: RemoteStore) => void;
}

/** What went wrong at a host; the advice of the program comes before that of its code. */
function hostActWords(cause: unknown) {
  const [own, usual] = [hostWords(cause), wordsFor(cause)];
  const advised = cause instanceof ApiFailure && cause.error.hint !== "";
  return { ...usual, title: own?.title ?? usual.title, next: advised ? usual.next : (own?.next ?? usual.next) };
}

/** The acts. */
export function useHostActs(): HostActs {
  const { t } = useLingui();
  const backend = useBackend();
  const pulling = useJob("pull");
  const pushing = useJob("push");
  const { sayPulled, sayPushed } = useReports();

  const reporting = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (cause) {
      sayFailed(cause, hostActWords);
      return null;
    }
  };
  const pull = async (row: RemoteStore | null, full = false) => {
    let pulled: Pulled | null = null;
    await reporting(() =>
      pulling.run(async (job) => {
        const answer = await backend.call("pull_remote", { store: row?.store_id ?? null, job, full });
        pulled = answer;
        sayPulled(answer);
      }),
    );
    return pulled as Pulled | null;
  };
  const push = async (row: Pick<RemoteStore, "store_id"> | null) => {
    let pushed: Pushed | null = null;
    await reporting(() =>
      pushing.run(async (job) => {
        const answer = await backend.call("push_remote", { store: row?.store_id ?? null, job });
        pushed = answer;
        sayPushed(answer);
      }),
    );
    return pushed as Pushed | null;
  };
  return {
    pulling,
    pushing,
    pull,
    push,
    withdraw: async (changes) => {
      await reporting(async () => {
        await backend.call("withdraw_queued", { ids: changes.map(({ id }) => id) });
        say(() => {
          const count = plural(changes.length, { one: "# change", other: "# changes" });
          return { tone: "done", title: t`Withdrawn: ${count}`, detail: t`Nothing of it was sent.` };
        });
      });
    },
    retry: async (change, over) => {
      await reporting(async () => {
        await backend.call("retry_queued", { id: change.id, over });
        say(() => ({ tone: "done", title: t`Queued once more: ${changeTitle(change)}`, detail: t`Push to send it.` }));
      });
    },
    archive: async (row) => {
      await reporting(async () => {
        await backend.call("archive_remote", { store: row.store_id });
        const host = hostName(row.base_url);
        say(() => ({ tone: "done", title: t`Queued for ${host}: archive ${row.name}`, detail: t`Push to send it.` }));
      });
    },
    remove: async (row) => {
      await reporting(async () => {
        await backend.call("remove_store", { store: row.store_id });
        say(() => ({
          tone: "done",
          title: t`${row.name} is not mirrored any more`,
          detail: t`Its history stays in the log. The host keeps its store.`,
        }));
      });
    },
    redactHere: (row) => navigate({ screen: "redactions", versions: [...row.redacted_versions] }),
  };
}
