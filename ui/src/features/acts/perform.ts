/** Carries acts out: the same command for the preview and for the act, and the way back after it. */
import { plural, t } from "@lingui/core/macro";
import type { ActResult } from "@/bindings";
import type { Backend } from "@/host";
import { putsBack } from "@/shared/act-words";
import { sentenceNow, together } from "@/shared/sentences";
import { type Act, rememberUndo, startAct } from "@/state/acts";
import { sayQueued } from "@/shared/queued";
import { say, toasts } from "@/state/toasts";

/** Runs an act, or with `dryRun` asks what it would do. */
export function run(backend: Backend, act: Act, dryRun: boolean): Promise<ActResult> {
  switch (act.command) {
    case "rollback":
      return backend.call("rollback", { ...act.request, dry_run: dryRun });
    case "restore":
      return backend.call("restore", { ...act.request, dry_run: dryRun });
    case "undo":
      return backend.call("undo", { ...act.request, dry_run: dryRun });
    case "move_entry":
      return backend.call("move_entry", { ...act.request, dry_run: dryRun });
    case "expire":
      return backend.call("expire", { ...act.request, dry_run: dryRun });
    case "accept_memories":
      return backend.call("accept_memories", { ...act.request, dry_run: dryRun });
    case "allow_finding":
      return backend.call("allow_finding", { ...act.request, dry_run: dryRun });
    case "strip_characters":
      return backend.call("strip_characters", { ...act.request, dry_run: dryRun });
  }
}

/**
 * The act as it was previewed: it carries the hashes that the files had in the preview, so that an edit made since is never
 * overwritten. What goes names its hashes from the beginning.
 */
export function asPreviewed(act: Act, preview: ActResult): Act {
  const hashOf = (path: string | undefined) => preview.writes.find((write) => write.path === path)?.from_sha256 ?? null;
  if (act.command === "move_entry") {
    const { path, to } = act.request;
    return { ...act, request: { ...act.request, expect: hashOf(path), expect_to: hashOf(to) } };
  }
  if (act.command === "allow_finding") return { ...act, request: { ...act.request, expect: hashOf(act.request.path) } };
  if (act.command === "strip_characters")
    return { ...act, request: { ...act.request, expect: hashOf(act.request.path) } };
  if (act.command !== "rollback" || !act.request.to || act.request.expect) return act;
  const from = preview.writes[0]?.from_sha256;
  return from ? { ...act, request: { ...act.request, expect: from } } : act;
}

function countWords({ writes, deletes }: ActResult): string {
  const wrote = plural(writes.length, { one: "# file written", other: "# files written" });
  const deleted = plural(deletes.length, { one: "# file deleted", other: "# files deleted" });
  return [writes.length > 0 && wrote, deletes.length > 0 && deleted].filter(Boolean).join(", ");
}

/** Files that are named where an act was done in part; the others are counted. */
const NAMED_FILES = 5;

/** Names the files that an act could not change, did not come to or did not put back. */
function leftWords({ partial, conflicts, left }: ActResult): string {
  if (!partial) return "";
  const failed = conflicts.map(({ path, message }) => `${path}: ${sentenceNow(message)}`);
  const others = left.slice(0, NAMED_FILES).map(({ path }) => path);
  const more = left.length - others.length;
  const names = more > 0 ? [...others, t`and ${more} more`] : others;
  return together([...failed, left.length > 0 ? t`Not changed: ${names.join(", ")}` : ""]);
}

function doneWords(act: Act, result: ActResult): string {
  switch (act.command) {
    case "rollback":
      return putsBack(result) ? t`Put back: ${act.subject}` : t`Rolled back: ${act.subject}`;
    case "restore":
      return t`Restored: ${act.subject}`;
    case "undo":
      return t`Undone: ${act.subject}`;
    case "move_entry":
      return t`Moved: ${act.subject}`;
    case "expire":
      return t`Removed: ${act.subject}`;
    case "accept_memories":
      return t`Accepted: ${act.subject}`;
    case "allow_finding":
      return t`Allowed: ${act.subject}`;
    case "strip_characters":
      return t`Removed: ${act.subject}`;
  }
}

/** Says what an act did, and offers the way back. */
export function announce(backend: Backend, act: Act, result: ActResult): void {
  const { operation_seq } = result;
  if (operation_seq === null) {
    say(() => ({ tone: "notice", title: t`Nothing to do`, detail: t`The files are already like that.` }));
    return;
  }
  rememberUndo({ operation: operation_seq, subject: act.subject });
  // An older message would offer to take back what is not the newest act any more.
  toasts.clear();
  const run = () => void undo(backend, operation_seq, act.subject);
  const action = () => ({ label: t`Undo`, keys: "u", run });
  if (result.queued > 0) {
    void sayQueued(backend, result, () => act.subject, action);
    return;
  }
  say(() => ({
    tone: result.partial ? "failure" : "done",
    title: doneWords(act, result),
    detail: together([countWords(result), leftWords(result), ...result.warnings.map(sentenceNow)]),
    action: action(),
  }));
}

/** Takes an operation back at once when nothing stands in the way, and shows the preview when something does. */
export async function undo(backend: Backend, operation: number, subject: string): Promise<void> {
  const act: Act = { command: "undo", request: { operation_seq: operation }, subject };
  rememberUndo(null);
  try {
    const preview = await run(backend, act, true);
    if (preview.conflicts.length > 0) {
      startAct(act);
      return;
    }
    announce(backend, act, await run(backend, act, false));
  } catch {
    // The preview asks again and shows what is wrong.
    startAct(act);
  }
}
