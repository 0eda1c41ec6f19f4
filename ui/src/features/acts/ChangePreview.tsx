/** Effect of an act on one file, as a difference against what is on disk. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { DiffSide, FileDiff, FileWrite } from "@/bindings";
import { DiffPanel, Rendered } from "@/shared/DiffPanel";
import { DiffView, wholeAsDiff } from "@/shared/DiffView";
import { LineCounts } from "@/shared/labels";
import { Await, Empty } from "@/shared/ui";
import { useLog, useRead } from "@/state/queries";
import { useDiffMode } from "@/state/settings";

const NOTHING: DiffSide = {
  target: "",
  store_id: null,
  version_id: null,
  path: null,
  content_sha256: null,
  content_size_bytes: null,
  redacted: false,
};

/** A file that appears or disappears as a whole. */
function WholeFile({ target, tag, hold }: { target: string; tag: "insert" | "delete"; hold: boolean }) {
  const { t } = useLingui();
  const [mode] = useDiffMode();
  const read = useRead("document", { target, highlight: true }, { enabled: !hold });
  const diff = useMemo((): FileDiff | null => {
    if (!read.data) return null;
    const { live, path, content_sha256, content_size_bytes, version, lines, kind } = read.data;
    const side = { ...NOTHING, target, version_id: version?.id ?? null, path, content_sha256, content_size_bytes };
    const [from, to] = tag === "insert" ? [NOTHING, side] : [side, NOTHING];
    const count = { added: tag === "insert" ? lines.length : 0, removed: tag === "delete" ? lines.length : 0 };
    return {
      live,
      from,
      to,
      truncated: false,
      binary: kind === "binary" || kind === "too_large",
      ...count,
      hunks: wholeAsDiff(lines, tag),
    };
  }, [read.data, tag, target]);
  return (
    <Await read={read} rows={4}>
      {() =>
        diff &&
        (diff.hunks.length === 0 && !diff.binary ? (
          <Empty title={t`Empty`}>
            <Trans>The file is empty.</Trans>
          </Empty>
        ) : (
          <div className="diff-panel">
            <div className="diff-caption">
              <LineCounts added={diff.added} removed={diff.removed} />
            </div>
            {mode === "rendered" ? <Rendered diff={diff} hold={hold} /> : <DiffView diff={diff} words={false} />}
          </div>
        ))
      }
    </Await>
  );
}

/** Finds the recorded version that holds what would be written. */
function useWantedVersion({ store_id, path, to_sha256 }: FileWrite) {
  const log = useLog({ store: store_id, path }, to_sha256 !== null);
  const versions = log.data?.pages.flatMap((page) => page.versions) ?? [];
  const wanted = versions.find(({ content_sha256 }) => content_sha256 === to_sha256) ?? null;
  return { log, wanted };
}

/** Props of a preview of one file needs. */
export interface ChangePreviewProps {
  /** Planned change of the file. */
  file: FileWrite;
  /** The version that would be written, where the act named it. */
  wantedId: string | null;
  /** The act is going on: the preview stays as it is. */
  hold: boolean;
}

/** A content that no version holds yet, as the preview brought it. */
function FreshContent({ diff }: { diff: FileDiff }) {
  const [mode] = useDiffMode();
  return (
    <div className="diff-panel">
      <div className="diff-caption">
        <LineCounts added={diff.added} removed={diff.removed} />
      </div>
      <DiffView diff={diff} words={mode === "words"} />
    </div>
  );
}

/** Effect of an act on one file. */
export function ChangePreview(props: ChangePreviewProps) {
  return props.file.diff ? <FreshContent diff={props.file.diff} /> : <RecordedContent {...props} />;
}

function RecordedContent({ file, wantedId, hold }: ChangePreviewProps) {
  const { log, wanted } = useWantedVersion(file);
  const live = `${file.store_id}:${file.path}`;
  if (file.to_sha256 === null) return <WholeFile target={live} tag="delete" hold={hold} />;
  const target = wantedId ?? wanted?.id ?? null;
  if (target !== null)
    return file.from_sha256 === null ? (
      <WholeFile target={target} tag="insert" hold={hold} />
    ) : (
      <DiffPanel a={live} b={target} hold={hold} />
    );
  return (
    <Await read={{ data: log.data, error: log.error, refetch: () => log.refetch() }} rows={4}>
      {() => (
        <p className="muted">
          <Trans>
            The content to write is not among the newest versions of this path, so it cannot be compared here.
          </Trans>
        </p>
      )}
    </Await>
  );
}
