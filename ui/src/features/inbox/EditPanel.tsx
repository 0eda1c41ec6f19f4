/** Edits the final text of an item and approves it. What was typed is kept until it is saved or given up. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useState } from "react";
import type { InboxItem } from "@/bindings";
import { lazily } from "@/shared/lazily";
import { Await, Button, Empty, Failure, Skeleton } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { nameOf } from "./words";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

const Editor = lazily(() => import("./Editor"), "Editor");

/** Texts that were begun, by version. In memory only: a memory may hold a secret. */
const drafts = new Map<string, string>();

/** True if there is a text to edit. */
export function canEdit(item: InboxItem): boolean {
  return item.content_kind === "text";
}

/** Props of the panel. */
export interface EditPanelProps {
  /** The item. */
  item: InboxItem;
  /** Writes the text and approves it; rejects when that failed. */
  onSave: (text: string) => Promise<void>;
  /** Leaves the text as it is. */
  onClose: () => void;
}

/** Edits the final text of an item. */
export function EditPanel({ item, onSave, onClose }: EditPanelProps) {
  const { t } = useLingui();
  const read = useRead("show", { version: item.version_id, content: true });
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const name = nameOf(item) ?? "";
  const save = async (original: string) => {
    setBusy(true);
    setFailure(null);
    try {
      await onSave(drafts.get(item.version_id) ?? original);
      drafts.delete(item.version_id);
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  const giveUp = () => {
    drafts.delete(item.version_id);
    onClose();
  };
  return (
    <>
      <div className={classes("pane-body", css.inboxEdit)}>
        {failure !== null && <Failure error={failure} />}
        <Await read={read}>
          {({ content }) =>
            typeof content === "string" ? (
              <Suspense fallback={<Skeleton rows={8} />}>
                <Editor
                  text={drafts.get(item.version_id) ?? content}
                  label={t`Final text of ${name}`}
                  onChange={(text) => drafts.set(item.version_id, text)}
                  onSave={() => void save(content)}
                  onCancel={onClose}
                />
              </Suspense>
            ) : (
              <Empty title={t`Not text`} />
            )
          }
        </Await>
      </div>
      <div className="pane-actions">
        <Button
          tone="primary"
          keys="mod+Enter"
          isPending={busy}
          isDisabled={typeof read.data?.content !== "string"}
          onPress={() => void save(read.data?.content ?? "")}
          data-testid="edit-save"
        >
          <Trans>Write and approve</Trans>
        </Button>
        <Button keys="Esc" onPress={onClose} data-testid="edit-close">
          <Trans>Back to the change</Trans>
        </Button>
        <Button tone="quiet" onPress={giveUp} data-testid="edit-discard">
          <Trans>Discard what was typed</Trans>
        </Button>
      </div>
    </>
  );
}
