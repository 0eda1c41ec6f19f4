/**
 * Snapshots that projects offer to a subagent's memory: whether the agent would take it over, and what that would
 * change.
 */
import { plural } from "@lingui/core/macro";
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { ProjectSnapshot, SnapshotChange, SnapshotFileChange, SnapshotState, Store } from "@/bindings";
import { DiffView } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { LineCounts, ProgramText } from "@/shared/labels";
import { Await, Button, Chip, Empty, useWords } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

const STATES: Record<SnapshotState, { word: MessageDescriptor; tone: "accent" | "warn" | "plain" }> = {
  initialise: { word: msg`would be copied`, tone: "accent" },
  ask: { word: msg`the agent would ask`, tone: "warn" },
  current: { word: msg`accepted already`, tone: "plain" },
  unusable: { word: msg`not usable`, tone: "plain" },
};

const CHANGES: Record<SnapshotFileChange, { word: MessageDescriptor; sign: string }> = {
  added: { word: msg`added`, sign: "+" },
  changed: { word: msg`changed`, sign: "~" },
  deleted: { word: msg`deleted`, sign: "−" },
  same: { word: msg`the same`, sign: "=" },
  kept: { word: msg`kept`, sign: "=" },
};

/** Leads to the page; only for memories that can have a snapshot. */
export function SnapshotLink({ store, chosen }: { store: Store; chosen: boolean }) {
  if (store.kind !== "claude-agent") return null;
  return (
    <AriaButton
      className={css.instructionItem}
      onPress={() => navigate({ screen: "memories", store: store.id, view: "snapshot" })}
      aria-current={chosen ? "page" : undefined}
      data-testid="snapshot-link"
    >
      <Trans>Project snapshot</Trans>
    </AriaButton>
  );
}

function Change({ change }: { change: SnapshotChange }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const { diff } = change;
  const changes = diff !== null && (diff.hunks.length > 0 || diff.binary);
  const [open, setOpen] = useState(changes && change.change !== "same");
  const { word, sign } = CHANGES[change.change];
  const size = (bytes: number | null) => (bytes === null ? t`no file` : format.bytes(bytes));
  return (
    <li className="snapshot-change" data-testid="snapshot-change" data-change={change.change}>
      <div className={css.snapshotFile}>
        <span aria-hidden>{sign}</span>
        <span className="mono">{change.path}</span>
        <span className="muted">{say(word)}</span>
        <span className="muted num">
          {size(change.local_size_bytes)} → {size(change.snapshot_size_bytes)}
        </span>
        {diff && <LineCounts added={diff.added} removed={diff.removed} />}
        {changes && (
          <Button tone="quiet" aria-expanded={open} onPress={() => setOpen(!open)}>
            {open ? <Trans>Hide the difference</Trans> : <Trans>Show the difference</Trans>}
          </Button>
        )}
      </div>
      {open && diff && <DiffView diff={diff} words />}
    </li>
  );
}

function Snapshot({ snapshot }: { snapshot: ProjectSnapshot }) {
  const { t } = useLingui();
  const say = useWords();
  const state = STATES[snapshot.state];
  return (
    <section className={css.snapshot} aria-label={snapshot.project} data-testid="snapshot">
      <h2>
        <span className="mono">{snapshot.project}</span> <Chip tone={state.tone}>{say(state.word)}</Chip>
      </h2>
      <p>
        <ProgramText text={snapshot.reason} />{" "}
        <span className="muted">
          {snapshot.updated_at !== null && <Trans>Snapshot of {snapshot.updated_at}.</Trans>}{" "}
          {snapshot.synced_from !== null && <Trans>Accepted last: that of {snapshot.synced_from}.</Trans>}
        </span>
      </p>
      <p className="muted">
        <Trans>Effect of accepting it, file by file. Nothing is copied here.</Trans>
      </p>
      <ul className={css.snapshotChanges} aria-label={t`Files`}>
        {snapshot.changes.map((change) => (
          <Change key={change.path} change={change} />
        ))}
      </ul>
    </section>
  );
}

/** The page. */
export function SnapshotPane({ store }: { store: Store }) {
  const { t } = useLingui();
  const read = useRead("agent_snapshot", { store: store.id });
  return (
    <main className={classes("screen", css.memoriesScreen, css.instructionScreen)} data-testid="snapshot-screen">
      <div className="pane">
        <header className="pane-header">
          <div className="pane-title">
            <h1>
              <Trans>Project snapshot</Trans>
            </h1>
            {read.data && (
              <span className="muted">
                {t`of the agent ${read.data.agent}; ${plural(read.data.local_files, { one: "# file", other: "# files" })} in its memory`}
              </span>
            )}
          </div>
          <Button tone="quiet" onPress={() => navigate({ screen: "memories", store: store.id })}>
            <Trans>Back to the memories</Trans>
          </Button>
        </header>
        <div className={classes("pane-body", css.instructionScroll)}>
          <Await read={read} rows={6}>
            {({ snapshots, problems }) => (
              <>
                {snapshots.length === 0 && (
                  <Empty title={t`No snapshot`}>
                    <Trans>No known project has a snapshot for this agent (.claude/agent-memory-snapshots).</Trans>
                  </Empty>
                )}
                {snapshots.map((snapshot) => (
                  <Snapshot key={snapshot.directory} snapshot={snapshot} />
                ))}
                {problems.map((problem) => (
                  <p key={problem.text} className="notice">
                    <ProgramText text={problem} />
                  </p>
                ))}
              </>
            )}
          </Await>
        </div>
      </div>
    </main>
  );
}
