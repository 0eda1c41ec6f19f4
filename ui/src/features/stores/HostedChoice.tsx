/** Chooses among the stores of a host, and pulls each chosen one for the first time. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { HostedStore, HostedStores } from "@/bindings";
import { JobProgress } from "@/shared/JobProgress";
import { hostName } from "@/shared/hosts";
import { spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Button, Checkbox, Chip, Empty } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useJob } from "@/state/jobs";
import { navigate } from "@/state/route";
import { say } from "@/state/toasts";
import { HostFailure } from "./HostFailure";
import css from "./stores.module.css";

type Outcome = { state: "working" } | { state: "done"; store: string } | { state: "failed"; error: unknown };

function StoreChoiceRow({
  store,
  chosen,
  outcome,
  locked,
  onChange,
}: {
  store: HostedStore;
  chosen: boolean;
  outcome: Outcome | undefined;
  locked: boolean;
  onChange: (chosen: boolean) => void;
}) {
  const { t } = useLingui();
  const mirrored = store.store_id !== null || outcome?.state === "done";
  return (
    <div className={css.found} data-testid="hosted-found" data-remote={store.remote_id}>
      <Checkbox
        label={t`Mirror ${store.name}`}
        hideLabel
        isSelected={chosen || mirrored}
        isDisabled={mirrored || locked}
        onChange={onChange}
      />
      <div className={css.foundMain}>
        <div className={css.foundTitle}>
          <strong>{spelled(store.name)}</strong>
          {mirrored && (
            <Chip tone="add">
              <Trans>mirrored</Trans>
            </Chip>
          )}
          {store.archived_at && (
            <Chip>
              <Trans>archived at the host</Trans>
            </Chip>
          )}
          {outcome?.state === "working" && <span className="spinner" role="status" aria-label={t`Pulling`} />}
        </div>
        {store.description && <p className={css.foundDescription}>{store.description}</p>}
        <p className="muted num">
          <span className="mono">{store.remote_id}</span> ·{" "}
          <Trans>
            made <Moment at={store.created_at} form="short" />
          </Trans>
        </p>
        {outcome?.state === "failed" && <HostFailure error={outcome.error} />}
      </div>
    </div>
  );
}

function NoStore({ none }: { none: boolean }) {
  const { t } = useLingui();
  return (
    <Empty title={none ? t`The host has no memory store` : t`No store fits`}>
      {none && <Trans>This key sees none. Another workspace may need another key.</Trans>}
    </Empty>
  );
}

/** Mirrors stores one after the other and stops at the first that fails. */
function useMirroring(hosted: HostedStores, onDone: () => void) {
  const { t } = useLingui();
  const backend = useBackend();
  const job = useJob("first-pull");
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const mirror = async (waiting: readonly HostedStore[]) => {
    let added: string[] = [];
    for (const { remote_id } of waiting) {
      const set = (outcome: Outcome) => setOutcomes((known) => new Map(known).set(remote_id, outcome));
      set({ state: "working" });
      try {
        await job.run(async (name) => {
          const request = { base_url: hosted.base_url, remote_id, name: null, job: name };
          const { id } = await backend.call("add_remote", request);
          added = [...added, id];
          set({ state: "done", store: id });
        });
      } catch (error) {
        set({ state: "failed", error });
        break;
      }
    }
    if (added.length < waiting.length) return;
    say(() => ({
      tone: "done",
      title: t`Mirrored ${plural(added.length, { one: "# hosted store", other: "# hosted stores" })}`,
      detail: t`What was there counts as known; what agents write from now on comes to your inbox with the next pull.`,
    }));
    navigate({ screen: "stores", view: "hosted", store: added[0] });
    onDone();
  };
  return { job, outcomes, mirror };
}

/** The stores of a host, to be chosen from. */
export function HostedChoice({
  hosted,
  onBack,
  onClose,
}: {
  hosted: HostedStores;
  onBack: () => void;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const { job, outcomes, mirror } = useMirroring(hosted, onClose);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => {
    const word = query.trim().toLocaleLowerCase();
    return hosted.stores.filter(({ name, description, remote_id }) =>
      [name, description, remote_id].some((text) => text.toLocaleLowerCase().includes(word)),
    );
  }, [hosted, query]);
  const isDone = (id: string) => outcomes.get(id)?.state === "done";
  const waiting = hosted.stores.filter(({ remote_id }) => chosen.has(remote_id) && !isDone(remote_id));
  const busy = job.name !== null;
  const now = hosted.stores.find(({ remote_id }) => outcomes.get(remote_id)?.state === "working");
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };

  return (
    <Sheet
      title={t`Stores of ${hostName(hosted.base_url)}`}
      size="medium"
      onClose={onClose}
      testId="hosted-choice"
      footer={
        <>
          <Button onPress={onBack} isDisabled={busy}>
            <Trans>Back</Trans>
          </Button>
          <span className="spacer" />
          {busy && <JobProgress job={job} label={now ? t`Pulling ${now.name}` : t`Pulling`} />}
          <Button
            tone="primary"
            isPending={busy}
            isDisabled={waiting.length === 0}
            onPress={() => void mirror(waiting)}
            data-testid="mirror-chosen"
          >
            {plural(waiting.length, { one: "Mirror # store", other: "Mirror # stores" })}
          </Button>
        </>
      }
    >
      <p className="muted">
        <Trans>Memories and all their versions are copied into the log on this machine. The host is only read.</Trans>
      </p>
      {hosted.stores.length > 6 && (
        <input
          type="text"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          placeholder={t`Name or id`}
          aria-label={t`Filter the stores`}
          data-testid="hosted-filter"
        />
      )}
      {shown.length === 0 ? (
        <NoStore none={hosted.stores.length === 0} />
      ) : (
        <VirtualRows
          items={shown}
          keyOf={({ remote_id }) => remote_id}
          estimate={64}
          className={css.foundList}
          role="group"
          aria-label={t`Stores of the host`}
        >
          {(store) => (
            <StoreChoiceRow
              store={store}
              chosen={chosen.has(store.remote_id)}
              outcome={outcomes.get(store.remote_id)}
              locked={busy}
              onChange={(on) => choose(store.remote_id, on)}
            />
          )}
        </VirtualRows>
      )}
    </Sheet>
  );
}
