/** The first minutes: what was found, one button, a baseline. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { BrandMark } from "@/shared/icons";
import { Opening } from "@/shared/Opening";
import { useTaskName } from "@/shared/tasks";
import { Await, Button } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useProgress } from "@/state/progress";
import { projectsAnswer } from "@/state/projects";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { AddDirectory, DiscoveryList } from "./discovery";
import css from "./stores.module.css";

/** Shown while no store was ever added. */
export function FirstRun({ onLeave }: { onLeave: () => void }) {
  const read = useRead("discover", { home: null, projects: [] });
  const progress = useProgress();
  const { t } = useLingui();
  const taskName = useTaskName();
  const backend = useBackend();
  const [recorded, setRecorded] = useState<number | null>(null);
  const [chosen, setChosen] = useState(false);
  const choose = (count: number) => {
    setRecorded((known) => (known ?? 0) + count);
    setChosen(true);
    // What was left out was seen, and is not new later. Where this fails, the recorder notes it.
    void backend.call("set_new_projects", projectsAnswer({})).catch(() => undefined);
  };
  const leave = (screen: "memories" | "context") => {
    navigate({ screen });
    onLeave();
  };
  return (
    <main className={css.firstRun} data-testid="first-run">
      <div className={css.firstRunBox}>
        <header>
          <BrandMark />
          <h1>
            <Trans>See every change in what your agents remember</Trans>
          </h1>
          <p className="muted">
            {chosen ? (
              <Trans>What is there now is the baseline. Every change from here on is kept, on this machine only.</Trans>
            ) : (
              <Trans>
                Retrace searched the usual places for agent memory. Choose what to record: it takes a baseline now and
                keeps every change from here on, on this machine only.
              </Trans>
            )}
          </p>
        </header>
        {!chosen && (
          <>
            <Await read={read} rows={8} doing={t`Searching the usual places for agent memory.`}>
              {(discovered) => <DiscoveryList discovered={discovered} onDone={choose} />}
            </Await>
            <AddDirectory onAdded={() => setRecorded((known) => (known ?? 0) + 1)} />
          </>
        )}
        {recorded === null ? (
          <p>
            <Button tone="quiet" onPress={() => leave("context")} data-testid="first-run-lab">
              <Trans>Record nothing yet: open transcripts in the context lab</Trans>
            </Button>
          </p>
        ) : (
          <>
            <div className="notice notice-done" role="status">
              <span>
                <Plural value={recorded} one="# directory is recorded." other="# directories are recorded." />
              </span>
              <Button tone="primary" autoFocus onPress={() => leave("memories")} data-testid="first-run-open">
                <Trans>Open the memories</Trans>
              </Button>
            </div>
            {/* Below the way on, which must not move when this arrives. */}
            <Opening onLeave={onLeave} />
          </>
        )}
        {/* Last, as it comes and goes by itself: nothing to press may move with it. */}
        {progress && (
          <p className="muted" role="status">
            {taskName(progress.task)} {progress.total ? `${progress.done} / ${progress.total}` : progress.done}
          </p>
        )}
      </div>
    </main>
  );
}
