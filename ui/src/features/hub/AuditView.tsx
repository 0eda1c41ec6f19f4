/** The audit log of the hub: who did and saw what. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { HubAuditRow } from "@/bindings";
import { Moment } from "@/shared/labels";
import { Chip, Empty } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { HubAwait } from "./failure";
import css from "./hub.module.css";
import { may, useRole, WhyNot } from "./rights";
import { AUDITED } from "./words";

/** Rows of a page. */
const PAGE = 200;

function Row({ row }: { row: HubAuditRow }) {
  const { i18n } = useLingui();
  const known = AUDITED[row.action];
  return (
    <div className={css.line} data-testid="audit-row" data-outcome={row.outcome}>
      <Moment at={row.at} form="moment" />
      <span className={css.lineMain}>
        <span>
          {known ? <strong>{i18n._(known)}</strong> : <strong className="mono">{row.action}</strong>}{" "}
          <span className="mono muted">{row.subject}</span>
        </span>
        <span className="muted">
          {row.machine_name ?? <Trans>the hub</Trans>}
          {row.person && ` · ${row.person}`}
        </span>
        {row.before !== null && (
          <span className="mono muted">
            {row.before} → {row.after}
          </span>
        )}
      </span>
      {row.outcome !== "done" && (
        <Chip tone="warn">
          <Trans>refused</Trans>
        </Chip>
      )}
    </div>
  );
}

/** The audit log, newest first. */
export function AuditView() {
  const { t } = useLingui();
  const role = useRole();
  if (!may(role, "audit"))
    return (
      <Empty title={t`The audit log is not shown`}>
        <WhyNot right="audit" />
      </Empty>
    );
  return <Rows />;
}

function Rows() {
  const { t } = useLingui();
  const backend = useBackend();
  const read = useInfiniteQuery({
    queryKey: ["hub_audit", {}],
    queryFn: ({ pageParam }) =>
      backend.call("hub_audit", {
        limit: PAGE,
        newest_first: true,
        ...(pageParam === null ? {} : { after: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
  const rows = read.data?.pages.flatMap((page) => page.rows);
  const more = () => {
    if (read.hasNextPage && !read.isFetchingNextPage) void read.fetchNextPage();
  };
  return (
    <HubAwait read={{ data: rows, error: read.error, refetch: read.refetch }} rows={8}>
      {(all) =>
        all.length === 0 ? (
          <Empty title={t`The audit log is empty`}>
            <Trans>Who did and read what at the hub is listed here.</Trans>
          </Empty>
        ) : (
          <VirtualRows
            items={all}
            keyOf={(row) => row.seq}
            estimate={48}
            className={css.lines}
            onEnd={more}
            role="group"
            // Keys scroll it; nothing in it takes the focus.
            tabIndex={0}
            aria-label={t`Audit log`}
          >
            {(row) => <Row row={row} />}
          </VirtualRows>
        )
      }
    </HubAwait>
  );
}
