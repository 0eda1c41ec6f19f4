/** Hosted stores: their mirrors, what is queued for their hosts, and the calls that were made. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { RemoteQueue, Remotes, RemoteStore, Store } from "@/bindings";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { hostName } from "@/shared/hosts";
import { MenuEntry, MoreMenu } from "@/shared/menu";
import { JobProgress } from "@/shared/JobProgress";
import { Moment, ProgramText } from "@/shared/labels";
import { TableHead, numbers, unseen } from "@/shared/TableHead";
import { Await, Button, Dot, Empty, Segmented, useWords } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { openStoresSheet } from "@/state/sheets";
import { CallList } from "./CallList";
import { type HostActs, useHostActs } from "./hostActs";
import { mirrorState } from "./hostWords";
import { Question } from "@/shared/Question";
import { StorePlaces } from "./StorePlaces";
import { QueuePanel } from "./QueuePanel";
import { classes } from "@/shared/classes";
import hostedCss from "./hosted.module.css";
import storesCss from "./stores.module.css";

interface RowProps {
  row: RemoteStore;
  acts: HostActs;
  chosen: boolean;
  onArchive: () => void;
  onRemove: () => void;
}

function MirrorMenu({ row, acts, onArchive, onRemove }: RowProps) {
  const busy = acts.pulling.name !== null || acts.pushing.name !== null;
  const store = row.store_id;
  return (
    <MoreMenu name={row.name} testId="mirror-menu">
      <MenuEntry onAction={() => navigate({ screen: "memories", store })}>
        <Trans>Open its memories</Trans>
      </MenuEntry>
      <StorePlaces store={store} compareTestId="mirror-compare" />
      <MenuEntry onAction={() => navigate({ screen: "stores", view: "dreams", host: row.base_url })}>
        <Trans>Dreams of its host</Trans>
      </MenuEntry>
      <MenuEntry isDisabled={busy} onAction={() => void acts.pull(row, true)} testId="mirror-full">
        <Trans>Pull, and check all its versions</Trans>
      </MenuEntry>
      {row.archived_at === null && (
        <MenuEntry onAction={onArchive} testId="mirror-archive">
          <Trans>Archive at the host…</Trans>
        </MenuEntry>
      )}
      <MenuEntry danger onAction={onRemove} testId="mirror-remove">
        <Trans>Stop mirroring…</Trans>
      </MenuEntry>
    </MoreMenu>
  );
}

/** Gaps of the mirror: versions never seen, versions redacted at the host since. */
function Gaps({ row, acts }: Pick<RowProps, "row" | "acts">) {
  if (row.never_seen === 0 && row.redacted_at_host === 0) return null;
  return (
    <div className={hostedCss.mirrorGaps}>
      {row.never_seen > 0 && (
        <div className="muted">
          <Plural value={row.never_seen} one="# redacted before it was seen" other="# redacted before they were seen" />
        </div>
      )}
      {row.redacted_at_host > 0 && (
        <Button tone="quiet" onPress={() => acts.redactHere(row)} data-testid="redact-here">
          <Plural
            value={row.redacted_at_host}
            one="# redacted at the host: redact here…"
            other="# redacted at the host: redact here…"
          />
        </Button>
      )}
    </div>
  );
}

function MirrorRow(props: RowProps) {
  const { row, acts, chosen } = props;
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const state = mirrorState(row);
  const busy = acts.pulling.name !== null || acts.pushing.name !== null;
  return (
    <tr
      data-testid="mirror-row"
      data-store={row.store_id}
      className={chosen ? "is-chosen" : undefined}
      aria-current={chosen || undefined}
    >
      <th scope="row">
        <Button tone="quiet" onPress={() => navigate({ screen: "memories", store: row.store_id })}>
          {spelled(row.name)}
        </Button>
        <div className={classes("mono muted", storesCss.storeRoot)} title={`${row.base_url} ${row.remote_id}`}>
          {hostName(row.base_url)}
        </div>
      </th>
      <td>
        <span className="store-state">
          <Dot tone={state.dot} />
          {say(state.word)}
        </span>
        {row.problem && (
          <div className="muted state-detail">
            <ProgramText text={row.problem} />
          </div>
        )}
      </td>
      <td>
        {row.pulled_at ? (
          <Moment at={row.pulled_at} form="ago" />
        ) : (
          <span className="muted">
            <Trans>never</Trans>
          </span>
        )}
      </td>
      <td className="cell-end num">
        {format.number(row.versions)}
        <Gaps row={row} acts={acts} />
      </td>
      <td className="cell-end">
        <div className={hostedCss.mirrorActs}>
          <Button
            isDisabled={busy}
            aria-label={t`Pull ${row.name}`}
            onPress={() => void acts.pull(row)}
            data-testid="mirror-pull"
          >
            <Trans>Pull</Trans>
          </Button>
          <Button
            isDisabled={busy || row.queued === 0}
            aria-label={t`Push ${row.queued}: ${row.name}`}
            onPress={() => void acts.push(row)}
            data-testid="mirror-push"
          >
            <Trans>Push</Trans>
            {row.queued > 0 && <span className="num"> {format.number(row.queued)}</span>}
          </Button>
          <MirrorMenu {...props} />
        </div>
      </td>
    </tr>
  );
}

function MirrorTable({ stores, acts, chosen }: { stores: RemoteStore[]; acts: HostActs; chosen: string | undefined }) {
  const { t } = useLingui();
  const [asked, ask] = useState<{ what: "archive" | "remove"; row: RemoteStore } | null>(null);
  const close = () => ask(null);
  return (
    <div className={classes("table-box", hostedCss.mirrorTableBox)}>
      <table className={classes("table", storesCss.storeTable)} aria-label={t`Hosted stores`}>
        <TableHead columns={[t`Name`, t`State`, t`Last pulled`, numbers(t`Versions`), unseen(t`Actions`)]} />
        <tbody>
          {stores.map((row) => (
            <MirrorRow
              key={row.store_id}
              row={row}
              acts={acts}
              chosen={row.store_id === chosen}
              onArchive={() => ask({ what: "archive", row })}
              onRemove={() => ask({ what: "remove", row })}
            />
          ))}
        </tbody>
      </table>
      {asked?.what === "archive" && (
        <Question
          testId="archive-hosted"
          danger
          title={t`Archive ${asked.row.name} at its host`}
          verb={t`Queue it`}
          onDone={() => void acts.archive(asked.row)}
          onClose={close}
        >
          <p>
            <Trans>
              An archived store takes no more writes and goes to no new session. There is no way back at the host.
            </Trans>
          </p>
          <p className="muted">
            <Trans>It is queued like any other change: until you push, you can withdraw it.</Trans>
          </p>
        </Question>
      )}
      {asked?.what === "remove" && (
        <Question
          testId="stop-mirroring"
          danger
          title={t`Stop mirroring ${asked.row.name}`}
          verb={t`Stop mirroring`}
          onDone={() => void acts.remove(asked.row)}
          onClose={close}
        >
          <p>
            <Trans>Nothing more is pulled. The host keeps its store, and the history stays in the log here.</Trans>
          </p>
          {asked.row.queued > 0 && (
            <div className="notice notice-warning">
              <Plural
                value={asked.row.queued}
                one="# change is still queued and will not be sent."
                other="# changes are still queued and will not be sent."
              />
            </div>
          )}
        </Question>
      )}
    </div>
  );
}

type Below = "queue" | "calls";

function Mirrors({ remotes, queue, chosen }: { remotes: Remotes; queue: RemoteQueue; chosen: string | undefined }) {
  const { t } = useLingui();
  const acts = useHostActs();
  const [below, setBelow] = useState<Below>("queue");
  const changes = queue.changes;
  const busy = acts.pulling.name !== null || acts.pushing.name !== null;
  useKeys([
    { keys: "shift+l", label: t`Pull all hosted stores`, run: () => void acts.pull(null), enabled: !busy },
    {
      keys: "p",
      label: t`Push queued changes`,
      run: () => void acts.push(null),
      enabled: !busy && changes.length > 0,
    },
  ]);
  const options: { value: Below; label: string }[] = [
    { value: "queue", label: t`Queued (${changes.length})` },
    { value: "calls", label: t`Calls (${remotes.calls.length})` },
  ];
  return (
    <>
      {acts.pulling.name !== null && <JobProgress job={acts.pulling} label={t`Pulling`} />}
      {acts.pushing.name !== null && <JobProgress job={acts.pushing} label={t`Pushing`} />}
      <MirrorTable stores={remotes.stores} acts={acts} chosen={chosen} />
      <section className={hostedCss.hostedBelow} aria-label={t`Queue and calls`}>
        <div className={hostedCss.hostedSwitch}>
          <Segmented label={t`Shown below`} value={below} options={options} onChange={setBelow} />
          <span className="spacer" />
          {below === "queue" && changes.length > 0 && (
            <>
              <Button isDisabled={busy} onPress={() => void acts.withdraw(changes)} data-testid="withdraw-all">
                <Trans>Withdraw all</Trans>
              </Button>
              <Button
                tone="primary"
                keys="p"
                isDisabled={busy}
                isPending={acts.pushing.name !== null}
                onPress={() => void acts.push(null)}
                data-testid="push-all"
              >
                {plural(changes.length, { one: "Push # change", other: "Push # changes" })}
              </Button>
            </>
          )}
        </div>
        {below === "queue" ? (
          <QueuePanel changes={changes} mirrors={remotes.stores} acts={acts} />
        ) : (
          <CallList calls={remotes.calls} />
        )}
      </section>
    </>
  );
}

/** The hosted stores. */
export function HostedView({ chosen, stores }: { chosen: string | undefined; stores: readonly Store[] }) {
  const { t } = useLingui();
  const read = useRead("remotes", {});
  const queue = useRead("remote_queue", { store: null, job: null });
  const failed = read.error ?? queue.error;
  const data = read.data && queue.data ? { remotes: read.data, queue: queue.data } : undefined;
  const retry = () => Promise.all([read.refetch(), queue.refetch()]);
  // A mirror that was taken off the list keeps its history; it is not a hosted store of the screen any more.
  const listed = new Set(stores.map(({ id }) => id));
  return (
    <div className={hostedCss.hostedView} data-testid="hosted-view">
      <Await read={{ data, error: failed, refetch: retry }} rows={6}>
        {({ remotes, queue: waiting }) =>
          remotes.stores.length === 0 ? (
            <Empty
              title={t`No hosted store`}
              action={
                <Button tone="primary" onPress={() => openStoresSheet("add-hosted")} data-testid="add-hosted-store">
                  <Trans>Add a hosted store…</Trans>
                </Button>
              }
            >
              <Trans>
                Stores of the Memory Stores API can be mirrored here: with their history, differences, blame and
                rollback, like a directory on this machine. No host is called before you ask for it.
              </Trans>
            </Empty>
          ) : (
            <Mirrors
              remotes={{ ...remotes, stores: remotes.stores.filter(({ store_id }) => listed.has(store_id)) }}
              queue={waiting}
              chosen={chosen}
            />
          )
        }
      </Await>
    </div>
  );
}
