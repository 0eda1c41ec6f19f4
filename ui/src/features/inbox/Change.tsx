/** The change of one item, as a difference where there is one. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { InboxItem } from "@/bindings";
import { DiffPanel } from "@/shared/DiffPanel";
import { RedactedDiff, WholeDiff } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { Empty, useWords } from "@/shared/ui";
import { contentWords } from "./words";

/** The sides of an item's difference, as `diff` takes them; null when all of the newest content is new. */
export function sidesOf(item: InboxItem): { a: string; b: string | null } | null {
  if (item.base_version_id !== null) return { a: item.base_version_id, b: item.version_id };
  // Without a base the version before the only one, or before a deletion, is what to compare it with.
  return item.versions <= 1 || item.verb === "deleted" ? { a: item.version_id, b: null } : null;
}

function Unshown({ item }: { item: InboxItem }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const words = contentWords(item);
  if (item.content_kind === "redacted") return <RedactedDiff />;
  const [before, after] = [item.base_size_bytes ?? 0, item.content_size_bytes ?? 0].map((size) => format.bytes(size));
  return (
    <Empty title={words ? say(words) : t`Nothing to show`}>
      <Trans>
        {before} were reviewed, {after} are there now. Who, when and the hash are recorded.
      </Trans>
      {item.content_kind === "too_large" && (
        <p>
          <Trans>The content itself is not recorded, so it can be approved, but not rolled back from here.</Trans>
        </p>
      )}
    </Empty>
  );
}

/** The change of an item: its difference, or why none can be shown. */
export function Change({ item }: { item: InboxItem }) {
  if (item.content_kind !== "text" && item.content_kind !== null) return <Unshown item={item} />;
  const sides = sidesOf(item);
  // Another item's difference must not stand here while this one's is on its way.
  return sides ? (
    <DiffPanel key={item.version_id} a={sides.a} b={sides.b} findings={item.findings} />
  ) : (
    <WholeDiff key={item.version_id} version={item.version_id} findings={item.findings} />
  );
}
