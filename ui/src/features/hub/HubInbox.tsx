/** What nobody reviewed on any machine: the list, and one change with its difference, comments and reviews. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { HubItem } from "@/bindings";
import { classes } from "@/shared/classes";
import { Moment } from "@/shared/labels";
import { Await, Chip, Empty } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { formatRoute, navigate, type HubRoute } from "@/state/route";
import css from "./hub.module.css";
import { HubItemPane } from "./HubItemPane";

/** Rows of a page. */
const PAGE = 100;

/** Name of a version at the hub; several machines can have one of the same id. */
export const nameOf = (item: Pick<HubItem, "id" | "machine">) => `${item.id}@${item.machine}`;

function useHubInbox() {
  const backend = useBackend();
  return useInfiniteQuery({
    queryKey: ["hub_inbox", {}],
    queryFn: ({ pageParam }) =>
      backend.call("hub_inbox", pageParam === null ? { limit: PAGE } : { limit: PAGE, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

function Row({ item, chosen }: { item: HubItem; chosen: boolean }) {
  return (
    <a
      className={classes(css.row, chosen && "is-chosen")}
      href={formatRoute({ screen: "hub", version: nameOf(item) })}
      aria-current={chosen || undefined}
      data-testid="hub-item"
    >
      <span className={classes("mono", css.path)}>{item.path ?? <Trans>redacted</Trans>}</span>
      <span className="muted">
        {item.machine_name} · {item.project ?? item.store_name} · <Moment at={item.created_at} form="ago" />
      </span>
      <span className={css.chips}>
        {item.content === "not_sent" && (
          <Chip>
            <Trans>content not sent</Trans>
          </Chip>
        )}
        {item.comments > 0 && (
          <Chip tone="accent">
            <Plural value={item.comments} one="# comment" other="# comments" />
          </Chip>
        )}
      </span>
    </a>
  );
}

function Listed({ items, total, route, more }: ListedProps) {
  const { t } = useLingui();
  const found = items.findIndex((item) => nameOf(item) === route.version);
  const at = found < 0 ? 0 : found;
  const go = (to: number) => {
    const item = items[Math.min(Math.max(to, 0), items.length - 1)];
    if (item) navigate({ screen: "hub", version: nameOf(item) }, { replace: true });
  };
  useKeys([
    { keys: "j", label: t`Next change`, run: () => go(at + 1) },
    { keys: "k", label: t`Previous change`, run: () => go(at - 1) },
  ]);
  const chosen = items[at];
  return (
    <div className={css.inbox}>
      <div className={css.side}>
        <p className={classes("muted", css.total)} data-testid="hub-total">
          <Plural value={total} one="# memory that nobody reviewed" other="# memories that nobody reviewed" />
        </p>
        <VirtualRows
          items={items}
          keyOf={nameOf}
          estimate={62}
          reveal={at}
          className={css.list}
          onEnd={more}
          role="group"
          aria-label={t`Not reviewed`}
        >
          {(item, index) => <Row item={item} chosen={index === at} />}
        </VirtualRows>
      </div>
      {chosen && <HubItemPane key={nameOf(chosen)} item={chosen} />}
    </div>
  );
}

interface ListedProps {
  items: HubItem[];
  total: number;
  route: HubRoute;
  more: () => void;
}

/** The inbox of all machines. */
export function HubInboxView({ route }: { route: HubRoute }) {
  const { t } = useLingui();
  const read = useHubInbox();
  const items = read.data?.pages.flatMap((page) => page.items);
  const total = read.data?.pages[0]?.total ?? items?.length ?? 0;
  const more = () => {
    if (read.hasNextPage && !read.isFetchingNextPage) void read.fetchNextPage();
  };
  return (
    <Await read={{ data: items, error: read.error, refetch: read.refetch }} rows={8}>
      {(all) =>
        all.length === 0 ? (
          <Empty title={t`Everything is reviewed`}>
            <Trans>No machine has a change that nobody reviewed.</Trans>
          </Empty>
        ) : (
          <Listed items={all} total={total} route={route} more={more} />
        )
      }
    </Await>
  );
}
