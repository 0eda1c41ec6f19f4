/** A recorded or live content: numbered lines, marks for what does not show, the cut of an index. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type ReactNode, useId, useMemo } from "react";
import type { Document, DocumentLine, IndexCut } from "@/bindings";
import { useFormat } from "./format";
import { LineText } from "./LineText";
import { Space } from "./punctuation";
import { Empty } from "./ui";
import { Veil } from "./Veil";
import { VirtualRows } from "./VirtualRows";
import css from "./code.module.css";

type Row = { kind: "line"; number: number; line: DocumentLine; lost: boolean } | { kind: "cut"; cut: IndexCut };

function rowsOf(lines: readonly DocumentLine[], cut: IndexCut | null): Row[] {
  const rows: Row[] = lines.map((line, at) => {
    return { kind: "line", number: at + 1, line, lost: cut !== null && at + 1 >= cut.line };
  });
  if (cut) rows.splice(cut.line - 1, 0, { kind: "cut", cut });
  return rows;
}

function CutRow({ cut }: { cut: IndexCut }) {
  const format = useFormat();
  const size = format.number(cut.size);
  const last = cut.line - 1;
  return (
    <div className={css.cutLine} data-testid="cut-line">
      <Trans>Line {last}. The model sees nothing below.</Trans>
      <Space />
      <span className={css.cutReason}>
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

/** Lines of a document that can be chosen: by click, by the arrow keys while the document has the focus. */
export interface LineChoice {
  /** First chosen line, from 1; undefined for none. */
  first: number | undefined;
  /** The line that was chosen last; the other end of the range. */
  last: number | undefined;
  /** Chooses a line; with `extend` the range from the first one to it. */
  onChoose: (line: number, extend: boolean) => void;
  /** Element before a chosen line. */
  handle?: (line: number) => ReactNode;
}

function onLineKey(event: KeyboardEvent, choice: LineChoice, count: number): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const to = choice.last === undefined ? 1 : Math.max(1, Math.min(count, choice.last + by));
  choice.onChoose(to, event.shiftKey);
}

function isChosen({ first, last }: LineChoice, number: number): boolean {
  if (first === undefined || last === undefined) return false;
  return number >= Math.min(first, last) && number <= Math.max(first, last);
}

interface LineRowProps {
  id: string;
  number: number;
  line: DocumentLine;
  lost: boolean;
  found: boolean;
  choice: LineChoice | undefined;
}

function LineRow({ id, number, line, lost, found, choice }: LineRowProps) {
  const { t } = useLingui();
  const chosen = choice !== undefined && isChosen(choice, number);
  const names = [lost && "is-lost", found && "is-found", chosen && "is-chosen"].filter(Boolean).join(" ");
  return (
    // The document has the focus and the keys (aria-activedescendant), so its lines need neither.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={choice && id}
      role={choice && "option"}
      aria-selected={choice && chosen}
      // Without signs in it a line would have no name to choose it by.
      aria-label={choice && line.text.trim() === "" ? t`empty line ${number}` : undefined}
      className={`document-line ${names}`}
      data-testid="document-line"
      data-line={number}
      aria-current={found || undefined}
      onClick={choice && ((event) => choice.onChoose(number, event.shiftKey))}
    >
      <span className="line-text">
        {chosen && choice.handle?.(number)}
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
      <Trans>The content was redacted and cannot be restored. The log keeps who changed it, when and why.</Trans>
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
        <Trans>This version deleted the file.</Trans>
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
        <Empty title={t`Too large to record`}>
          <Trans>
            With {size} the file is above the limit of this store. Its hash and size are recorded, its content is not.
          </Trans>
        </Empty>
      );
    case "redacted":
      return <RedactedContent />;
    case "text":
      return (
        <Empty title={t`Empty`}>
          <Trans>The file is empty.</Trans>
        </Empty>
      );
  }
}

/** Props of a content. */
interface DocumentViewProps {
  document: Document;
  line?: number | undefined;
  lines?: LineChoice | undefined;
}

/** Shows a content. */
export function DocumentView(props: DocumentViewProps) {
  const { document } = props;
  if (document.lines.length === 0) return <Unshown document={document} />;
  return (
    <Veil lines={document.lines}>
      <Lines {...props} />
    </Veil>
  );
}

function Lines({ document, line, lines }: DocumentViewProps) {
  const { t } = useLingui();
  const rows = useMemo(() => rowsOf(document.lines, document.cut), [document]);
  const id = useId();
  const shown = lines?.last ?? line;
  const reveal = shown === undefined ? null : rows.findIndex((row) => row.kind === "line" && row.number === shown);
  return (
    <VirtualRows
      items={rows}
      keyOf={(row) => (row.kind === "cut" ? "cut" : row.number)}
      estimate={21}
      className="code-box"
      role={lines ? "listbox" : "region"}
      aria-label={lines ? t`Lines of the index` : t`Content`}
      aria-multiselectable={lines ? true : undefined}
      aria-activedescendant={lines?.last === undefined ? undefined : `${id}-${lines.last}`}
      tabIndex={0}
      onKeyDown={lines && ((event) => onLineKey(event, lines, document.lines.length))}
      reveal={reveal}
      revealAt={lines?.last === undefined ? "center" : "auto"}
      footer={
        document.truncated && (
          <p className={css.codeNote}>
            <Trans>Only the first lines are shown here; the whole file is recorded.</Trans>
          </p>
        )
      }
    >
      {(row) =>
        row.kind === "cut" ? (
          <CutRow cut={row.cut} />
        ) : (
          <LineRow {...row} id={`${id}-${row.number}`} found={row.number === line} choice={lines} />
        )
      }
    </VirtualRows>
  );
}
