/** The inbox as triage: what needs a person first, each with its remedy, then the routine rest, by keyboard alone if wanted. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { InboxItem, Triage, TriageRow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { KindChoice } from "@/shared/KindChoice";
import { MenuEntry, MoreMenu } from "@/shared/menu";
import { StoreChoice } from "@/shared/StoreChoice";
import { Chip, Failure, Kbd, Skeleton } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { useNewestReview } from "@/state/reviews";
import { type InboxRoute, navigate } from "@/state/route";
import { useInboxKinds, useTriage } from "@/state/triage";
import { ApproveSheet } from "./ApproveSheet";
import { BrokenRules } from "./BrokenRules";
import { ClusterPanel, RangePanel } from "./ClusterPanel";
import { EditPanel } from "./EditPanel";
import css from "./inbox.module.css";
import { InboxList } from "./InboxList";
import { ItemPanel } from "./ItemPanel";
import { type Listed, useListed } from "./listed";
import { NeedNotice } from "./NeedNotice";
import { NothingLeft } from "./NothingLeft";
import { type Opening, useOpening } from "./opening";
import { approveSeveral, approveText, type Several, undoReview } from "./perform";
import { usePrimary } from "./primary";
import { narrowedBy, type Reviewing, useInboxKeys, useItemActs, useReviewing } from "./reviewing";
import { type Stop, versionsOfAll } from "./rows";
import { Skipped } from "./Skipped";
import { RowTitle, useItemName } from "./titles";

/** Further acts on a row. What concerns several items is here or has a key of its own that begins no other. */
function RowEntries({ item, reviewing }: { item: InboxItem; reviewing: Reviewing }) {
  const { askUpTo, leaveFor } = reviewing;
  return (
    <>
      <MenuEntry onAction={() => askUpTo(item)} testId="review-up-to">
        <Trans>Reviewed up to here…</Trans>
      </MenuEntry>
      <MenuEntry
        onAction={() => leaveFor({ screen: "memories", store: item.store_id, memory: item.memory_id })}
        testId="menu-open-memory"
      >
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

/** The keys that walk the list, and the menu of the chosen row. */
function ListTools({ stop, menu }: { stop: Stop | null; menu: (stop: Stop) => ReactNode }) {
  const { t } = useLingui();
  const name = useItemName();
  const item = stop?.kind === "item" ? stop.item : stop?.row.items[0];
  return (
    <div className={css.inboxListTools} role="toolbar" aria-label={t`Acts on several changes`}>
      <span className={css.inboxHints} aria-hidden>
        <span className={css.inboxHint}>
          <Kbd keys="j" /> <Kbd keys="k" /> <Trans context="to another row">Move</Trans>
        </span>
        <span className={css.inboxHint}>
          <Kbd keys="]" /> <Trans>Next group</Trans>
        </span>
        <span className={css.inboxHint}>
          <Kbd keys="shift+↓" /> <Trans>Select a range</Trans>
        </span>
      </span>
      {stop && (
        <MoreMenu name={name(item)} testId="more-for-item">
          {menu(stop)}
        </MoreMenu>
      )}
    </div>
  );
}

/** Props of the parts of the review. */
interface ReviewPartProps {
  listed: Listed;
  reviewing: Reviewing;
}

interface SideProps extends ReviewPartProps {
  route: InboxRoute;
  triage: Triage;
  opening: Opening;
}

/** The list, with what can be done to a row. */
function Side({ route, triage, opening, listed, reviewing }: SideProps) {
  const { rows, stops, stop, chosen, range } = listed;
  const { skipped, leave, choose } = reviewing;
  const storeName = useStoreName(route.store);
  const menu = (of: Stop) => {
    const item = of.kind === "item" ? of.item : of.row.items[0];
    return item && <RowEntries item={item} reviewing={reviewing} />;
  };
  return (
    <div className={css.inboxSide}>
      <BrokenRules broken={triage.broken} total={triage.broken_total} />
      {skipped.length > 0 && <Skipped skipped={skipped} onClose={() => leave([])} />}
      <InboxList
        rows={rows}
        stops={stops}
        chosen={chosen}
        range={range}
        onChoose={choose}
        onToggle={opening.toggle}
        onReject={reviewing.rejectRow}
        onApproveRoutine={reviewing.approveRoutine}
        storeName={storeName}
        menu={menu}
      />
      {reviewing.editing === null && <ListTools stop={stop} menu={menu} />}
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
          <h2 className="opened-title" data-testid="item-title">
            {item.path}
          </h2>
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

interface ChosenProps extends ReviewPartProps {
  row: TriageRow;
  /** Shows one of the changes of a row. */
  onMember: (row: TriageRow, memory: string) => void;
}

/** What is chosen: a range, a row of several changes, or one change. */
function Chosen({ listed, reviewing, row, onMember }: ChosenProps) {
  const { stop, seen, range } = listed;
  const acts = useItemActs(listed, reviewing);
  const { primary, picker } = usePrimary(row, () => reviewing.reject());
  useInboxKeys(acts, listed, reviewing, range.length > 0 ? null : primary);
  const { editing, busy } = reviewing;
  const below = stop?.kind === "item" && stop.below;
  const notice = row.reason === null || below ? null : <NeedNotice row={row} primary={primary} />;
  if (editing) return <Editing item={editing} reviewing={reviewing} />;
  if (range.length > 0) {
    const items = range.flatMap((one) => (one.kind === "item" ? [one.item] : one.row.items));
    return <RangePanel versions={versionsOfAll(range)} items={items} acts={acts} busy={busy} />;
  }
  return (
    <>
      {stop?.kind === "head" ? (
        <ClusterPanel
          row={row}
          title={<RowTitle row={row} />}
          notice={notice}
          acts={acts}
          busy={busy}
          onChoose={(memory) => onMember(row, memory)}
        />
      ) : (
        seen &&
        stop && (
          <ItemPanel seen={seen} now={stop.item} acts={acts} busy={busy} notice={notice} said={notice && row.finding} />
        )
      )}
      {picker}
    </>
  );
}

/** The pane of what is chosen. */
function ChosenPane(props: ChosenProps) {
  const { t } = useLingui();
  return (
    <section className={classes("pane", css.inboxPane)} aria-label={t`The chosen change`} data-testid="inbox-pane">
      <Chosen {...props} />
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

function Review({ route, triage }: { route: InboxRoute; triage: Triage }) {
  const { t } = useLingui();
  const opening = useOpening(triage);
  const listed = useListed(triage, opening, route.memory);
  const reviewing = useReviewing(route, triage, listed);
  const undoable = useNewestReview();
  const { editing, several, run, desk } = reviewing;
  const row = listed.stop?.row ?? null;
  const undo = undoable && (() => void run(() => undoReview(desk, undoable.seq)));
  // Also where nothing is left, and nothing is chosen.
  useKeys([{ keys: "u", label: t`Undo the last review`, run: () => undo?.(), enabled: undo !== null }]);
  if (row === null && !editing) {
    return <NothingLeft route={route} undo={undo} triage={triage} />;
  }
  const onMember = (of: TriageRow, memory: string) => {
    opening.toggle(of, true);
    reviewing.choose(memory);
  };
  return (
    <>
      <Side route={route} triage={triage} opening={opening} listed={listed} reviewing={reviewing} />
      {row && <ChosenPane listed={listed} reviewing={reviewing} row={row} onMember={onMember} />}
      {several && <SeveralSheet several={several} reviewing={reviewing} />}
    </>
  );
}

/** How much is left, and what the list is narrowed to. */
function Header({ route, total }: { route: InboxRoute; total: number | undefined }) {
  const format = useFormat();
  const kinds = useInboxKinds(route.store ?? null);
  return (
    <header className="list-header">
      <h1>
        <Trans>Inbox</Trans>
      </h1>
      {total !== undefined && (
        <span className="muted num" data-testid="inbox-total" data-total={total}>
          {route.kind === undefined ? (
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
  );
}

/** The screen of the inbox. */
export function InboxScreen({ route }: { route: InboxRoute }) {
  const { data, error, refetch } = useTriage(narrowedBy(route));
  return (
    <main className={classes("screen", css.inboxScreen)} data-testid="inbox-screen">
      <Header route={route} total={data?.total} />
      {data ? (
        <Review key={`${route.store} ${route.kind}`} route={route} triage={data} />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={10} />
      )}
    </main>
  );
}
