/** What a version of any machine changed, or why that is not shown. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { HubItem } from "@/bindings";
import { ApiFailure } from "@/host";
import { DiffView, RedactedDiff } from "@/shared/DiffView";
import { LineCounts } from "@/shared/labels";
import { Empty } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { HubAwait } from "./failure";
import { nameOf, useReads } from "./item";
import { useWhyNot } from "./rights";

/** The difference to the version before. */
export function Difference({ item }: { item: HubItem }) {
  const { t } = useLingui();
  const reads = useReads(item.machine);
  const whyNot = useWhyNot();
  const kept = item.content === "kept" || item.content === "none";
  const read = useRead("hub_diff", { a: nameOf(item) }, { enabled: kept && reads });
  if (!reads) return <Empty title={t`Its content is not shown`}>{whyNot("contents") ?? whyNot("send")}</Empty>;
  if (!kept)
    return (
      <Empty title={t`The hub has no content of it`}>
        {item.content === "not_sent" && <Trans>Its machine sends paths and hashes only.</Trans>}
        {item.content === "redacted" && <Trans>It was redacted. Who, when and why is kept.</Trans>}
        {item.content === "expired" && (
          <Trans>Its time is over: the policy keeps contents so long and no longer.</Trans>
        )}
      </Empty>
    );
  if (read.error instanceof ApiFailure && read.error.error.code === "content_redacted") return <RedactedDiff />;
  return (
    <HubAwait read={read} rows={8}>
      {(diff) => (
        <div className="diff-panel">
          <div className="diff-caption">
            <LineCounts added={diff.added} removed={diff.removed} />
          </div>
          <DiffView diff={diff} words />
        </div>
      )}
    </HubAwait>
  );
}
