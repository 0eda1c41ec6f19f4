/** Carries reviews out: at once, with the way back in the message that says what was done. */
import { plural, t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { InboxItem, Reviewed, SkippedItem } from "@/bindings";
import type { Backend, Request } from "@/host";
import { putsBack } from "@/shared/act-words";
import { sayQueued } from "@/shared/queued";
import { sentenceNow, together } from "@/shared/sentences";
import { dropReviewed, type Narrowed } from "@/state/triage";
import { forgetReview, rememberReview } from "@/state/reviews";
import { say, toasts } from "@/state/toasts";

/** Tools of a review. */
export interface Desk {
  /** The program. */
  backend: Backend;
  /** Reads on screen. */
  queries: QueryClient;
  /** Chooses a memory. */
  choose: (memory: string) => void;
  /** Shows what was left as it is; empty when nothing was. */
  leave: (skipped: readonly SkippedItem[]) => void;
}

/** Name of a review in its message. */
export type Kind = "approved" | "edited" | "rejected" | "up_to";

function title(kind: Kind, subject: string, act: Reviewed["act"]): string {
  switch (kind) {
    case "approved":
      return t`Approved: ${subject}`;
    case "edited":
      return t`Edited and approved: ${subject}`;
    case "rejected":
      return putsBack(act) ? t`Put back: ${subject}` : t`Rolled back: ${subject}`;
    case "up_to":
      return t`Reviewed up to here: ${subject}`;
  }
}

/** Items as one subject: the name of the one, or how many. */
export function subjectOf(items: readonly { path: string | null }[]): string {
  const [first] = items;
  if (items.length === 1 && first) return first.path ?? t`a redacted memory`;
  return plural(items.length, { one: "# memory", other: "# memories" });
}

/** An approval of several items that was asked for. It is said what it comes to before it is made. */
export interface Several {
  /** Those of a group, or everything up to an item. */
  kind: "approved" | "up_to";
  /** The row, or the item, by its name; null for a range that was chosen. */
  subject: ReactNode;
  /** True if the list shows a part of what there is, and the approval is of that part. */
  narrowed: boolean;
  /** Asks the program for it. Items with errors are left but for the ticked ones, by their versions. */
  ask: (ticked: string[], dryRun: boolean) => Promise<Reviewed>;
}

/** The approval of changes as they were seen, by their versions. */
export function severalSeen(
  { backend }: Desk,
  versions: readonly string[],
  subject: ReactNode,
  narrowed: boolean,
): Several {
  const ask: Several["ask"] = (ticked, dry_run) =>
    backend.call("review", { versions: [...versions], verdict: "approve", ticked, dry_run });
  return { kind: "approved", subject, narrowed, ask };
}

/** The approval of everything up to an item, as far as the list shows it. */
export function severalUpTo({ backend }: Desk, item: InboxItem, narrowed: Narrowed): Several {
  const ask: Several["ask"] = (ticked, dry_run) =>
    backend.call("review_up_to", { up_to: item.version_id, ...narrowed, ticked, dry_run });
  const isPart = narrowed.store !== null || narrowed.kind !== null;
  return { kind: "up_to", subject: item.path ?? t`a redacted memory`, narrowed: isPart, ask };
}

/** Makes an approval of several, with those items that were ticked. Gives what came of it. */
export async function approveSeveral(desk: Desk, several: Several, ticked: string[]): Promise<Reviewed> {
  const result = await several.ask(ticked, false);
  dropReviewed(
    desk.queries,
    result.done.map(({ version_id }) => version_id),
  );
  announce(desk, several.kind, result);
  return result;
}

/** Those of the reviewed memories whose files the act changed; the others were as they should be already. */
function changedOf({ done, act }: Reviewed): Reviewed["done"] {
  const files = new Set(
    [...(act?.writes ?? []), ...(act?.deletes ?? [])].map((file) => `${file.store_id}:${file.path}`),
  );
  return done.filter(({ store_id, path }) => files.has(`${store_id}:${path}`));
}

const sameWords = (count: number) =>
  count > 0 ? plural(count, { one: "# was as it should be already", other: "# were as they should be already" }) : "";

function announce(desk: Desk, kind: Kind, result: Reviewed): void {
  // Items with errors were announced beforehand, and stay in the list with them.
  desk.leave(result.skipped.filter(({ reason }) => reason !== "findings"));
  const { review_seq: seq, done, skipped } = result;
  toasts.clear();
  const left = () =>
    skipped.length > 0 ? plural(skipped.length, { one: "# was left as it is", other: "# were left as they are" }) : "";
  if (done.length === 0) {
    say(() => ({ tone: "notice", title: t`Nothing was reviewed`, detail: left() }));
    return;
  }
  const warnings = result.act?.warnings ?? [];
  const queued = (result.act?.queued ?? 0) > 0;
  const changed = kind === "rejected" && !queued ? changedOf(result) : done;
  const told = () => ({
    title: changed.length === 0 ? t`Nothing to change` : title(kind, subjectOf(changed), result.act),
    detail: together([sameWords(done.length - changed.length), left(), ...warnings.map(sentenceNow)]),
  });
  if (seq === null) {
    say(() => ({ tone: "done", ...told() }));
    return;
  }
  rememberReview({ seq, subject: subjectOf(done) });
  const action = () => ({ label: t`Undo`, keys: "u", run: () => void undoReview(desk, seq) });
  if (result.act && queued) {
    void sayQueued(desk.backend, result.act, () => subjectOf(done), action, left);
    return;
  }
  say(() => ({ tone: result.act?.partial ? "failure" : "done", ...told(), action: action() }));
}

/** Reviews changes as they were seen, by their versions. Gives what came of it. */
export async function review(
  desk: Desk,
  kind: "approved" | "rejected",
  versions: readonly string[],
): Promise<Reviewed> {
  const verdict = kind === "approved" ? "approve" : "reject";
  const result = await desk.backend.call("review", { versions: [...versions], verdict });
  dropReviewed(
    desk.queries,
    result.done.map(({ version_id }) => version_id),
  );
  announce(desk, kind, result);
  return result;
}

/** Writes the final text of an item and approves it. */
export async function approveText(desk: Desk, item: InboxItem, text: string): Promise<Reviewed> {
  const request: Request<"review"> = { versions: [item.version_id], verdict: "approve", text };
  const result = await desk.backend.call("review", request);
  dropReviewed(
    desk.queries,
    result.done.map(({ version_id }) => version_id),
  );
  announce(desk, "edited", result);
  return result;
}

/** Takes a review back and goes to what is in the inbox again. */
export async function undoReview(desk: Desk, seq: number): Promise<void> {
  const result = await desk.backend.call("undo_review", { review_seq: seq });
  forgetReview(seq);
  desk.leave([]);
  toasts.clear();
  const conflicts = result.act?.conflicts ?? [];
  if (conflicts.length > 0) {
    say(() => ({
      tone: "failure",
      title: t`Not undone: files changed since`,
      detail: together(conflicts.map(({ message }) => sentenceNow(message))),
    }));
    return;
  }
  say(() => ({ tone: "done", title: t`Undone: ${subjectOf(result.done)}` }));
  const [first] = result.done;
  if (first) desk.choose(first.memory_id);
}
