/** Effect of an act on one file, as a difference against what is on disk. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { DiffSide, FileDiff, FileWrite, Finding } from "@/bindings";
import { DiffPanel, hideIn, Rendered, useSecrets } from "@/shared/DiffPanel";
import { DiffView, wholeAsDiff } from "@/shared/DiffView";
import { LineCounts } from "@/shared/labels";
import { secretsIn, withoutSecrets } from "@/shared/secrets";
import { Await, Empty, Skeleton } from "@/shared/ui";
import { useHealth } from "@/state/health";
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

const NONE: readonly Finding[] = [];

interface WholeFileProps {
  target: string;
  tag: "insert" | "delete";
  hold: boolean;
  findings?: readonly Finding[];
}

/** Findings in the file that is on disk, which may hold a secret; null until they are known. */
function useLiveFindings({ store_id, path }: FileWrite): readonly Finding[] | null {
  const { data, error } = useHealth();
  return useMemo(() => {
    if (!data) return error ? NONE : null;
    return data.findings
      .filter((found) => found.store_id === store_id && found.finding.path === path)
      .map(({ finding }) => finding);
  }, [data, error, store_id, path]);
}

/** A file that appears or disappears as a whole; secrets among its findings are out of sight. */
function WholeFile({ target, tag, hold, findings = NONE }: WholeFileProps) {
  const { t } = useLingui();
  const [mode] = useDiffMode();
  const read = useRead("document", { target, highlight: true }, { enabled: !hold });
  const secrets = useMemo(() => secretsIn(findings, (line) => read.data?.lines[line - 1]?.text), [findings, read.data]);
  const diff = useMemo((): FileDiff | null => {
    if (!read.data) return null;
    const { live, path, content_sha256, content_size_bytes, version, lines: all, kind } = read.data;
    const lines = all.map((line) => withoutSecrets(line, secrets));
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
  }, [read.data, tag, target, secrets]);
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
            {mode === "rendered" ? (
              <Rendered diff={diff} hold={hold} secrets={secrets} />
            ) : (
              <DiffView diff={diff} words={false} />
            )}
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
function FreshContent({ diff: brought, findings }: { diff: FileDiff; findings: readonly Finding[] }) {
  const [mode] = useDiffMode();
  const diff = hideIn(brought, useSecrets(brought, findings, "old"));
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
  const findings = useLiveFindings(props.file);
  const { diff } = props.file;
  // A secret is not shown for the moment in which nobody knows that it is one.
  if (findings === null) return <Skeleton rows={4} />;
  return diff ? <FreshContent diff={diff} findings={findings} /> : <RecordedContent {...props} findings={findings} />;
}

function RecordedContent({ file, wantedId, hold, findings }: ChangePreviewProps & { findings: readonly Finding[] }) {
  const { log, wanted } = useWantedVersion(file);
  const live = `${file.store_id}:${file.path}`;
  if (file.to_sha256 === null) return <WholeFile target={live} tag="delete" hold={hold} findings={findings} />;
  const target = wantedId ?? wanted?.id ?? null;
  if (target !== null)
    return file.from_sha256 === null ? (
      <WholeFile target={target} tag="insert" hold={hold} />
    ) : (
      <DiffPanel a={live} b={target} hold={hold} findings={findings} side="old" />
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
