/** A recorded or live content: numbered lines, marks for what does not show, the cut of an index. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { Document, DocumentLine } from "@/bindings";
import { useFormat } from "./format";
import { type Cut, MAX_BYTES, MAX_LINES } from "./limits";
import { LineText } from "./LineText";
import { Empty } from "./ui";
import { VirtualRows } from "./VirtualRows";

type Row = { kind: "line"; number: number; line: DocumentLine; lost: boolean } | { kind: "cut"; cut: Cut };

function rowsOf(lines: readonly DocumentLine[], cut: Cut | null): Row[] {
  const rows: Row[] = lines.map((line, at) => {
    return { kind: "line", number: at + 1, line, lost: cut !== null && at >= cut.afterLine };
  });
  if (cut) rows.splice(cut.afterLine, 0, { kind: "cut", cut });
  return rows;
}

function CutRow({ cut }: { cut: Cut }) {
  const format = useFormat();
  const limit = cut.limit === "lines" ? MAX_LINES : MAX_BYTES;
  const size = format.number(limit);
  return (
    <div className="cut-line" data-testid="cut-line">
      <Trans>Line {cut.afterLine}. The model sees nothing below.</Trans>{" "}
      <span className="cut-reason">
        {cut.limit === "lines" ? (
          <Trans>An index is loaded up to {size} lines.</Trans>
        ) : (
          <Trans>An index is loaded up to {size} bytes.</Trans>
        )}{" "}
        <Plural
          value={cut.lost}
          one="# line is lost; move entries to topic files."
          other="# lines are lost; move entries to topic files."
        />
      </span>
    </div>
  );
}

function LineRow({ number, line, lost, found }: { number: number; line: DocumentLine; lost: boolean; found: boolean }) {
  return (
    <div
      className={`document-line${lost ? " is-lost" : ""}${found ? " is-found" : ""}`}
      data-testid="document-line"
      data-line={number}
      aria-current={found || undefined}
    >
      <span className="line-text">
        <LineText text={line.text} spans={line.spans} hidden={line.hidden} />
      </span>
    </div>
  );
}

/** In place of a content that was redacted. */
export function RedactedContent() {
  const { t } = useLingui();
  return (
    <Empty title={t`Redacted`}>
      <Trans>
        The content was taken out of the log and cannot be brought back. Who changed it, when and why is kept.
      </Trans>
    </Empty>
  );
}

/** Why there are no lines to show, if so. */
function Unshown({ document }: { document: Document }) {
  const { t } = useLingui();
  const format = useFormat();
  if (document.version?.operation === "deleted" && document.version.redacted_at === null)
    return (
      <Empty title={t`No file`}>
        <Trans>With this version the file was gone.</Trans>
      </Empty>
    );
  const size = document.content_size_bytes === null ? "" : format.bytes(document.content_size_bytes);
  switch (document.kind) {
    case "binary":
      return (
        <Empty title={t`Not text`}>
          <Trans>These {size} are recorded byte for byte and can be rolled back, but there are no lines to show.</Trans>
        </Empty>
      );
    case "too_large":
      return (
        <Empty title={t`Too large to keep`}>
          <Trans>
            With {size} the file is above the limit of this store. Its hash and size are recorded, its content is not.
          </Trans>
        </Empty>
      );
    case "redacted":
      return <RedactedContent />;
    default:
      return (
        <Empty title={t`Empty`}>
          <Trans>The file holds no bytes.</Trans>
        </Empty>
      );
  }
}

/** Shows a content. */
export function DocumentView({
  document,
  cut = null,
  line,
}: {
  document: Document;
  cut?: Cut | null;
  line?: number | undefined;
}) {
  const { t } = useLingui();
  const rows = useMemo(() => rowsOf(document.lines, cut), [document, cut]);
  if (document.lines.length === 0) return <Unshown document={document} />;
  const reveal = line === undefined ? null : rows.findIndex((row) => row.kind === "line" && row.number === line);
  return (
    <VirtualRows
      items={rows}
      keyOf={(row) => (row.kind === "cut" ? "cut" : row.number)}
      estimate={21}
      className="code-box"
      role="region"
      aria-label={t`Content`}
      tabIndex={0}
      reveal={reveal}
      revealAt="center"
      footer={
        document.truncated && (
          <p className="code-note">
            <Trans>The file goes on. Only its first lines are shown here; all of it is recorded.</Trans>
          </p>
        )
      }
    >
      {(row) => (row.kind === "cut" ? <CutRow cut={row.cut} /> : <LineRow {...row} found={row.number === line} />)}
    </VirtualRows>
  );
}
