/** A file that moved on: what the act expected, what is there, what it wanted to write. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Conflict } from "@/bindings";
import { DiffPanel } from "@/shared/DiffPanel";
import { DocumentView } from "@/shared/DocumentView";
import { Await, Button, Empty, Segmented } from "@/shared/ui";
import { useRead } from "@/state/queries";

function OneContent({ title, version, nothing }: { title: string; version: string | null; nothing: string }) {
  const read = useRead("document", { target: version ?? "", highlight: true }, { enabled: version !== null });
  return (
    <section className="conflict-side" aria-label={title}>
      <h3>{title}</h3>
      {version === null ? (
        <Empty title={nothing} />
      ) : (
        <Await read={read}>{(document) => <DocumentView document={document} />}</Await>
      )}
    </section>
  );
}

/** What can be done about one conflict. */
export interface ConflictViewProps {
  /** The conflict. */
  conflict: Conflict;
  /** Writes the wanted content over what was found; absent where that is not possible. */
  onReplace: (() => void) | null;
}

/** A file that moved on. */
export function ConflictView({ conflict, onReplace }: ConflictViewProps) {
  const { t } = useLingui();
  const [view, setView] = useState<"three" | "difference">("three");
  const { expected_version_id, found_version_id, wanted_version_id } = conflict;
  const comparable = found_version_id !== null && wanted_version_id !== null;
  return (
    <article className="conflict" data-testid="conflict">
      <header>
        <strong className="mono">{conflict.path}</strong>
        <span className="muted">{conflict.message}</span>
        <span className="spacer" />
        {comparable && (
          <Segmented
            label={t`View of the conflict`}
            value={view}
            onChange={setView}
            options={[
              { value: "three", label: t`Three contents` },
              { value: "difference", label: t`Found → wanted` },
            ]}
          />
        )}
      </header>
      {view === "difference" && comparable ? (
        <DiffPanel a={found_version_id} b={wanted_version_id} />
      ) : (
        <div className="conflict-sides">
          <OneContent title={t`Expected`} version={expected_version_id} nothing={t`No file was expected`} />
          <OneContent title={t`Found on disk`} version={found_version_id} nothing={t`No file is there`} />
          <OneContent title={t`Wanted`} version={wanted_version_id} nothing={t`The file would be deleted`} />
        </div>
      )}
      <footer>
        <span className="muted">
          <Trans>Nothing was written. What is on disk now is recorded, whatever you choose.</Trans>
        </span>
        <span className="spacer" />
        {onReplace ? (
          <Button tone="danger" onPress={onReplace} data-testid="conflict-replace">
            <Trans>Replace what is there…</Trans>
          </Button>
        ) : (
          <span className="muted">
            <Trans>To delete it all the same, delete the file yourself; that is recorded too.</Trans>
          </span>
        )}
      </footer>
    </article>
  );
}
