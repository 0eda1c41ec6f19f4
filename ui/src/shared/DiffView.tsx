/** The difference between two contents, line by line. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useMemo, useState } from "react";
import type { DiffLine, DocumentLine, FileDiff, Finding, Hunk, LineTag } from "@/bindings";
import { useRead } from "@/state/queries";
import { SecretsShown } from "./known-secrets";
import { LineText } from "./LineText";
import { secretsIn, withoutSecrets } from "./secrets";
import { Await, Empty } from "./ui";
import { ShowSecret, useHoldsSecret } from "./Veil";
import { VirtualRows } from "./VirtualRows";
import { classes } from "@/shared/classes";
import css from "./code.module.css";

type Row = { key: string; hunk: Hunk; line: null; gap: boolean } | { key: string; line: DiffLine };

function rowsOf(hunks: readonly Hunk[]): Row[] {
  return hunks.flatMap((hunk, at): Row[] => [
    { key: `h${at}`, hunk, line: null, gap: at > 0 },
    ...hunk.lines.map((line, index): Row => ({ key: `${at}.${index}`, line })),
  ]);
}

const SIGNS: Record<LineTag, string> = { equal: "", insert: "+", delete: "−" };

function LineRow({ line, words }: { line: DiffLine; words: boolean }) {
  const { t } = useLingui();
  const name = line.tag === "insert" ? t`added` : line.tag === "delete" ? t`removed` : undefined;
  return (
    <div className={classes(css.diffLine, css[`diff-${line.tag}`])} data-testid="diff-line" data-tag={line.tag}>
      <span className="line-number">{line.old}</span>
      <span className="line-number">{line.new}</span>
      <span className={css.diffSign} role={name ? "img" : undefined} aria-label={name}>
        {SIGNS[line.tag]}
      </span>
      <span className="line-text">
        <LineText text={line.text} spans={line.spans} hidden={line.hidden} {...(words ? { words: line.words } : {})} />
        {line.carriage_return && (
          <span className={css.hiddenMark} title={t`The line ends in carriage return and line feed`}>
            CR
          </span>
        )}
        {line.no_newline && (
          <span className="line-note">
            <Trans>no line feed at the end</Trans>
          </span>
        )}
      </span>
    </div>
  );
}

function HunkRow({ hunk }: { hunk: Hunk }) {
  const oldEnd = hunk.old_start + Math.max(hunk.old_lines - 1, 0);
  const newEnd = hunk.new_start + Math.max(hunk.new_lines - 1, 0);
  return (
    <div className={css.diffHunk}>
      {hunk.old_lines > 0 && hunk.new_lines > 0 ? (
        <Trans>
          lines {hunk.old_start}–{oldEnd} → {hunk.new_start}–{newEnd}
        </Trans>
      ) : hunk.new_lines > 0 ? (
        <Trans>
          new, lines {hunk.new_start}–{newEnd}
        </Trans>
      ) : (
        <Trans>
          gone, lines {hunk.old_start}–{oldEnd}
        </Trans>
      )}
    </div>
  );
}

function DiffRows({ rows, words, footer }: { rows: readonly Row[]; words: boolean; footer?: ReactNode }) {
  const { t } = useLingui();
  return (
    <VirtualRows
      items={rows}
      keyOf={(row) => row.key}
      estimate={20}
      className={classes("code-box", css.diff)}
      data-testid="diff"
      role="region"
      aria-label={t`Difference`}
      tabIndex={0}
      footer={footer}
    >
      {(row) => (row.line ? <LineRow line={row.line} words={words} /> : <HunkRow hunk={row.hunk} />)}
    </VirtualRows>
  );
}

/** In place of a difference that cannot be shown because a side was redacted. */
export function RedactedDiff() {
  const { t } = useLingui();
  return (
    <Empty title={t`Redacted`}>
      <Trans>One side was redacted, so there is nothing to compare. Who, when and why is kept.</Trans>
    </Empty>
  );
}

/** Shows a difference; with `words` the changed words stand out within changed lines. */
export function DiffView({ diff, words }: { diff: FileDiff; words: boolean }) {
  const { t } = useLingui();
  const rows = useMemo(() => rowsOf(diff.hunks), [diff]);
  if (diff.to.redacted) return <RedactedDiff />;
  if (diff.binary)
    return (
      <Empty title={t`Not text`}>
        <Trans>One side is not text. Both are recorded byte for byte; sizes and hashes are on the right.</Trans>
      </Empty>
    );
  if (rows.length === 0)
    return (
      <Empty title={t`No difference`}>
        <Trans>Both sides hold the same lines.</Trans>
      </Empty>
    );
  return (
    <DiffRows
      rows={rows}
      words={words}
      footer={
        <>
          {diff.from.redacted && (
            <p className={css.codeNote}>
              <Trans>The version before was redacted, so every line shows as added.</Trans>
            </p>
          )}
          {diff.truncated && (
            <p className={css.codeNote}>
              <Trans>The contents are large: this difference is right, but may not be the smallest.</Trans>
            </p>
          )}
        </>
      }
    />
  );
}

/** A content that appears or disappears as a whole, as the difference it is. */
export function wholeAsDiff(lines: readonly DocumentLine[], tag: "insert" | "delete"): Hunk[] {
  if (lines.length === 0) return [];
  const inserted = tag === "insert";
  const start = (own: boolean) => ({ start: own ? 1 : 0, lines: own ? lines.length : 0 });
  const [before, after] = [start(!inserted), start(inserted)];
  return [
    {
      old_start: before.start,
      old_lines: before.lines,
      new_start: after.start,
      new_lines: after.lines,
      lines: lines.map((line, at) => ({
        ...line,
        tag,
        old: inserted ? null : at + 1,
        new: inserted ? at + 1 : null,
        words: [],
        no_newline: false,
        carriage_return: false,
      })),
    },
  ];
}

const NO_LINES: readonly DocumentLine[] = [];

/** A content of which every line is new, as the difference it is. Secrets among its findings are out of sight. */
export function WholeDiff({ version, findings }: { version: string; findings: readonly Finding[] }) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const read = useRead("document", { target: version, highlight: true });
  const lines = read.data?.lines ?? NO_LINES;
  const secrets = useMemo(() => secretsIn(findings, (line) => lines[line - 1]?.text), [lines, findings]);
  const holds = useHoldsSecret(lines) || secrets.length > 0;
  const rows = useMemo(() => {
    const hides = !open && secrets.length > 0;
    return rowsOf(wholeAsDiff(hides ? lines.map((line) => withoutSecrets(line, secrets)) : lines, "insert"));
  }, [lines, secrets, open]);
  return (
    <Await read={read} rows={8}>
      {() =>
        rows.length === 0 ? (
          <Empty title={t`Empty`}>
            <Trans>The file is empty.</Trans>
          </Empty>
        ) : (
          <div className="diff-panel">
            {holds && (
              <div className="diff-caption">
                <ShowSecret open={open} onChange={setOpen} />
              </div>
            )}
            <SecretsShown value={open}>
              <DiffRows rows={rows} words={false} />
            </SecretsShown>
          </div>
        )
      }
    </Await>
  );
}
