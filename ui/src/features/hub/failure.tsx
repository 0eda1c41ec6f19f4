/** Failures of the hub: it cannot be reached, or it refuses. What was shown before stays. */
import { msg } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { ApiFailure } from "@/host";
import { type Words, wordsFor } from "@/shared/failure";
import { Button, type Reading, Skeleton, useWords } from "@/shared/ui";
import { sayFailed } from "@/shared/say-failed";
import { useOfHub } from "@/state/hub";
import css from "./hub.module.css";

/** True where no hub answered. */
const isOffline = (error: unknown) => error instanceof ApiFailure && error.error.code === "store_unavailable";

/** Words of a failure. A hub is no directory and no host with a key. */
function hubWords(error: unknown, ofHub: boolean): Words {
  const words = wordsFor(error);
  if (isOffline(error))
    return {
      ...words,
      title: msg`The hub cannot be reached`,
      next: ofHub
        ? msg`Its database does not answer at present. Try again in a while.`
        : msg`This machine goes on recording. What it records is sent at a later sync.`,
    };
  if (error instanceof ApiFailure && error.error.code === "key_refused")
    return { ...words, title: msg`The hub refused it` };
  return words;
}

/** Shows a failure, and what to do next. */
export function HubFailure({ error, retry }: { error: unknown; retry?: () => void }) {
  const words = useWords();
  const { title, detail, detailLanguage, next, tone } = hubWords(error, useOfHub());
  return (
    <div className={`failure failure-${tone}`} role="alert" data-testid="failure" data-offline={isOffline(error)}>
      <strong>{words(title)}</strong>
      {detail && <p lang={detailLanguage ?? undefined}>{detail}</p>}
      <p>{words(next)}</p>
      {retry && (
        <Button onPress={retry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}

/** Shows an answer of the hub, or that it is on its way, or why there is none. An older answer stays, and is said to be one. */
export function HubAwait<T>({
  read,
  rows,
  children,
}: {
  read: Reading<T>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const retry = () => void read.refetch();
  if (read.data === undefined)
    return read.error ? <HubFailure error={read.error} retry={retry} /> : <Skeleton {...(rows ? { rows } : {})} />;
  return (
    <>
      {read.error !== null && read.error !== undefined && (
        <div className={css.stale} role="status" data-testid="hub-stale">
          <span>
            <Trans>The hub did not answer. This is what it said before.</Trans>
          </span>
          <Button onPress={retry}>
            <Trans>Try again</Trans>
          </Button>
        </div>
      )}
      {children(read.data)}
    </>
  );
}

/** Does something at the hub and says why it failed, where it did. Answers whether it was done. */
export function useAtHub(): (work: () => Promise<void>) => Promise<boolean> {
  const ofHub = useOfHub();
  return async (work) => {
    try {
      await work();
      return true;
    } catch (cause) {
      sayFailed(cause, (failed) => hubWords(failed, ofHub));
      return false;
    }
  };
}
