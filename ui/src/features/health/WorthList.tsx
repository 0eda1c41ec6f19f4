/** What each memory costs a session and does. What costs and does nothing comes first. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { MemoriesWorth, MemoryWorth } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { TableHead, numbers } from "@/shared/TableHead";
import { Await, Button, Empty, Segmented } from "@/shared/ui";
import { Effect, RuleFared } from "@/shared/worth";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { formatRoute } from "@/state/route";
import css from "./health.module.css";
import { inOrder, type WorthOrder } from "./worth";

function Row({ worth }: { worth: MemoryWorth }) {
  const format = useFormat();
  const money = worth.cost_usd_per_session;
  const { store_id: store, memory_id: memory } = worth;
  return (
    <tr data-testid="worth-row" data-path={worth.path}>
      <th scope="row">
        <a className="mono" href={formatRoute({ screen: "memories", store, memory, tab: "reach" })}>
          {worth.path}
        </a>
        <div className={classes("muted", css.worthStore)}>{worth.store}</div>
      </th>
      <td>
        <Effect effect={worth.effect} />
        {worth.rules.map((rule) => (
          <div key={rule.rule_id} className={css.expiryReason}>
            <RuleFared rule={rule} />
          </div>
        ))}
      </td>
      <td className="cell-end num">{`≈\u202f${format.number(worth.tokens_per_session)}`}</td>
      <td className="cell-end num">
        {money !== null ? (
          format.dollars(money)
        ) : (
          <span className="muted">{worth.present === 0 ? <Trans>never loaded</Trans> : <Trans>no price</Trans>}</span>
        )}
      </td>
      <td className="cell-end num">
        <Trans>
          {format.number(worth.present)} of {format.number(worth.sessions)}
        </Trans>
      </td>
    </tr>
  );
}

function Listed({ found }: { found: MemoriesWorth }) {
  const { t } = useLingui();
  const [order, setOrder] = useState<WorthOrder>("effect");
  if (found.memories.length === 0) return <Empty title={t`No memories`} />;
  return (
    <div className="scroll-pane">
      <header className={css.expiryHeader}>
        <span className="muted">
          <Plural value={found.memories.length} one="# memory" other="# memories" />
        </span>
        <span className="spacer" />
        <Segmented
          label={t`Order`}
          value={order}
          options={[
            { value: "effect", label: t`Does nothing` },
            { value: "cost", label: t`Costs most` },
            { value: "present", label: t`Seen least` },
          ]}
          onChange={setOrder}
        />
      </header>
      <p className={classes("muted", css.expiryNote)}>
        <Trans>
          Costs are those of a session that loads the whole memory. Below ten opportunities, counts are shown and no
          rate. Present does not mean followed.
        </Trans>
      </p>
      <div className="table-box">
        <table className={classes("table", css.worthTable)} aria-label={t`What memories cost and do`}>
          <TableHead
            columns={[
              t`Memory`,
              t`What it does`,
              numbers(t`Tokens per session`),
              numbers(t`Price per session`),
              numbers(t`Sessions that had it`),
            ]}
          />
          <tbody>
            {inOrder(found.memories, order).map((worth) => (
              <Row key={worth.memory_id} worth={worth} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The memories of a store, or of all. */
export function WorthList({ store }: { store: string | undefined }) {
  const { t } = useLingui();
  const backend = useBackend();
  const read = useRead("memory_worth", { store: store ?? null, memory: null }, { keepPrevious: true });
  return (
    <>
      {read.isFetching && (
        <div className={css.worthStop}>
          <Button onPress={() => void backend.call("cancel", { job: "worth" })}>
            <Trans>Stop reading transcripts</Trans>
          </Button>
        </div>
      )}
      <Await
        read={read}
        rows={8}
        doing={t`Reading transcripts to see what each memory costs and does. The first time takes longest.`}
      >
        {(found) => <Listed found={found} />}
      </Await>
    </>
  );
}
