/** The difference that a queued change makes. Its new content is in no version yet, so it is put together from the old one. */
import { useLingui } from "@lingui/react/macro";
import { Suspense } from "react";
import type { DocumentLine, FileDiff } from "@/bindings";
import { DiffView } from "@/shared/DiffView";
import { LineCounts } from "@/shared/labels";
import { lazily } from "@/shared/lazily";
import { Await, Empty, Skeleton } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { useDiffMode } from "@/state/settings";
import { applied } from "./applied";

const Markdown = lazily(() => import("@/shared/Markdown"), "default");

function Side({ title, lines }: { title: string; lines: readonly DocumentLine[] | null }) {
  const { t } = useLingui();
  return (
    <section className="rendered-side" aria-label={title}>
      <h2 className="small-title">{title}</h2>
      {lines === null ? (
        <Empty title={t`Nothing here`} />
      ) : (
        <Suspense fallback={<Skeleton />}>
          <Markdown lines={lines} />
        </Suspense>
      )}
    </section>
  );
}

function Rendered({ diff }: { diff: FileDiff }) {
  const { t } = useLingui();
  const base = diff.from.version_id;
  const had = diff.from.content_sha256 !== null;
  const read = useRead("document", { target: base ?? "", highlight: false }, { enabled: base !== null && had });
  const sides = (before: readonly DocumentLine[]) => {
    const after = diff.to.content_sha256 === null ? null : applied(before, diff.hunks);
    // Where the old content is unavailable, the difference itself is all there is to show.
    if (after === null && diff.to.content_sha256 !== null) return <DiffView diff={diff} words={false} />;
    return (
      <div className="rendered" data-testid="rendered">
        <Side title={t`Before`} lines={had ? before : null} />
        <Side title={t`After`} lines={after} />
      </div>
    );
  };
  if (!had) return sides([]);
  if (base === null) return <DiffView diff={diff} words={false} />;
  return <Await read={read}>{(document) => sides(document.lines)}</Await>;
}

/** The difference, in the view that was chosen for differences. */
export function QueuedDiff({ diff }: { diff: FileDiff }) {
  const [mode] = useDiffMode();
  return (
    <div className="diff-panel">
      <div className="diff-caption">
        <LineCounts added={diff.added} removed={diff.removed} />
      </div>
      {mode === "rendered" && !diff.binary ? (
        <Rendered diff={diff} />
      ) : (
        <DiffView diff={diff} words={mode === "words"} />
      )}
    </div>
  );
}
