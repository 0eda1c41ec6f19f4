/** Sessions that machines share: what this machine shares, how rules fared over all of them, and the sessions themselves. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId } from "react";
import type { HubRuleLedger, HubSession, HubShare, HubStatus, HubStore } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { numbers, TableHead } from "@/shared/TableHead";
import { Empty, Segmented, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useOfHub } from "@/state/hub";
import { useRead } from "@/state/queries";
import { HubAwait, useAtHub } from "./failure";
import css from "./hub.module.css";
import { may, WhyNot } from "./rights";
import { SHARES } from "./words";

/** Rows of a page. */
const PAGE = 100;

function Store({ store }: { store: HubStore }) {
  const { t } = useLingui();
  const words = useWords();
  const backend = useBackend();
  const atHub = useAtHub();
  const share = (value: HubShare) =>
    void atHub(async () => {
      await backend.call("hub_share_sessions", { store: store.store_id, share: value });
    });
  return (
    <li className={css.bar} data-testid="hub-share">
      <span className={css.shareName}>{store.name}</span>
      <Segmented
        label={t`What sessions of ${store.name} share`}
        value={store.share ?? "nothing"}
        options={(Object.keys(SHARES) as HubShare[]).map((value) => ({ value, label: words(SHARES[value]) }))}
        onChange={share}
      />
    </li>
  );
}

/** What sessions of this machine's stores share. */
function Shares({ status }: { status: HubStatus }) {
  const title = useId();
  if (!may(status.role, "send")) return <WhyNot right="send" />;
  if (status.stores.length === 0) return null;
  return (
    <section className={css.more} aria-labelledby={title}>
      <h2 id={title}>
        <Trans>What this machine shares</Trans>
      </h2>
      <p className="muted">
        <Trans>
          A summary has times, cost, and where memories and rules stood, and no text of a session. The hub keeps what
          its policy allows, and no more.
        </Trans>
      </p>
      <ul className={css.shares}>
        {status.stores.map((store) => (
          <Store key={store.store_id} store={store} />
        ))}
      </ul>
    </section>
  );
}

function Rule({ rule }: { rule: HubRuleLedger }) {
  const format = useFormat();
  return (
    <tr data-testid="hub-rule">
      <th scope="row">
        {rule.sentence || <span className="mono">{rule.rule_id}</span>}
        <div className="muted">{rule.machines.map((machine) => machine.machine_name).join(" · ")}</div>
      </th>
      <td className="cell-end num">{format.number(rule.sessions)}</td>
      <td className="cell-end num">{format.number(rule.opportunities)}</td>
      <td className="cell-end num">{format.number(rule.followed)}</td>
      <td className={`cell-end num ${rule.broken > 0 ? "text-del" : ""}`}>{format.number(rule.broken)}</td>
      <td className="cell-end num">{format.number(rule.broken_present)}</td>
    </tr>
  );
}

/** How the sessions of all machines fared with rules. */
function Ledger() {
  const { t } = useLingui();
  const title = useId();
  const read = useRead("hub_adherence", {});
  return (
    <section className={css.more} aria-labelledby={title}>
      <h2 id={title}>
        <Trans>Rules over all machines</Trans>
      </h2>
      <HubAwait read={read} rows={3}>
        {({ rules }) =>
          rules.length === 0 ? (
            <p className="muted">
              <Trans>No shared session had a rule.</Trans>
            </p>
          ) : (
            <div className="table-box">
              <table className="table" aria-labelledby={title}>
                <TableHead
                  columns={[
                    t`Rule`,
                    numbers(t`Sessions`),
                    numbers(t`Times it applied`),
                    numbers(t`Followed`),
                    numbers(t`Broken`),
                    numbers(t`Broken while present`),
                  ]}
                />
                <tbody>
                  {rules.map((rule) => (
                    <Rule key={rule.rule_id} rule={rule} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </HubAwait>
    </section>
  );
}

function Session({ session }: { session: HubSession }) {
  const format = useFormat();
  const at = session.ended_at ?? session.started_at;
  return (
    <div className={css.line} data-testid="hub-session">
      {at === null ? (
        <span className="muted">
          <Trans>time not known</Trans>
        </span>
      ) : (
        <Moment at={at} form="moment" />
      )}
      <span className={css.lineMain}>
        <span>
          <strong>{session.projects.join(", ") || session.stores.join(", ") || session.agent}</strong>{" "}
          <span className="muted">{session.machine_name}</span>
        </span>
        <span className="muted">
          <span className="mono">{session.agent}</span> ·{" "}
          <Plural value={session.requests} one="# request" other="# requests" />
          {session.cost_usd !== null && ` · ${format.dollars(session.cost_usd)}`}
        </span>
      </span>
    </div>
  );
}

function Sessions() {
  const { t } = useLingui();
  const title = useId();
  const backend = useBackend();
  const read = useInfiniteQuery({
    queryKey: ["hub_sessions", {}],
    queryFn: ({ pageParam }) =>
      backend.call("hub_sessions", { limit: PAGE, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
  const rows = read.data?.pages.flatMap((page) => page.sessions);
  const more = () => {
    if (read.hasNextPage && !read.isFetchingNextPage) void read.fetchNextPage();
  };
  return (
    <section className={css.sessions} aria-labelledby={title}>
      <h2 id={title}>
        <Trans>Shared sessions</Trans>
      </h2>
      <HubAwait read={{ data: rows, error: read.error, refetch: read.refetch }} rows={6}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t`No machine shares sessions`}>
              <Trans>Nothing of a session leaves a machine before a person shares it there.</Trans>
            </Empty>
          ) : (
            <VirtualRows
              items={all}
              keyOf={(session) => `${session.machine} ${session.session}`}
              estimate={52}
              className={css.lines}
              onEnd={more}
              role="group"
              tabIndex={0}
              aria-label={t`Shared sessions`}
            >
              {(session) => <Session session={session} />}
            </VirtualRows>
          )
        }
      </HubAwait>
    </section>
  );
}

/** The sessions of all machines. */
export function SessionsView({ status }: { status: HubStatus }) {
  const ofHub = useOfHub();
  return (
    <div className={css.body}>
      {!ofHub && <Shares status={status} />}
      <Ledger />
      <Sessions />
    </div>
  );
}
