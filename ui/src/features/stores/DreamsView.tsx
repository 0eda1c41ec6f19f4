/** Dreams of a host: how each stands, and the way to hold what it read and what it wrote side by side. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Dream, RemoteStore } from "@/bindings";
import { useFormat } from "@/shared/format";
import { API_URL, hostName } from "@/shared/hosts";
import { JobProgress } from "@/shared/JobProgress";
import { Moment, ProgramText } from "@/shared/labels";
import { neighbour, Picker, type PickerRow } from "@/shared/Picker";
import { shorten } from "@/shared/text";
import { Await, Button, Checkbox, Chip, Dot, Empty, Skeleton, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useJob } from "@/state/jobs";
import { useKeys } from "@/state/keys";
import { observable, useObservable } from "@/state/observable";
import { useRead } from "@/state/queries";
import { navigate, type StoresRoute } from "@/state/route";
import { openStoresSheet } from "@/state/sheets";
import { say } from "@/state/toasts";
import { isOpen, missingSides, sidesOf } from "./dreamForm";
import { HostFailure } from "./HostFailure";
import { DREAM_STATES } from "./hostWords";
import { NewDream } from "./NewDream";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

/** Hosts that the person asked for dreams in this window; no host is asked by itself. */
const asked = observable<ReadonlySet<string>>(new Set());

/** Forgets which hosts were asked; for tests. */
export const forgetAsked = (): void => asked.set(new Set());

type Row = PickerRow & { dream: Dream };

function StateWord({ dream }: { dream: Dream }) {
  const words = useWords();
  const known = DREAM_STATES[dream.status];
  return (
    <span className="store-state" data-state={dream.status}>
      <Dot tone={known?.dot ?? "warn"} />
      {known ? words(known.word) : dream.status}
    </span>
  );
}

type NameOf = (remote: string | null) => string;

function useNames(mirrors: readonly RemoteStore[]): NameOf {
  const { t } = useLingui();
  return (remote) => {
    if (remote === null) return t`none yet`;
    return mirrors.find(({ remote_id }) => remote_id === remote)?.name ?? shorten(remote, 12, 4);
  };
}

function DreamRow({ dream, nameOf }: { dream: Dream; nameOf: NameOf }) {
  const { t } = useLingui();
  const same = dream.output_behavior === "update_existing";
  return (
    <div className={css.dreamRow}>
      <span className={css.queueName}>
        {nameOf(dream.input_remote_id)} <span aria-hidden>→</span> {same ? t`itself` : nameOf(dream.output_remote_id)}
      </span>
      <Moment at={dream.created_at} form="ago" />
      <span className={classes(css.queueMore, "muted")}>
        <Plural value={dream.sessions.length} one="# session" other="# sessions" /> · {dream.model}
      </span>
      <StateWord dream={dream} />
    </div>
  );
}

function Facts({ dream, nameOf }: { dream: Dream; nameOf: NameOf }) {
  const format = useFormat();
  const { usage } = dream;
  return (
    <dl className={classes("facts facts-wide", css.dreamFacts)}>
      <dt>
        <Trans>input → output</Trans>
      </dt>
      <dd>
        {nameOf(dream.input_remote_id)} →{" "}
        {dream.output_behavior === "update_existing" ? <Trans>itself</Trans> : nameOf(dream.output_remote_id)}
      </dd>
      <dt>
        <Trans>model</Trans>
      </dt>
      <dd className="mono">{dream.model}</dd>
      <dt>
        <Trans>tokens used</Trans>
      </dt>
      <dd className="num">
        <Trans>
          {format.number(usage.input_tokens)} in, {format.number(usage.output_tokens)} out,{" "}
          {format.number(usage.cache_creation_input_tokens)} written to the cache,{" "}
          {format.number(usage.cache_read_input_tokens)} read from it
        </Trans>{" "}
        <span className="muted">
          <Trans>as recorded by the host</Trans>
        </span>
      </dd>
      {dream.ended_at && (
        <>
          <dt>
            <Trans>ended</Trans>
          </dt>
          <dd>
            <Moment at={dream.ended_at} form="moment" />
          </dd>
        </>
      )}
      <dt>
        <Trans>sessions</Trans>
      </dt>
      <dd>
        <details>
          <summary>
            <Plural value={dream.sessions.length} one="# session" other="# sessions" />
          </summary>
          <ul className={classes("mono", css.dreamSessions)}>
            {dream.sessions.map((session) => (
              <li key={session}>{session}</li>
            ))}
          </ul>
        </details>
      </dd>
      {dream.instructions && (
        <>
          <dt>
            <Trans>instructions</Trans>
          </dt>
          <dd className={css.dreamInstructions}>{dream.instructions}</dd>
        </>
      )}
    </dl>
  );
}

/** Acts on a dream. */
function useDreamActs(host: string, onChange: () => Promise<unknown>) {
  const backend = useBackend();
  const mirroring = useJob("dream-pull");
  const [failure, setFailure] = useState<unknown>(null);
  const tried = async (work: () => Promise<void>) => {
    setFailure(null);
    try {
      await work();
    } catch (cause) {
      setFailure(cause);
    }
  };
  const act = (command: "cancel_dream" | "archive_dream") => (dream: Dream) =>
    tried(async () => {
      await backend.call(command, { base_url: host, dream: dream.id });
      await onChange();
    });
  /** Mirrors what is missing of both sides, then shows them. */
  const hold = (dream: Dream) =>
    tried(async () => {
      let known = dream;
      for (const remote_id of missingSides(dream))
        await mirroring.run(async (job) => {
          const made = await backend.call("add_remote", { base_url: host, remote_id, name: null, job });
          if (known.input_remote_id === remote_id) known = { ...known, input_store_id: made.id };
          if (known.output_remote_id === remote_id) known = { ...known, output_store_id: made.id };
        });
      const sides = sidesOf(known);
      if (sides) navigate({ screen: "stores", view: "compare", ...sides });
    });
  return { mirroring, failure, cancel: act("cancel_dream"), archive: act("archive_dream"), hold };
}

function Detail({
  dream,
  host,
  nameOf,
  onChange,
}: {
  dream: Dream;
  host: string;
  nameOf: NameOf;
  onChange: () => Promise<unknown>;
}) {
  const { t } = useLingui();
  const acts = useDreamActs(host, onChange);
  const missing = missingSides(dream).length;
  const busy = acts.mirroring.name !== null;
  const open = isOpen(dream);
  const held = dream.input_remote_id !== null && dream.output_remote_id !== null && !busy;
  useKeys([
    { keys: "h", label: t`Compare`, run: () => void acts.hold(dream), enabled: held },
    { keys: "c", label: t`Cancel the dream`, run: () => void acts.cancel(dream), enabled: open },
  ]);
  return (
    <section className={css.queueDetail} aria-label={t`The chosen dream`} data-testid="dream-detail">
      <header className={css.queueHead}>
        <div>
          <h2 className="mono">{dream.id}</h2>
          <p className="muted">
            <StateWord dream={dream} /> · <Moment at={dream.created_at} form="moment" />
          </p>
        </div>
        <span className="spacer" />
        {dream.archived_at && (
          <Chip>
            <Trans>archived</Trans>
          </Chip>
        )}
      </header>
      {dream.error && (
        <div className="notice notice-warning" role="alert">
          <ProgramText text={dream.error} />
        </div>
      )}
      {acts.failure !== null && <HostFailure error={acts.failure} />}
      <Facts dream={dream} nameOf={nameOf} />
      {busy && <JobProgress job={acts.mirroring} label={t`Pulling`} />}
      <div className="form-actions">
        <Button
          tone={held ? "primary" : "plain"}
          keys="h"
          isDisabled={!held}
          onPress={() => void acts.hold(dream)}
          data-testid="dream-hold"
        >
          {missing > 0 && dream.output_remote_id !== null ? <Trans>Mirror and compare</Trans> : <Trans>Compare</Trans>}
        </Button>
        {open && (
          <Button keys="c" onPress={() => void acts.cancel(dream)} data-testid="dream-cancel">
            <Trans>Cancel the dream</Trans>
          </Button>
        )}
        {!open && dream.archived_at === null && (
          <Button onPress={() => void acts.archive(dream)} data-testid="dream-archive">
            <Trans>Archive</Trans>
          </Button>
        )}
      </div>
      {dream.output_remote_id === null && (
        <p className="muted">
          <Trans>There is nothing to compare with its input yet.</Trans>
        </p>
      )}
    </section>
  );
}

function DreamList({
  host,
  dreams,
  mirrors,
  onChange,
}: {
  host: string;
  dreams: readonly Dream[];
  mirrors: readonly RemoteStore[];
  onChange: () => Promise<unknown>;
}) {
  const { t } = useLingui();
  const [key, setKey] = useState<string | null>(null);
  const nameOf = useNames(mirrors);
  const rows = useMemo(
    () => dreams.map((dream): Row => ({ key: dream.id, label: dream.id, level: 0, leaf: true, open: false, dream })),
    [dreams],
  );
  const row = rows.find((known) => known.key === key) ?? rows[0];
  const step = (by: 1 | -1) => {
    const next = neighbour(rows, row?.key ?? null, by);
    if (next) setKey(next.key);
  };
  useKeys([
    { keys: "j", label: t`Next dream`, run: () => step(1), enabled: rows.length > 0 },
    { keys: "k", label: t`Previous dream`, run: () => step(-1), enabled: rows.length > 0 },
  ]);
  if (!row)
    return (
      <Empty title={t`No dream`}>
        <Trans>
          This host has none that the key can see. A dream reads a store and sessions, and writes a new store from them.
        </Trans>
      </Empty>
    );
  return (
    <div className={css.queue}>
      <Picker
        role="listbox"
        label={t`Dreams`}
        rows={rows}
        chosen={row.key}
        onChoose={(next) => setKey(next.key)}
        estimate={46}
        className={css.queueList}
        rowTestId="dream-row"
      >
        {({ dream }) => <DreamRow dream={dream} nameOf={nameOf} />}
      </Picker>
      <Detail key={row.key} dream={row.dream} host={host} nameOf={nameOf} onChange={onChange} />
    </div>
  );
}

/** The hosts, the one that is shown, and its dreams once they were asked for. */
function useDreams(chosen: string | undefined, archived: boolean) {
  const queries = useQueryClient();
  const remotes = useRead("remotes", {});
  const known = remotes.data?.hosts ?? [];
  const host = chosen ?? known[0]?.base_url ?? API_URL;
  const wanted = useObservable(asked).has(host);
  const read = useRead("dreams", { base_url: host, include_archived: archived }, { enabled: wanted });
  const mirrors = (remotes.data?.stores ?? []).filter(({ base_url }) => base_url === host);
  const again = async () => {
    asked.set(new Set([...asked.get(), host]));
    // The calls are listed among the others.
    await queries.invalidateQueries({ queryKey: ["dreams"] });
    await queries.invalidateQueries({ queryKey: ["remotes"] });
  };
  return { remotes, known, host, wanted, read, mirrors, again };
}

/** The dreams of a host. */
export function DreamsView({ route }: { route: StoresRoute }) {
  const { t } = useLingui();
  const [archived, setArchived] = useState(false);
  const [making, setMaking] = useState(false);
  const { remotes, known, host, wanted, read, mirrors, again } = useDreams(route.host, archived);
  useKeys([
    { keys: "n", label: t`New dream`, run: () => setMaking(true), enabled: known.length > 0 },
    { keys: "shift+l", label: t`List the dreams`, run: () => void again(), enabled: known.length > 0 },
  ]);
  if (!remotes.data) return <Await read={remotes}>{() => null}</Await>;
  if (known.length === 0)
    return (
      <Empty
        title={t`No host is known`}
        action={
          <Button tone="primary" onPress={() => openStoresSheet("add-hosted")}>
            <Trans>Add a hosted store…</Trans>
          </Button>
        }
      >
        <Trans>Dreams belong to hosted stores. Add one first: that also keeps the key for its host.</Trans>
      </Empty>
    );
  return (
    <div className={css.hostedView} data-testid="dreams-view">
      <div className={css.hostedSwitch}>
        <select
          aria-label={t`Host`}
          value={host}
          onChange={(event) => navigate({ screen: "stores", view: "dreams", host: event.target.value })}
          data-testid="dream-host"
        >
          {known.map(({ base_url }) => (
            <option key={base_url} value={base_url}>
              {hostName(base_url)}
            </option>
          ))}
        </select>
        <Checkbox label={t`Archived ones as well`} isSelected={archived} onChange={setArchived} />
        <span className="spacer" />
        <Button isPending={read.isFetching} onPress={() => void again()} data-testid="list-dreams">
          {wanted ? <Trans>Ask again</Trans> : <Trans>List the dreams</Trans>}
        </Button>
        <Button keys="n" onPress={() => setMaking(true)} data-testid="new-dream-button">
          <Trans>New dream…</Trans>
        </Button>
      </div>
      {!wanted ? (
        <Empty title={t`The host was not contacted yet`}>
          <Trans>Listing its dreams calls {hostName(host)}. Nothing is called before you ask for it.</Trans>
        </Empty>
      ) : read.error && !read.data ? (
        <div className={css.hostedPad}>
          <HostFailure error={read.error} retry={() => void again()} onKey={() => openStoresSheet("add-hosted")} />
        </div>
      ) : read.data ? (
        <DreamList host={host} dreams={read.data.dreams} mirrors={mirrors} onChange={again} />
      ) : (
        <Skeleton rows={6} />
      )}
      {making && (
        <NewDream
          host={host}
          mirrors={mirrors}
          onClose={() => setMaking(false)}
          onMade={(dream) => {
            setMaking(false);
            say(() => ({ tone: "done", title: t`The dream was made`, detail: dream.id }));
            void again();
          }}
        />
      )}
    </div>
  );
}
