/**
 * Changes that wait to be sent to hosts: one change after the other, with its difference and the way to take it back.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { QueuedChange, QueueKind, QueueState, RemoteStore } from "@/bindings";
import { DiffModeSwitch } from "@/shared/DiffPanel";
import { hostName } from "@/shared/hosts";
import { LineCounts, Moment, ProgramText } from "@/shared/labels";
import { neighbour, Picker, type PickerRow } from "@/shared/Picker";
import { fileName, folderOf } from "@/shared/text";
import { Await, Button, Dot, Empty, useWords } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import type { HostActs } from "./hostActs";
import { CHANGE_STATES, CHANGES, changeTitle } from "./hostWords";
import { QueuedDiff } from "./QueuedDiff";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

type Row = PickerRow & { change: QueuedChange };

const rowOf = (change: QueuedChange): Row => ({
  key: String(change.id),
  label: changeTitle(change),
  level: 0,
  leaf: true,
  open: false,
  change,
});

function KindSign({ kind }: { kind: QueueKind }) {
  const say = useWords();
  const known = CHANGES[kind];
  const word = say(known.word);
  return (
    <span className={`operation-sign operation-${known.tone}`} role="img" aria-label={word} title={word}>
      {known.sign}
    </span>
  );
}

function StateWord({ state }: { state: QueueState }) {
  const say = useWords();
  const known = CHANGE_STATES[state];
  return (
    <span className={classes("store-state", css.queueState)} data-state={state}>
      <Dot tone={known.dot} />
      {say(known.word)}
    </span>
  );
}

function QueueRow({ change }: { change: QueuedChange }) {
  const { t } = useLingui();
  const title = changeTitle(change);
  const folder = change.path === null ? "" : folderOf(change.path);
  return (
    <div className={css.queueRow}>
      <KindSign kind={change.kind} />
      <span className={css.queueName} title={title}>
        {change.path === null ? (change.kind === "redact" ? t`a version` : title) : fileName(change.path)}
      </span>
      {change.diff ? <LineCounts added={change.diff.added} removed={change.diff.removed} /> : <span />}
      <span className={classes(css.queueMore, "muted")}>{[change.store_name, folder].filter(Boolean).join(" — ")}</span>
      <StateWord state={change.state} />
    </div>
  );
}

/** Meaning of a conflict or refusal, and what can be done. */
function Trouble({ change, acts, mirror }: { change: QueuedChange; acts: HostActs; mirror: RemoteStore | undefined }) {
  const read = useRead("queued_conflict", { id: change.id });
  const busy = acts.pulling.name !== null || acts.pushing.name !== null;
  const conflict = change.state === "conflict";
  const now = read.data;
  // A newer version at the host has to be seen before it is replaced.
  const seen = now !== undefined && (now.moved_on || !conflict);
  return (
    <div className={classes("notice notice-warning", css.queueTrouble)} role="alert" data-testid="queue-trouble">
      <div>
        <strong>
          {conflict ? (
            <Trans>It changed at the host in the meantime. Nothing was overwritten.</Trans>
          ) : (
            <Trans>The host refused it.</Trans>
          )}
        </strong>
        {change.message && (
          <p>
            <ProgramText text={change.message} />
          </p>
        )}
        <ol className={css.queueSteps}>
          {conflict ? (
            <>
              <li>
                <Trans>Pull, so that the newer edit is here. It comes to your inbox.</Trans>
              </li>
              <li>
                <Trans>Below: the change at the host, and the effect of your change on it.</Trans>
              </li>
              <li>
                <Trans>Queue your change over the present version, or withdraw it.</Trans>
              </li>
            </>
          ) : (
            <>
              <li>
                <Trans>Queue it again when the reason is gone: the host decides again at the next push.</Trans>
              </li>
              <li>
                <Trans>Or withdraw the change. The memory stays as the host has it.</Trans>
              </li>
            </>
          )}
        </ol>
        <div className="form-actions">
          {mirror && conflict && (
            <Button isDisabled={busy} onPress={() => void acts.pull(mirror)} data-testid="queue-pull">
              <Trans>Pull</Trans>
            </Button>
          )}
          {conflict && change.path !== null && (
            <Button onPress={() => navigate({ screen: "inbox", store: change.store_id })} data-testid="queue-look">
              <Trans>Open the inbox</Trans>
            </Button>
          )}
          <Button
            isDisabled={busy || !seen}
            onPress={() => now && void acts.retry(change, now.now_version_id)}
            data-testid="queue-retry"
          >
            {conflict ? <Trans>Queue it over the present version</Trans> : <Trans>Queue it once more</Trans>}
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Three contents, as two differences: what happened at the host, and what the change would do to that. */
function Conflict({ change }: { change: QueuedChange }) {
  const { t } = useLingui();
  const read = useRead("queued_conflict", { id: change.id });
  return (
    <Await read={read}>
      {(conflict) =>
        conflict.moved_on ? (
          <>
            <section aria-label={t`Change at the host`} data-testid="conflict-happened">
              <h3 className="small-title">
                <Trans>Change at the host</Trans>
                {conflict.now_at && (
                  <>
                    {" "}
                    <Moment at={conflict.now_at} form="ago" />
                  </>
                )}
              </h3>
              {conflict.now_version_id === null && (
                <p>
                  <Trans>It was deleted there.</Trans>
                </p>
              )}
              {conflict.happened ? (
                <QueuedDiff diff={conflict.happened} />
              ) : (
                <p className="muted">
                  <Trans>There is no earlier content to compare it with.</Trans>
                </p>
              )}
            </section>
            <section aria-label={t`Effect of your change`} data-testid="conflict-would">
              <h3 className="small-title">
                <Trans>Effect of your change</Trans>
              </h3>
              {conflict.would && <QueuedDiff diff={conflict.would} />}
            </section>
          </>
        ) : (
          <>
            <p className="muted" data-testid="conflict-unseen">
              <Trans>The newer edit is not mirrored yet: pull to see it beside your change.</Trans>
            </p>
            {change.diff && <QueuedDiff diff={change.diff} />}
          </>
        )
      }
    </Await>
  );
}

function Explained({ change }: { change: QueuedChange }) {
  switch (change.kind) {
    case "archive":
      return (
        <p>
          <Trans>Archives the store at its host. It takes no more writes then, and there is no way back.</Trans>
        </p>
      );
    case "redact":
      return (
        <p>
          <Trans>
            Removes the content of this version at the host, for good. It is already redacted here. Version{" "}
            <span className="mono">{change.version_id}</span>
          </Trans>
        </p>
      );
    case "create":
    case "update":
    case "delete":
      return (
        <p className="muted">
          <Trans>There is no difference to show.</Trans>
        </p>
      );
  }
}

function Detail({ change, mirrors, acts }: { change: QueuedChange; mirrors: readonly RemoteStore[]; acts: HostActs }) {
  const { t } = useLingui();
  const say = useWords();
  const mirror = mirrors.find(({ store_id }) => store_id === change.store_id);
  const kind = CHANGES[change.kind];
  return (
    <section className={css.queueDetail} aria-label={t`The chosen change`} data-testid="queue-detail">
      <header className={css.queueHead}>
        <div>
          <h2 className="mono" data-testid="queue-title">
            {changeTitle(change)}
          </h2>
          <p className="muted">
            {kind ? say(kind.word) : change.kind} · {change.store_name}
            {mirror && ` · ${hostName(mirror.base_url)}`} ·{" "}
            <Trans>
              queued <Moment at={change.created_at} form="ago" />
            </Trans>
            {change.moved_from && (
              <>
                {" · "}
                <Trans>
                  moved from <span className="mono">{change.moved_from}</span>
                </Trans>
              </>
            )}
          </p>
        </div>
        <span className="spacer" />
        {change.diff && <DiffModeSwitch />}
        <Button keys="w" onPress={() => void acts.withdraw([change])} data-testid="withdraw">
          <Trans>Withdraw</Trans>
        </Button>
      </header>
      {change.state !== "waiting" && <Trouble change={change} acts={acts} mirror={mirror} />}
      {!change.diff ? (
        <Explained change={change} />
      ) : change.state === "conflict" ? (
        <Conflict change={change} />
      ) : (
        <QueuedDiff diff={change.diff} />
      )}
    </section>
  );
}

/** The queue. */
export function QueuePanel({
  changes,
  mirrors,
  acts,
}: {
  changes: readonly QueuedChange[];
  mirrors: readonly RemoteStore[];
  acts: HostActs;
}) {
  const { t } = useLingui();
  const [held, hold] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const rows = useMemo(() => changes.map(rowOf), [changes]);
  const found = rows.findIndex(({ key }) => key === held.key);
  // Where the chosen one is gone, the one that stands in its place is chosen.
  const place = found >= 0 ? found : Math.max(0, Math.min(held.place, rows.length - 1));
  const row = rows[place];
  const choose = (key: string) => hold({ key, place: rows.findIndex((known) => known.key === key) });
  const step = (by: 1 | -1) => {
    const next = neighbour(rows, row?.key ?? null, by);
    if (next) choose(next.key);
  };
  const busy = acts.pulling.name !== null || acts.pushing.name !== null;
  useKeys([
    { keys: "j", label: t`Next change`, run: () => step(1), enabled: rows.length > 0 },
    { keys: "k", label: t`Previous change`, run: () => step(-1), enabled: rows.length > 0 },
    {
      keys: "w",
      label: t`Withdraw the queued change`,
      run: () => row && void acts.withdraw([row.change]),
      enabled: row !== undefined && !busy,
    },
  ]);
  if (!row)
    return (
      <div data-testid="queue-empty">
        <Empty title={t`Nothing is queued`}>
          <Trans>
            Rolling back, editing and redacting in a hosted store puts its changes here. Nothing is sent before you
            push.
          </Trans>
        </Empty>
      </div>
    );
  return (
    <div className={css.queue} data-testid="queue">
      <Picker
        role="listbox"
        label={t`Queued changes`}
        rows={rows}
        chosen={row.key}
        onChoose={(next) => choose(next.key)}
        estimate={46}
        className={css.queueList}
        rowTestId="queue-row"
      >
        {({ change }) => <QueueRow change={change} />}
      </Picker>
      <Detail key={row.key} change={row.change} mirrors={mirrors} acts={acts} />
    </div>
  );
}
