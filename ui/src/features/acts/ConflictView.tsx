/** A file that moved on: what the act expected, what is there, what it wanted to write. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Conflict } from "@/bindings";
import { DiffPanel } from "@/shared/DiffPanel";
import { DocumentView } from "@/shared/DocumentView";
import { ProgramText } from "@/shared/labels";
import { Await, Button, Empty, Segmented } from "@/shared/ui";
import { useRead } from "@/state/queries";
import css from "./acts.module.css";

type Read = ReturnType<typeof useContent>;

function useContent(version: string | null) {
  return useRead("document", { target: version ?? "", highlight: true }, { enabled: version !== null });
}

/** True if there is a file at all: no version, or one that is a deletion, is none. */
function holdsFile(version: string | null, { data }: Read): boolean {
  return version !== null && data?.version?.operation !== "deleted";
}

function OneContent({
  title,
  version,
  read,
  nothing,
}: {
  title: string;
  version: string | null;
  read: Read;
  nothing: string;
}) {
  return (
    <section className="conflict-side" aria-label={title}>
      <h2 className="small-title">{title}</h2>
      {holdsFile(version, read) ? (
        <Await read={read}>{(document) => <DocumentView document={document} />}</Await>
      ) : (
        <Empty title={nothing} />
      )}
    </section>
  );
}

/** Next step for a conflict. */
function NextStep({ wanted, same, onReplace }: { wanted: boolean; same: boolean; onReplace: (() => void) | null }) {
  if (same)
    return (
      <span className="muted">
        <Trans>It is already as it should be: nothing is left to do.</Trans>
      </span>
    );
  if (!wanted || onReplace === null)
    return (
      <span className="muted">
        <Trans>To delete it all the same, delete the file yourself; that is recorded too.</Trans>
      </span>
    );
  return (
    <Button tone="danger" onPress={onReplace} data-testid="conflict-replace">
      <Trans>Replace the present version…</Trans>
    </Button>
  );
}

/** Props of one conflict. */
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
  const [expected, found, wanted] = [
    useContent(expected_version_id),
    useContent(found_version_id),
    useContent(wanted_version_id),
  ];
  const [isFound, isWanted] = [holdsFile(found_version_id, found), holdsFile(wanted_version_id, wanted)];
  const same =
    isFound === isWanted &&
    (!isFound || (found.data !== undefined && found.data.content_sha256 === wanted.data?.content_sha256));
  return (
    <article className={css.conflict} data-testid="conflict">
      <header>
        <strong className="mono">{conflict.path}</strong>
        <span className="muted">
          <ProgramText text={conflict.message} />
        </span>
        <span className="spacer" />
        {isFound && isWanted && (
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
      {view === "difference" && isFound && isWanted ? (
        <DiffPanel a={found_version_id ?? ""} b={wanted_version_id} />
      ) : (
        <div className="conflict-sides">
          <OneContent
            title={t`Expected`}
            version={expected_version_id}
            read={expected}
            nothing={t`No file was expected`}
          />
          <OneContent title={t`Found on disk`} version={found_version_id} read={found} nothing={t`No file`} />
          <OneContent
            title={t`Wanted`}
            version={wanted_version_id}
            read={wanted}
            nothing={t`The file would be deleted`}
          />
        </div>
      )}
      <footer>
        <span className="muted">
          <Trans>Nothing was written. What is on disk now is recorded, whatever you choose.</Trans>
        </span>
        <span className="spacer" />
        <NextStep wanted={isWanted} same={same} onReplace={onReplace} />
      </footer>
    </article>
  );
}
