/** What can be done in the inbox: to the chosen row or range, to all that is routine, and to everything up to a change. */
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useRef, useState } from "react";
import type { InboxItem, Reviewed, SkippedItem, Triage, TriageRow } from "@/bindings";
import { sessionPlace } from "@/shared/session";
import { transcriptPlace } from "@/shared/transcript";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { useNewestReview } from "@/state/reviews";
import { type InboxRoute, navigate, type Route } from "@/state/route";
import type { Narrowed } from "@/state/triage";
import { canEdit } from "./EditPanel";
import type { Listed } from "./listed";
import { type Desk, review, type Several, severalSeen, severalUpTo, undoReview } from "./perform";
import type { Primary } from "./primary";
import { groupBeside, isNetZero, type Stop, stopAfter, stopBeside, versionsOf, versionsOfAll } from "./rows";
import { RowTitle } from "./titles";

/** Filters of the list; what is done to several items is done to what it shows. */
export const narrowedBy = ({ store, kind }: InboxRoute): Narrowed => ({ store: store ?? null, kind: kind ?? null });

/** Runs one act at a time and says when it failed. */
function useActing() {
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = useCallback(async (act: () => Promise<unknown>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await act();
    } catch (cause) {
      sayFailed(cause);
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return { busy, run };
}

/** What an act is about: the range, the chosen row, or the chosen change as it was seen. */
interface Target {
  versions: readonly string[];
  /** Its name, where it is more than one change; null for a range. */
  subject: ReactNode;
  /** Something in it needs a person: it is not approved unread. */
  isGrave: boolean;
}

/** Versions as the person saw them: of the chosen change that is the one they read, whatever it is by now. */
function asSeen(versions: readonly string[], { stop, seen }: Listed): readonly string[] {
  if (!seen || stop?.kind !== "item" || stop.item.version_id === seen.version_id) return versions;
  return versions.map((version) => (version === stop.item.version_id ? seen.version_id : version));
}

function targetOf(listed: Listed): Target | null {
  const { stop, seen, range } = listed;
  const isGrave = (stops: readonly Stop[]) => stops.some(({ part }) => part === "needs");
  if (range.length > 0)
    return { versions: asSeen(versionsOfAll(range), listed), subject: null, isGrave: isGrave(range) };
  if (stop?.kind === "head")
    return { versions: versionsOf(stop), subject: <RowTitle row={stop.row} />, isGrave: isGrave([stop]) };
  return seen && { versions: [seen.version_id], subject: seen.path, isGrave: false };
}

/** The review of what is listed: going on, and what concerns several changes. */
export function useReviewing(route: InboxRoute, triage: Triage, listed: Listed) {
  const { stops, chosen, seen, setAnchor, anchor } = listed;
  const backend = useBackend();
  const queries = useQueryClient();
  const { busy, run } = useActing();
  const [skipped, leave] = useState<readonly SkippedItem[]>([]);
  const [editing, setEditing] = useState<InboxItem | null>(null);
  const [several, setSeveral] = useState<Several | null>(null);
  const narrowed = narrowedBy(route);
  const isPart = narrowed.store !== null || narrowed.kind !== null;

  const choose = (key: string, extend = false) => {
    setEditing(null);
    setAnchor(extend ? (anchor ?? chosen) : null);
    navigate({ ...route, screen: "inbox", memory: key }, { replace: true });
  };
  /** Goes elsewhere; the way back leads to the row that is shown now, whatever arrives meanwhile. */
  const leaveFor = (place: Route) => {
    if (chosen !== null) navigate({ ...route, memory: chosen }, { replace: true });
    navigate(place);
  };
  const step = (by: number, extend = false) => {
    const next = stopBeside(stops, chosen, by);
    if (next) choose(next.key, extend);
  };
  const stepGroup = (by: 1 | -1) => {
    const next = groupBeside(stops, chosen, by);
    if (next) choose(next.key);
  };
  const desk: Desk = { backend, queries, choose, leave };
  /** Goes on to what comes after the changes that were done. */
  const goOn = ({ done }: Reviewed) => {
    const next = stopAfter(stops, chosen, new Set(done.map(({ version_id }) => version_id)));
    if (next) choose(next.key);
  };
  const act = (perform: () => Promise<Reviewed>) => void run(async () => goOn(await perform()));
  const approve = () => {
    const target = targetOf(listed);
    if (!target) return;
    // Whoever approves several that need a person is told first what that comes to; one change was looked at.
    if (target.isGrave && target.versions.length > 1)
      setSeveral(severalSeen(desk, target.versions, target.subject, isPart));
    else act(() => review(desk, "approved", target.versions));
  };
  const reject = () => {
    const target = targetOf(listed);
    if (!target) return;
    // What was changed back stays: to call it rejected would mark what was there before as unwanted.
    const zero = new Set(versionsOfAll(listed.range.filter(isNetZero)));
    act(() =>
      review(
        desk,
        "rejected",
        target.versions.filter((version) => !zero.has(version)),
      ),
    );
  };
  const rejectRow = ({ versions }: TriageRow) => act(() => review(desk, "rejected", versions));
  const approveRoutine = () => {
    const listedNow = triage.routine.flatMap((row) => row.versions);
    const versions = asSeen(listedNow, listed);
    if (versions.length > 0) act(() => review(desk, "approved", versions));
  };
  const askUpTo = (of: InboxItem) => {
    const item = seen && of.memory_id === seen.memory_id ? seen : of;
    setSeveral(severalUpTo(desk, item, narrowed));
  };
  return {
    desk,
    busy,
    run,
    goOn,
    choose,
    step,
    stepGroup,
    leaveFor,
    approve,
    reject,
    rejectRow,
    approveRoutine,
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

/** Acts on the chosen row or range; null for what it does not allow. */
export interface ItemActs {
  /** Approves it. */
  approve: () => void;
  /** Opens the editor; null where there is no text to edit. */
  edit: (() => void) | null;
  /** Puts the memories back as they were last reviewed; null where that cannot be. */
  reject: (() => void) | null;
  /** Goes to the transcript of the write, at its turn; null where none is known. */
  transcript: (() => void) | null;
  /** Goes to the page of the session that wrote it, or all of the chosen row; null where it is no one session's. */
  session: (() => void) | null;
  /** Goes to the redaction of it; null where there is nothing to redact. */
  redact: (() => void) | null;
  /** Takes the newest review of this window back; null when there is none. */
  undo: (() => void) | null;
  /** Goes to the next one. */
  next: () => void;
  /** Goes on with what is there now; null when that is what is shown. */
  showNewest: (() => void) | null;
}

/** What can be done to what is chosen; null for what it does not allow. */
export function useItemActs(listed: Listed, reviewing: Reviewing): ItemActs {
  const undoable = useNewestReview();
  const { stop, seen, showNewest, range } = listed;
  const { desk, run, step, leaveFor, setEditing } = reviewing;
  const isOne = range.length === 0 && stop?.kind === "item";
  const one = isOne ? seen : null;
  const stale = one !== null && stop?.kind === "item" && one.version_id !== stop.item.version_id;
  const redactable = one !== null && one.content_kind !== null && one.content_kind !== "redacted";
  const transcript = transcriptPlace(one?.origin ?? null);
  const session = one ? (one.origin?.session_id ?? null) : range.length === 0 ? (stop?.row.session ?? null) : null;
  const changed = (range.length > 0 ? range : stop ? [stop] : []).some((row) => !isNetZero(row));
  const reversible = changed && (!isOne || (one !== null && one.content_kind !== "too_large"));
  return {
    approve: reviewing.approve,
    edit: one && canEdit(one) && !stale ? () => setEditing(one) : null,
    reject: reversible ? reviewing.reject : null,
    transcript: transcript && (() => leaveFor(transcript)),
    session: session === null ? null : () => leaveFor(sessionPlace(session)),
    redact: redactable ? () => leaveFor({ screen: "redactions", versions: [one.version_id] }) : null,
    undo: undoable ? () => void run(() => undoReview(desk, undoable.seq)) : null,
    next: () => step(1),
    showNewest: stale ? showNewest : null,
  };
}

/** The keys of the inbox. `primary` is the first remedy of the chosen row. */
export function useInboxKeys(
  acts: ItemActs,
  { stop, range, setAnchor }: Listed,
  { step, stepGroup, editing, approveRoutine }: Reviewing,
  primary: Primary | null,
): void {
  const { t } = useLingui();
  const idle = editing === null;
  const mend = primary?.keys === "x" ? null : primary;
  useKeys([
    { keys: "j", label: t`Next change`, run: () => step(1) },
    { keys: "k", label: t`Previous change`, run: () => step(-1) },
    { keys: "shift+j", label: t`Select down to the next change`, run: () => step(1, true) },
    { keys: "shift+k", label: t`Select up to the previous change`, run: () => step(-1, true) },
    { keys: "escape", label: t`Leave the range`, run: () => setAnchor(null), enabled: range.length > 0 },
    { keys: "]", label: t`Next group`, run: () => stepGroup(1) },
    { keys: "[", label: t`Previous group`, run: () => stepGroup(-1) },
    { keys: "a", label: t`Approve`, run: acts.approve, enabled: idle && stop !== null },
    { keys: "shift+a", label: t`Approve everything that is routine`, run: approveRoutine, enabled: idle },
    {
      keys: "e",
      label: t`Edit the final text and approve it`,
      run: () => acts.edit?.(),
      enabled: idle && acts.edit !== null,
    },
    { keys: "x", label: t`Roll back`, run: () => acts.reject?.(), enabled: idle && acts.reject !== null },
    { keys: "m", label: t`The first remedy`, run: () => mend?.run(), enabled: idle && mend !== null },
    { keys: "s", label: t`Open the session`, run: () => acts.session?.(), enabled: idle && acts.session !== null },
    {
      keys: "t",
      label: t`Open the transcript`,
      run: () => acts.transcript?.(),
      enabled: idle && acts.transcript !== null,
    },
    {
      keys: "r",
      label: t`Redact`,
      run: () => (mend?.keys === "r" ? mend.run() : acts.redact?.()),
      enabled: idle && (acts.redact !== null || mend?.keys === "r"),
    },
    {
      keys: "n",
      label: t`Review the new version`,
      run: () => acts.showNewest?.(),
      enabled: idle && acts.showNewest !== null,
    },
    { keys: "u", label: t`Undo the last review`, run: () => acts.undo?.(), enabled: acts.undo !== null },
  ]);
}
