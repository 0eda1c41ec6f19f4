/** What can be done in the inbox: to the chosen item, to its group, and to everything up to it. */
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import type { InboxItem, Reviewed, SkippedItem } from "@/bindings";
import { wordsFor } from "@/shared/failure";
import { transcriptPlace } from "@/shared/transcript";
import { useBackend } from "@/state/backend";
import type { Narrowed } from "@/state/inbox";
import { useKeys } from "@/state/keys";
import { useNewestReview } from "@/state/reviews";
import { type InboxRoute, navigate, type Route } from "@/state/route";
import { say } from "@/state/toasts";
import { canEdit } from "./EditPanel";
import { GroupTitle } from "./InboxRows";
import type { ItemActs } from "./ItemPanel";
import type { Listed, Pages } from "./listed";
import { type Desk, review, type Several, severalSeen, severalUpTo, undoReview } from "./perform";
import { inboxRows, itemAfter, itemBeside, itemsOf, type ItemRow } from "./rows";

/** Filters of the list; what is done to several items is done to what it shows. */
export const narrowedBy = ({ store, kind }: InboxRoute): Narrowed => ({ store: store ?? null, kind: kind ?? null });

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

/** The review of what is listed: going on, and what concerns several items. */
export function useReviewing(route: InboxRoute, pages: Pages, { items, chosen, seen }: Listed) {
  const backend = useBackend();
  const queries = useQueryClient();
  const { busy, run } = useActing();
  const [skipped, leave] = useState<readonly SkippedItem[]>([]);
  const [editing, setEditing] = useState<InboxItem | null>(null);
  const [several, setSeveral] = useState<Several | null>(null);
  const narrowed = narrowedBy(route);

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
  const askUpTo = (of: ItemRow) => setSeveral(severalUpTo(desk, asSeen(of.item), narrowed));
  return {
    desk,
    busy,
    run,
    act,
    goOn,
    choose,
    step,
    leaveFor,
    askGroup,
    askUpTo,
    skipped,
    leave,
    editing,
    setEditing,
    several,
    setSeveral,
  };
}

/** The review as its parts use it. */
export type Reviewing = ReturnType<typeof useReviewing>;

/** What can be done to the chosen item; null for what it does not allow. */
export function useItemActs({ row, seen, showNewest }: Listed, reviewing: Reviewing): ItemActs {
  const undoable = useNewestReview();
  const { desk, run, act, step, leaveFor, askGroup, setEditing } = reviewing;
  const stale = seen !== null && row !== null && seen.version_id !== row.item.version_id;
  const editable = seen !== null && canEdit(seen) && !stale;
  const redactable = seen !== null && seen.content_kind !== null && seen.content_kind !== "redacted";
  const transcript = transcriptPlace(seen?.origin ?? null);
  const reversible = seen !== null && seen.content_kind !== "too_large";

  return {
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
}

/** The keys of the inbox. */
export function useInboxKeys(acts: ItemActs, { row, seen }: Listed, { step, editing }: Reviewing): void {
  const { t } = useLingui();
  const idle = editing === null;
  useKeys([
    { keys: "j", label: t`Next change`, run: () => step(1) },
    { keys: "k", label: t`Previous change`, run: () => step(-1) },
    { keys: "a", label: t`Approve`, run: acts.approve, enabled: idle && seen !== null },
    { keys: "shift+a", label: t`Approve the group`, run: acts.approveGroup, enabled: idle && row !== null },
    {
      keys: "e",
      label: t`Edit the final text and approve it`,
      run: () => acts.edit?.(),
      enabled: idle && acts.edit !== null,
    },
    { keys: "x", label: t`Roll back`, run: () => acts.reject?.(), enabled: idle && acts.reject !== null },
    {
      keys: "t",
      label: t`Open the transcript`,
      run: () => acts.transcript?.(),
      enabled: idle && acts.transcript !== null,
    },
    { keys: "r", label: t`Redact`, run: () => acts.redact?.(), enabled: idle && acts.redact !== null },
    {
      keys: "n",
      label: t`Review the new version`,
      run: () => acts.showNewest?.(),
      enabled: idle && acts.showNewest !== null,
    },
    { keys: "u", label: t`Undo the last review`, run: () => acts.undo?.(), enabled: acts.undo !== null },
  ]);
}
