/** A memory that changed while it was looked at: what was seen, what is there now, what was reviewed last. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { InboxItem } from "@/bindings";
import { DiffPanel } from "@/shared/DiffPanel";
import { DocumentView } from "@/shared/DocumentView";
import { Await, Button, Empty, Segmented } from "@/shared/ui";
import { useRead } from "@/state/queries";
import css from "./inbox.module.css";

function Side({ title, version, nothing }: { title: string; version: string | null; nothing: string }) {
  const read = useRead("document", { target: version ?? "", highlight: true }, { enabled: version !== null });
  return (
    <section className="conflict-side" aria-label={title} data-testid="stale-side">
      <h3>{title}</h3>
      {version === null ? (
        <Empty title={nothing} />
      ) : (
        <Await read={read}>{(document) => <DocumentView document={document} />}</Await>
      )}
    </section>
  );
}

/** Props of a stale item. */
export interface StaleViewProps {
  /** The item as it was seen. */
  seen: InboxItem;
  /** The item as it is now. */
  now: InboxItem;
  /** Goes on with the item as it is now. */
  onShowNewest: () => void;
}

/** A memory that changed while it was looked at. */
export function StaleView({ seen, now, onShowNewest }: StaleViewProps) {
  const { t } = useLingui();
  const [view, setView] = useState<"difference" | "three">("three");
  return (
    <div className={css.inboxStale} data-testid="stale">
      <div className="notice notice-warning" role="alert">
        <span>
          <strong>
            <Trans>This memory changed after you opened it.</Trans>
          </strong>{" "}
          <Trans>Review the new version first.</Trans>
        </span>
        <span className="spacer" />
        <Button tone="primary" keys="n" onPress={onShowNewest} data-testid="stale-newest">
          <Trans>Review the new version</Trans>
        </Button>
      </div>
      <Segmented
        label={t`View of the change`}
        value={view}
        onChange={setView}
        options={[
          { value: "three", label: t`Three contents` },
          { value: "difference", label: t`Seen → now` },
        ]}
      />
      {view === "difference" ? (
        <DiffPanel key={now.version_id} a={seen.version_id} b={now.version_id} />
      ) : (
        <div className="conflict-sides">
          <Side title={t`What you saw`} version={seen.version_id} nothing={t`No file`} />
          <Side title={t`Present version`} version={now.version_id} nothing={t`No file`} />
          <Side title={t`Last reviewed version`} version={now.base_version_id} nothing={t`It was not there`} />
        </div>
      )}
    </div>
  );
}
