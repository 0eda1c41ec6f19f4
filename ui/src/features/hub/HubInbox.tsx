/** What nobody reviewed on any machine: the list, and one change with its difference, findings, comments and reviews. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { HubItem } from "@/bindings";
import { byRule, findingTone } from "@/shared/findings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { neighbour, Picker, type PickerRow } from "@/shared/Picker";
import { useProgramWords } from "@/shared/program";
import { Chip, Empty, useWords } from "@/shared/ui";
import { useOfHub } from "@/state/hub";
import { useKeys } from "@/state/keys";
import { navigate, type HubRoute } from "@/state/route";
import { HubAwait } from "./failure";
import css from "./hub.module.css";
import { HubItemPane } from "./HubItemPane";
import { nameOf, useShown } from "./item";
import { isLeast, totalOf, useHubInbox } from "./inbox";
import { may, useRole, WhyNot } from "./rights";
import { CHANGES } from "./words";

type Row = PickerRow & { item: HubItem };

/** What the rules found in a change that was opened before; a row asks for nothing by itself, as the hub notes each reading. */
function FoundChips({ item }: { item: HubItem }) {
  const program = useProgramWords();
  const found = useShown(item, false).data?.findings ?? [];
  return byRule(found).map(({ finding }) => (
    <Chip key={finding.rule} tone={findingTone(finding)}>
      {program.ruleName(finding.rule)}
    </Chip>
  ));
}

function RowView({ item }: { item: HubItem }) {
  const words = useWords();
  const change = CHANGES[item.operation];
  return (
    <div className={css.row}>
      <span className={css.sign} aria-hidden>
        {change?.sign ?? "~"}
      </span>
      <span className={css.path}>{item.path ?? <Trans>redacted</Trans>}</span>
      <span className={css.rowMore}>
        {change && <>{words(change.word)} · </>}
        {item.machine_name} · {item.project ?? item.store_name} · <Moment at={item.created_at} form="ago" />
      </span>
      <span className={css.chips}>
        <FoundChips item={item} />
        {item.content === "not_sent" && (
          <Chip>
            <Trans>content not sent</Trans>
          </Chip>
        )}
        {item.comments > 0 && (
          <Chip>
            <Plural value={item.comments} one="# comment" other="# comments" />
          </Chip>
        )}
      </span>
    </div>
  );
}

/** Goes to a change of the list. */
const choose = (item: HubItem | undefined) => {
  if (item) navigate({ screen: "hub", version: nameOf(item) }, { replace: true });
};

function Listed({ items, total, least, route, more }: ListedProps) {
  const { t } = useLingui();
  const format = useFormat();
  const role = useRole();
  const rows = items.map((item, at): Row => ({
    key: nameOf(item),
    label: item.path ?? "",
    level: 0,
    leaf: true,
    open: false,
    item,
    position: at + 1,
    siblings: total,
  }));
  const chosen = rows.find(({ key }) => key === route.version) ?? rows[0];
  const beside = (by: 1 | -1) => neighbour(rows, chosen?.key ?? null, by)?.item;
  useKeys([
    { keys: "j", label: t`Next change`, run: () => choose(beside(1)) },
    { keys: "k", label: t`Previous change`, run: () => choose(beside(-1)) },
  ]);
  // After the last one the list goes on with the one before it.
  const after = () => {
    const next = beside(1);
    choose(next && chosen && nameOf(next) !== chosen.key ? next : beside(-1));
  };
  return (
    <div className={css.inbox}>
      <div className={css.side}>
        <p className={css.total} data-testid="hub-total">
          {least ? (
            <Trans>More than {format.number(total)} unreviewed memories</Trans>
          ) : (
            <Plural value={total} one="# unreviewed memory" other="# unreviewed memories" />
          )}
        </p>
        {role === "writer" && <WhyNot right="contents" />}
        <Picker
          role="listbox"
          label={t`Not reviewed`}
          rows={rows}
          chosen={chosen?.key ?? null}
          onChoose={({ item }) => choose(item)}
          estimate={62}
          className={css.list}
          rowTestId="hub-item"
          onEnd={more}
        >
          {({ item }) => <RowView item={item} />}
        </Picker>
      </div>
      {chosen && (
        <HubItemPane key={chosen.key} item={chosen.item} onApproved={after} onNext={() => choose(beside(1))} />
      )}
    </div>
  );
}

interface ListedProps {
  items: HubItem[];
  total: number;
  /** There are more than `total`. */
  least: boolean;
  route: HubRoute;
  more: () => void;
}

/** The inbox of all machines. */
export function HubInboxView({ route }: { route: HubRoute }) {
  const { t } = useLingui();
  const role = useRole();
  // A writer is listed the changes of its own machine; a window has none.
  const listed = useOfHub() ? "contents" : "send";
  const read = useHubInbox();
  const items = read.data?.pages.flatMap((page) => page.items);
  const total = totalOf(read) ?? 0;
  const more = () => {
    if (read.hasNextPage && !read.isFetchingNextPage) void read.fetchNextPage();
  };
  return (
    <HubAwait read={{ data: items, error: read.error, refetch: read.refetch }} rows={8}>
      {(all) =>
        all.length === 0 ? (
          <Empty title={may(role, listed) ? t`Everything is reviewed` : t`Changes are not listed for this role`}>
            {may(role, "contents") ? <Trans>No machine has an unreviewed change.</Trans> : <WhyNot right="contents" />}
          </Empty>
        ) : (
          <Listed items={all} total={total} least={isLeast(read)} route={route} more={more} />
        )
      }
    </HubAwait>
  );
}
