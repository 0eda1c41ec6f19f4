/** The inbox: what agents wrote since it was last reviewed, one change after the other, by keyboard alone if wanted. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { InboxItem } from "@/bindings";
import { useFormat } from "@/shared/format";
import { KindChoice } from "@/shared/KindChoice";
import { MenuEntry } from "@/shared/menu";
import { StoreChoice } from "@/shared/StoreChoice";
import { Chip, Failure, Skeleton } from "@/shared/ui";
import { useInbox, useInboxKinds } from "@/state/inbox";
import { useRead } from "@/state/queries";
import { type InboxRoute, navigate } from "@/state/route";
import { ApproveSheet } from "./ApproveSheet";
import { EditPanel } from "./EditPanel";
import { InboxList } from "./InboxList";
import { GroupActions, type ItemActs, ItemPanel } from "./ItemPanel";
import { type Listed, type Pages, useListed } from "./listed";
import { NothingLeft } from "./NothingLeft";
import { approveSeveral, approveText, type Several } from "./perform";
import { narrowedBy, type Reviewing, useInboxKeys, useItemActs, useReviewing } from "./reviewing";
import type { ItemRow } from "./rows";
import { Skipped } from "./Skipped";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

interface RowEntriesProps {
  group: number;
  onOpen: () => void;
  onGroup: () => void;
  onUpTo: () => void;
}

/** Further acts on a row. What concerns several items is here or has a key of its own that begins no other. */
function RowEntries({ group, onOpen, onGroup, onUpTo }: RowEntriesProps) {
  return (
    <>
      <MenuEntry onAction={onUpTo} testId="review-up-to">
        <Trans>Reviewed up to here…</Trans>
      </MenuEntry>
      <MenuEntry onAction={onGroup} testId="menu-approve-group">
        <Plural value={group} one="Approve the group" other="Approve the group of #…" />
      </MenuEntry>
      <MenuEntry onAction={onOpen} testId="menu-open-memory">
        <Trans>Open in Memories</Trans>
      </MenuEntry>
    </>
  );
}

/** Names of the stores, where the list shows items of several. */
function useStoreName(store: string | undefined): (id: string) => string | null {
  const { data } = useRead("stores", {});
  const areSeveral = (data?.stores.length ?? 0) > 1 && store === undefined;
  return (id) => (areSeveral ? (data?.stores.find((known) => known.id === id)?.name ?? null) : null);
}

/** Props of the parts of the review. */
interface ReviewPartProps {
  listed: Listed;
  reviewing: Reviewing;
  acts: ItemActs;
}

/** The list, with what can be done to a row. */
function Side({ route, pages, listed, reviewing, acts }: ReviewPartProps & { route: InboxRoute; pages: Pages }) {
  const { rows, items, row, chosen } = listed;
  const { skipped, leave, choose } = reviewing;
  const storeName = useStoreName(route.store);
  // Never while something is read: that would be broken off, and what changes meanwhile is read again and again.
  const canGoOn = pages.hasNextPage && !pages.isFetching && !pages.isFetchNextPageError;
  const more = canGoOn ? () => void pages.fetchNextPage({ cancelRefetch: false }) : undefined;
  const menu = (of: ItemRow) => (
    <RowEntries
      group={of.group.total}
      onOpen={() => reviewing.leaveFor({ screen: "memories", store: of.item.store_id, memory: of.item.memory_id })}
      onGroup={() => reviewing.askGroup(of)}
      onUpTo={() => reviewing.askUpTo(of)}
    />
  );
  return (
    <div className={css.inboxSide}>
      {skipped.length > 0 && <Skipped skipped={skipped} onClose={() => leave([])} />}
      <InboxList
        rows={rows}
        items={items}
        total={pages.data?.pages[0]?.total ?? items.length}
        chosen={chosen}
        onChoose={choose}
        storeName={storeName}
        onEnd={more}
        menu={menu}
      />
      {row && reviewing.editing === null && <GroupActions row={row} acts={acts} menu={menu(row)} />}
    </div>
  );
}

/** The final text of an item, as it is being edited. */
function Editing({ item, reviewing }: { item: InboxItem; reviewing: Reviewing }) {
  const { desk, setEditing, goOn } = reviewing;
  return (
    <>
      <header className="pane-header">
        <div className="pane-title">
          <h1 data-testid="item-title">{item.path}</h1>
          <Chip tone="accent">
            <Trans>editing the final text</Trans>
          </Chip>
        </div>
      </header>
      <EditPanel
        key={item.version_id}
        item={item}
        onClose={() => setEditing(null)}
        onSave={async (text) => {
          const result = await approveText(desk, item, text);
          setEditing(null);
          goOn(result);
        }}
      />
    </>
  );
}

/** The chosen change. */
function ChosenPane({ listed: { row, seen }, reviewing, acts }: ReviewPartProps) {
  const { t } = useLingui();
  const { editing, busy } = reviewing;
  return (
    <section className={classes("pane", css.inboxPane)} aria-label={t`The chosen change`} data-testid="inbox-pane">
      {editing ? (
        <Editing item={editing} reviewing={reviewing} />
      ) : (
        row && seen && <ItemPanel seen={seen} now={row.item} acts={acts} busy={busy} />
      )}
    </section>
  );
}

/** The sheet that asks before several are approved. */
function SeveralSheet({ several, reviewing }: { several: Several; reviewing: Reviewing }) {
  const { desk, busy, run, goOn, setSeveral } = reviewing;
  return (
    <ApproveSheet
      several={several}
      busy={busy}
      onClose={() => setSeveral(null)}
      onApprove={(ticked) =>
        void run(async () => {
          const result = await approveSeveral(desk, several, ticked);
          setSeveral(null);
          goOn(result);
        })
      }
    />
  );
}

function Review({ route, pages }: { route: InboxRoute; pages: Pages }) {
  const listed = useListed(pages, route.memory);
  const reviewing = useReviewing(route, pages, listed);
  const acts = useItemActs(listed, reviewing);
  useInboxKeys(acts, listed, reviewing);
  const { editing, several } = reviewing;
  if (!(editing ?? listed.seen) || (!listed.row && !editing)) return <NothingLeft route={route} undo={acts.undo} />;
  return (
    <>
      <Side route={route} pages={pages} listed={listed} reviewing={reviewing} acts={acts} />
      <ChosenPane listed={listed} reviewing={reviewing} acts={acts} />
      {several && <SeveralSheet several={several} reviewing={reviewing} />}
    </>
  );
}

/** The screen of the inbox. */
export function InboxScreen({ route }: { route: InboxRoute }) {
  const format = useFormat();
  const narrowed = narrowedBy(route);
  const pages = useInbox(narrowed);
  const kinds = useInboxKinds(narrowed.store);
  const total = pages.data?.pages[0]?.total;
  return (
    <main className={classes("screen", css.inboxScreen)} data-testid="inbox-screen">
      <header className="list-header">
        <h1>
          <Trans>Inbox</Trans>
        </h1>
        {total !== undefined && (
          <span className="muted num" data-testid="inbox-total" data-total={total}>
            {narrowed.kind === null ? (
              <Trans>{format.number(total)} unreviewed</Trans>
            ) : (
              <Trans>{format.number(total)} of this kind unreviewed</Trans>
            )}
          </span>
        )}
        <div className={css.inboxFilters}>
          <KindChoice
            kind={route.kind}
            counts={kinds.data?.kinds ?? []}
            onChange={(kind) => navigate({ screen: "inbox", store: route.store, kind })}
            testId="inbox-kind"
          />
          <StoreChoice
            store={route.store}
            onChange={(store) => navigate({ screen: "inbox", store, kind: route.kind })}
            testId="inbox-store"
          />
        </div>
      </header>
      {pages.data ? (
        <Review key={`${route.store} ${route.kind}`} route={route} pages={pages} />
      ) : pages.error ? (
        <Failure error={pages.error} retry={() => void pages.refetch()} />
      ) : (
        <Skeleton rows={10} />
      )}
    </main>
  );
}
