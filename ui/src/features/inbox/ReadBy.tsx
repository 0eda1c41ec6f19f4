/** In how many sessions since then a change was before a model: where none had it, rejecting it undoes nothing that was read. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { InboxItem } from "@/bindings";
import { Chip } from "@/shared/ui";
import { useRead } from "@/state/queries";

/** A chip beside the facts of an item. */
export function ReadBy({ item }: { item: InboxItem }) {
  const { t } = useLingui();
  const wanted = item.verb !== "deleted" && item.content_kind === "text";
  const read = useRead("change_reach", { version: item.version_id, base: item.base_version_id }, { enabled: wanted });
  const { data } = read;
  // A change that brought no line has none that could be read.
  if (!wanted || !data || data.lines === 0) return null;
  const title = t`Present does not mean followed.`;
  if (data.read > 0)
    return (
      <Chip tone="warn" title={title} data-testid="item-read">
        {plural(data.read, { one: "read in # session since", other: "read in # sessions since" })}
      </Chip>
    );
  return (
    <Chip title={title} data-testid="item-read">
      {data.inferred > 0 ? (
        plural(data.inferred, { one: "likely read in # session since", other: "likely read in # sessions since" })
      ) : (
        <Trans>not yet read by any session</Trans>
      )}
    </Chip>
  );
}
