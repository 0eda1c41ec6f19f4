/** Proposals of memories to remove, with their evidence. Nothing goes by itself. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Expiry, ExpiryProposal, Health } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { Space } from "@/shared/punctuation";
import { Await, Button, Checkbox, Chip, Empty, useWords } from "@/shared/ui";
import { startAct } from "@/state/acts";
import { useRead } from "@/state/queries";
import { formatRoute } from "@/state/route";
import { REASONS } from "./words";
import { classes } from "@/shared/classes";
import css from "./health.module.css";

const keyOf = ({ store_id, path }: ExpiryProposal) => `${store_id}:${path}`;

function Row({
  proposal,
  selected,
  onSelect,
}: {
  proposal: ExpiryProposal;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}) {
  const { t } = useLingui();
  const words = useWords();
  const program = useProgramWords();
  const format = useFormat();
  const line = proposal.reasons.find((reason) => reason.line !== null)?.line ?? undefined;
  const { store_id: store, memory_id: memory } = proposal;
  return (
    <tr data-testid="expiry-row" data-path={proposal.path}>
      <td>
        <Checkbox label={t`Choose ${proposal.path}`} hideLabel isSelected={selected} onChange={onSelect} />
      </td>
      <th scope="row">
        <a className="mono" href={formatRoute({ screen: "memories", store, memory, tab: "content", line })}>
          {proposal.path}
        </a>
        {proposal.index_lines.map((known) => (
          <div key={`${known.path}:${known.line}`} className="muted" title={known.text}>
            <Trans>
              with line {known.line} of {known.path}
            </Trans>
          </div>
        ))}
      </th>
      <td>
        {proposal.reasons.map((reason) => (
          <div key={`${reason.kind}:${reason.line}:${reason.message.text}`} className={css.expiryReason}>
            <Chip>{words(REASONS[reason.kind] ?? reason.kind)}</Chip> {program.sentence(reason.message)}
          </div>
        ))}
      </td>
      <td className="cell-end num">{format.bytes(proposal.content_size_bytes)}</td>
      <td className="cell-end">
        <Moment at={proposal.changed_at} form="ago" />
      </td>
    </tr>
  );
}

function StoreProposals({ name, proposals }: { name: string; proposals: readonly ExpiryProposal[] }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const picked = proposals.filter((proposal) => chosen.has(keyOf(proposal)));
  const select = (key: string, selected: boolean) => {
    const next = new Set(chosen);
    if (selected) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  const remove = () =>
    startAct({
      command: "expire",
      request: {
        store: proposals[0]!.store_id,
        memories: picked.map(({ path, content_sha256 }) => ({ path, expect: content_sha256 })),
      },
      subject: picked.length === 1 ? picked[0]!.path : t`${picked.length} memories of ${name}`,
    });
  return (
    <section className="expiry-store" aria-label={name}>
      <header className={css.expiryHeader}>
        <h2>{name}</h2>
        <span className="muted">
          <Plural value={proposals.length} one="# proposal" other="# proposals" />
        </span>
        <span className="spacer" />
        <Button onPress={() => setChosen(new Set(proposals.map(keyOf)))}>
          <Trans>Choose all</Trans>
        </Button>
        <Button tone="danger" onPress={remove} isDisabled={picked.length === 0} data-testid="expire">
          <Trans>Remove…</Trans>
        </Button>
      </header>
      <div className="table-box">
        <table className={classes("table", css.expiryTable)} aria-label={t`Proposals to remove from ${name}`}>
          <tbody>
            {proposals.map((proposal) => (
              <Row
                key={keyOf(proposal)}
                proposal={proposal}
                selected={chosen.has(keyOf(proposal))}
                onSelect={(selected) => select(keyOf(proposal), selected)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Proposals({ expiry, health }: { expiry: Expiry; health: Health }) {
  const { t } = useLingui();
  const stores = health.stores
    .map((store) => ({ store, proposals: expiry.proposals.filter(({ store_id }) => store_id === store.store_id) }))
    .filter(({ proposals }) => proposals.length > 0);
  const days = expiry.unloaded_days;
  const logDays = expiry.log_days;
  return (
    <div className="scroll-pane">
      <p className={classes("muted", css.expiryNote)}>
        <Trans>
          Proposed for removal: daily logs older than {logDays} days, memories that speak of a day that is past, and
          memories with the same bytes as another.
        </Trans>
        <Space />
        {expiry.loads ? (
          <Trans>Also memories that no session loaded for {days} days, though ten or more could have.</Trans>
        ) : (
          <Trans>Memories that no session loads are proposed once the transcripts are read.</Trans>
        )}
        <Space />
        <Trans>Nothing is removed automatically.</Trans>
      </p>
      {stores.length === 0 ? (
        <Empty title={t`Nothing is proposed`} />
      ) : (
        stores.map(({ store, proposals }) => (
          <StoreProposals key={store.store_id} name={store.name} proposals={proposals} />
        ))
      )}
    </div>
  );
}

/** Proposals for a store or of all; with what sessions loaded where that was read. */
export function ExpiryList({ health, store, loads }: { health: Health; store: string | undefined; loads: boolean }) {
  const { t } = useLingui();
  const request = { store: store ?? null, loads, unloaded_days: null, log_days: null };
  const read = useRead("expiry", request, { keepPrevious: true });
  return (
    <Await read={read} doing={t`Looking for memories that could be removed.`}>
      {(expiry) => <Proposals expiry={expiry} health={health} />}
    </Await>
  );
}
