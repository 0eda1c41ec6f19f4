/** Rules as guards: a hook goes into an agent's settings or out of them, previewed first, with the way back. */
import { useLingui } from "@lingui/react/macro";
import type { GuardedRule, GuardRule, RuleKind } from "@/bindings";
import { useReporting } from "@/shared/store-acts";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";

/** Kinds that one call can break, so that a hook can judge it before it is made. */
export const GUARDABLE: Record<RuleKind, boolean> = {
  command_never: true,
  command_form: true,
  path_never: true,
  order: false,
  at_end: false,
  ask_first: false,
  text_form: false,
};

/** An edit of settings before it is previewed. */
export type GuardEdit = Omit<GuardRule, "dry_run" | "expect">;

/** Request for the preview of an edit. */
export const previewOf = (edit: GuardEdit): GuardRule => ({ ...edit, dry_run: true, expect: null });

/** The edit that leaves the settings as they were before `edit` was made; null where nothing in them changed. */
export function backFrom(edit: GuardEdit, preview: GuardedRule): GuardEdit | null {
  const { settings, remind, rule } = preview;
  if (preview.from_sha256 === preview.to_sha256) return null;
  const place = { rule: edit.rule, settings, project: null };
  if (edit.remove) return { ...place, remind, remove: false };
  const before = rule.guards?.find((guard) => guard.settings === settings);
  return { ...place, remind: before?.remind ?? false, remove: before === undefined };
}

/** Makes edits as they were previewed. */
export function useGuardActs() {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  return async (edit: GuardEdit, preview: GuardedRule): Promise<void> => {
    const expect = preview.from_sha256;
    const done = await backend.call("guard_rule", { ...edit, dry_run: false, expect });
    const back = backFrom(edit, preview);
    const undo = async () => {
      if (back === null) return;
      await backend.call("guard_rule", { ...back, dry_run: false, expect: done.to_sha256 });
      say(() => ({ tone: "done", title: t`The settings are as they were before.`, detail: done.settings }));
    };
    say(() => ({
      tone: "done",
      title: edit.remove ? t`The guard is off.` : t`The guard is in place. Sessions that start from now on have it.`,
      detail: done.settings,
      ...(back === null ? {} : { action: { label: t`Undo`, run: () => void reporting(undo) } }),
    }));
  };
}
