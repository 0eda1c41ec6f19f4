/** The inbox: what agents wrote since it was last reviewed, one change after the other, by keyboard alone if wanted. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { InboxItem, Reviewed, SkippedItem } from "@/bindings";
import { diffRequest } from "@/shared/DiffPanel";
import { wordsFor } from "@/shared/failure";
import { useFormat } from "@/shared/format";
import { KindChoice } from "@/shared/KindChoice";
import { useKindName } from "@/shared/kinds";
import { MenuEntry } from "@/shared/menu";
import { StoreChoice } from "@/shared/StoreChoice";
import { transcriptPlace } from "@/shared/transcript";
import { Button, Chip, Empty, Failure, Skeleton, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { type Narrowed, useInbox, useInboxKinds } from "@/state/inbox";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { useNewestReview } from "@/state/reviews";
import { type InboxRoute, navigate, type Route } from "@/state/route";
import { useDiffMode } from "@/state/settings";
import { say } from "@/state/toasts";
import { ApproveSheet } from "./ApproveSheet";
import { canEdit, EditPanel } from "./EditPanel";
import { GroupTitle, InboxList } from "./InboxList";
import { GroupActions, type ItemActs, ItemPanel, sidesOf } from "./ItemPanel";
import {
  approveSeveral,
  approveText,
  type Desk,
  review,
  type Several,
  severalSeen,
  severalUpTo,
  undoReview,
} from "./perform";
import { inboxRows, itemAfter, itemBeside, itemsOf, type ItemRow } from "./rows";
import { skippedWords } from "./words";

type Pages = ReturnType<typeof useInbox>;

/** Items after the chosen one whose difference is read beforehand, and before it. */
const AHEAD = [1, 2, -1];

/** Reads the differences of the neighbours, so that the next one is there when it is asked for. */
function usePrefetch(items: readonly ItemRow[], chosen: string | null) {
  const backend = useBackend();
  const queries = useQueryClient();
  const [mode] = useDiffMode();
  useEffect(() => {
    for (const by of AHEAD) {
      const item = itemBeside(items, chosen, by)?.item;
      const sides = item && item.content_kind !== "binary" ? sidesOf(item) : null;
      if (!sides) continue;
      const request = diffRequest(sides.a, sides.b, mode === "words");
      void queries.prefetchQuery({ queryKey: ["diff", request], queryFn: () => backend.call("diff", request) });
    }
  }, [items, chosen, mode, backend, queries]);
}

/**
 * The chosen row: the one the address names, or the one that was there first. Where it is gone, the one that stands in its
 * place. What arrives above it does not take its place.
 */
function useChosen(items: readonly ItemRow[], wanted: string | undefined): ItemRow | null {
  const [held, setHeld] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const placeOf = (key: string | null | undefined) => items.findIndex((item) => item.key === key);
  const found = [placeOf(wanted), placeOf(held.key)].find((at) => at >= 0);
  const place = found ?? Math.max(0, Math.min(held.place, items.length - 1));
  const row = items[place] ?? null;
  if ((row?.key ?? null) !== held.key || (row && place !== held.place)) setHeld({ key: row?.key ?? null, place });
  return row;
}

/** The item as it was when it was chosen; a newer state of it waits until the person looks. */
function useSeen(chosen: ItemRow | null): [InboxItem | null, () => void] {
  const [seen, setSeen] = useState<InboxItem | null>(null);
  const now = chosen?.item ?? null;
  const moved = seen?.memory_id !== now?.memory_id;
  // Later facts of the same version (its findings, its origin) is taken over.
  const newer = !moved && seen !== now && seen?.version_id === now?.version_id;
  if (moved || newer) setSeen(now);
  return [moved || newer ? now : seen, () => setSeen(now)];
}

function Skipped({ skipped, onClose }: { skipped: readonly SkippedItem[]; onClose: () => void }) {
  const { t } = useLingui();
  const words = useWords();
  return (
    <div className="notice notice-warning inbox-skipped" role="status" data-testid="skipped">
      <div>
        <strong>
          <Plural value={skipped.length} one="# was left as it is:" other="# were left as they are:" />
        </strong>
        <ul>
          {skipped.map((item) => (
            <li key={item.version_id}>
              <a href={`#/inbox?memory=${item.memory_id}`} className="mono">
                {item.path ?? t`a redacted memory`}
              </a>{" "}
              {words(skippedWords(item))}
            </li>
          ))}
        </ul>
      </div>
      <Button tone="quiet" onPress={onClose}>
        <Trans>Close</Trans>
      </Button>
    </div>
  );
}

/** Filters of the list; what is done to several items is done to what it shows. */
const narrowedBy = ({ store, kind }: InboxRoute): Narrowed => ({ store: store ?? null, kind: kind ?? null });

/** Runs one act at a time and says when it failed. */
function useActing() {
  const { i18n } = useLingui();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = useCallback(
    async (act: () => Promise<unknown>) => {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      try {
        await act();
      } catch (cause) {
        const words = wordsFor(cause);
        say({ tone: "failure", title: i18n._(words.title), detail: words.detail });
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
    [i18n],
  );
  return { busy, run };
}

/** Reads on until all items of a group are there; what they are as they were seen. */
async function wholeGroup(pages: Pages, group: string): Promise<InboxItem[]> {
  let known = pages.data?.pages ?? [];
  for (;;) {
    const rows = inboxRows(known);
    const found = itemsOf(rows, group);
    const total = known.flatMap(({ groups }) => groups).find(({ id }) => id === group)?.total ?? 0;
    if (found.length >= total || !known.at(-1)?.next_before) return found;
    const { data } = await pages.fetchNextPage();
    if (!data || data.pages.length <= known.length) return found;
    known = data.pages;
  }
}

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

function Review({ route, pages }: { route: InboxRoute; pages: Pages }) {
  const { t } = useLingui();
  const backend = useBackend();
  const queries = useQueryClient();
  const stores = useRead("stores", {});
  const undoable = useNewestReview();
  const { busy, run } = useActing();
  const [skipped, leave] = useState<readonly SkippedItem[]>([]);
  const [editing, setEditing] = useState<InboxItem | null>(null);
  const [several, setSeveral] = useState<Several | null>(null);
  const narrowed = narrowedBy(route);

  const rows = useMemo(() => inboxRows(pages.data?.pages ?? []), [pages.data]);
  const items = useMemo(() => rows.filter((row): row is ItemRow => row.kind === "item"), [rows]);
  const row = useChosen(items, route.memory);
  const [seen, showNewest] = useSeen(row);
  const chosen = row?.key ?? null;
  usePrefetch(items, chosen);

  const choose = (memory: string) => {
    setEditing(null);
    navigate({ ...route, screen: "inbox", memory }, { replace: true });
  };
  /** Goes elsewhere; the way back leads to the item that is shown now, whatever arrives meanwhile. */
  const leaveFor = (place: Route) => {
    if (seen) navigate({ ...route, memory: seen.memory_id }, { replace: true });
    navigate(place);
  };
  const step = (by: number) => {
    const next = itemBeside(items, chosen, by);
    if (next) choose(next.key);
  };
  const desk: Desk = { backend, queries, choose, leave };
  /** Goes on to what comes after the items that were done. */
  const goOn = ({ done }: Reviewed) => {
    const next = itemAfter(items, chosen, new Set(done.map(({ memory_id }) => memory_id)));
    if (next) choose(next.key);
  };
  const act = (perform: () => Promise<Reviewed>) => void run(async () => goOn(await perform()));
  const stale = seen !== null && row !== null && seen.version_id !== row.item.version_id;
  const editable = seen !== null && canEdit(seen) && !stale;
  const redactable = seen !== null && seen.content_kind !== null && seen.content_kind !== "redacted";
  const transcript = transcriptPlace(seen?.origin ?? null);
  const reversible = seen !== null && seen.content_kind !== "too_large";

  const isPart = narrowed.store !== null || narrowed.kind !== null;
  /** Of the chosen item the person saw what is in `seen`. */
  const asSeen = (item: InboxItem) => (seen && item.memory_id === seen.memory_id ? seen : item);
  // A group of one is the item itself; whoever approves several is told first what that comes to.
  const askGroup = ({ group }: ItemRow) =>
    void run(async () => {
      const all = (await wholeGroup(pages, group.id)).map(asSeen);
      if (all.length === 1) goOn(await review(desk, "approved", all));
      else setSeveral(severalSeen(desk, all, <GroupTitle group={group} />, isPart));
    });
  const menu = (of: ItemRow) => (
    <RowEntries
      group={of.group.total}
      onOpen={() => leaveFor({ screen: "memories", store: of.item.store_id, memory: of.item.memory_id })}
      onGroup={() => askGroup(of)}
      onUpTo={() => setSeveral(severalUpTo(desk, asSeen(of.item), narrowed))}
    />
  );

  const acts: ItemActs = {
    approve: () => seen && act(() => review(desk, "approved", [seen])),
    approveGroup: () => row && askGroup(row),
    edit: editable ? () => setEditing(seen) : null,
    reject: reversible ? () => seen && act(() => review(desk, "rejected", [seen])) : null,
    transcript: transcript && (() => leaveFor(transcript)),
    redact: redactable ? () => seen && leaveFor({ screen: "redactions", versions: [seen.version_id] }) : null,
    undo: undoable ? () => void run(() => undoReview(desk, undoable.seq)) : null,
    next: () => step(1),
    showNewest: stale ? showNewest : null,
  };
  const idle = editing === null;
  useKeys([
    { keys: "j", label: t`Next change`, run: () => step(1) },
    { keys: "k", label: t`Previous change`, run: () => step(-1) },
    { keys: "a", label: t`Approve`, run: acts.approve, enabled: idle && seen !== null },
    { keys: "shift+a", label: t`Approve the group`, run: acts.approveGroup, enabled: idle && row !== null },
    { keys: "e", label: t`Edit the final text and approve it`, run: () => acts.edit?.(), enabled: idle && editable },
    { keys: "x", label: t`Roll back`, run: () => acts.reject?.(), enabled: idle && reversible },
    { keys: "t", label: t`Open the transcript`, run: () => acts.transcript?.(), enabled: idle && transcript !== null },
    { keys: "r", label: t`Redact`, run: () => acts.redact?.(), enabled: idle && redactable },
    { keys: "n", label: t`Review the new version`, run: showNewest, enabled: idle && stale },
    { keys: "u", label: t`Undo the last review`, run: () => acts.undo?.(), enabled: undoable !== null },
  ]);

  const areSeveral = (stores.data?.stores.length ?? 0) > 1 && narrowed.store === null;
  const storeName = (id: string) =>
    areSeveral ? (stores.data?.stores.find((known) => known.id === id)?.name ?? null) : null;
  // Never while something is read: that would be broken off, and what changes meanwhile is read again and again.
  const canGoOn = pages.hasNextPage && !pages.isFetching && !pages.isFetchNextPageError;
  const more = canGoOn ? () => void pages.fetchNextPage({ cancelRefetch: false }) : undefined;
  const shown = editing ?? seen;
  if (!shown || (!row && !editing)) return <NothingLeft route={route} undo={acts.undo} />;
  return (
    <>
      <div className="inbox-side">
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
        {row && idle && <GroupActions row={row} acts={acts} menu={menu(row)} />}
      </div>
      <section className="pane inbox-pane" aria-label={t`The chosen change`}>
        {editing ? (
          <>
            <header className="pane-header">
              <div className="pane-title">
                <h1 data-testid="item-title">{editing.path}</h1>
                <Chip tone="accent">
                  <Trans>editing the final text</Trans>
                </Chip>
              </div>
            </header>
            <EditPanel
              key={editing.version_id}
              item={editing}
              onClose={() => setEditing(null)}
              onSave={async (text) => {
                const result = await approveText(desk, editing, text);
                setEditing(null);
                goOn(result);
              }}
            />
          </>
        ) : (
          row && seen && <ItemPanel seen={seen} now={row.item} acts={acts} busy={busy} />
        )}
      </section>
      {several && (
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
      )}
    </>
  );
}

/** When nothing is left: of all, or of the kind that is shown. */
function NothingLeft({ route, undo }: { route: InboxRoute; undo: (() => void) | null }) {
  const { data } = useInboxKinds(route.store ?? null);
  const others = route.kind === undefined ? 0 : (data?.total ?? 0);
  return (
    <div className="inbox-empty" data-testid="inbox-empty">
      {others > 0 && route.kind !== undefined ? (
        <NoneOfKind route={route} kind={route.kind} others={others} undo={undo} />
      ) : (
        <AllReviewed route={route} undo={undo} />
      )}
    </div>
  );
}

function UndoReview({ undo }: { undo: (() => void) | null }) {
  return (
    undo && (
      <Button keys="u" onPress={undo} data-testid="undo-review">
        <Trans>Undo the last review</Trans>
      </Button>
    )
  );
}

interface NoneOfKindProps {
  route: InboxRoute;
  kind: string;
  others: number;
  undo: (() => void) | null;
}

function NoneOfKind({ route, kind, others, undo }: NoneOfKindProps) {
  const { t } = useLingui();
  const name = useKindName()(kind);
  return (
    <Empty
      title={t`Nothing of this kind to review`}
      action={
        <>
          <Button
            tone="primary"
            onPress={() => navigate({ screen: "inbox", store: route.store })}
            data-testid="inbox-all-kinds"
          >
            <Trans>Show all kinds</Trans>
          </Button>
          <UndoReview undo={undo} />
        </>
      }
    >
      <Trans>The list shows one kind alone: {name}.</Trans>{" "}
      <Plural value={others} one="# change of another kind is left." other="# changes of other kinds are left." />
    </Empty>
  );
}

function AllReviewed({ route, undo }: { route: InboxRoute; undo: (() => void) | null }) {
  const { t } = useLingui();
  const { data } = useRead("status", {});
  const elsewhere = route.store !== undefined && (data?.unreviewed ?? 0) > 0;
  return (
    <Empty
      title={t`Everything is reviewed`}
      action={
        <>
          <UndoReview undo={undo} />
          {elsewhere && (
            <Button onPress={() => navigate({ screen: "inbox" })}>
              <Trans>Show all stores</Trans>
            </Button>
          )}
          <Button onPress={() => navigate({ screen: "timeline", store: route.store })}>
            <Trans>Open the timeline</Trans>
          </Button>
        </>
      }
    >
      <Trans>
        What agents write from now on appears here by itself, with who wrote it and what is wrong with it. What was
        there when a store was added counts as known.
      </Trans>
    </Empty>
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
    <main className="screen inbox-screen" data-testid="inbox-screen">
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
        <div className="inbox-filters">
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
