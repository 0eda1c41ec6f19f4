/** A difference with its three views: words, lines, and both sides rendered. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useState } from "react";
import { ToggleButton } from "react-aria-components/ToggleButton";
import type { DiffSide, FileDiff } from "@/bindings";
import { ApiFailure, type Request } from "@/host";
import { useRead } from "@/state/queries";
import { useDiffMode } from "@/state/settings";
import { DiffView, RedactedDiff } from "./DiffView";
import { LineCounts } from "./labels";
import { lazily } from "./lazily";
import { Await, Empty, Segmented, Skeleton } from "./ui";

const Markdown = lazily(() => import("./Markdown"), "default");

/** More lines around a change than any content has. */
const ALL_LINES = 1_000_000;

function RenderedSide({ side, title, hold }: { side: DiffSide; title: string; hold: boolean }) {
  const { t } = useLingui();
  const target = side.version_id ?? side.target;
  const read = useRead("document", { target, highlight: false }, { enabled: side.content_sha256 !== null && !hold });
  return (
    <section className="rendered-side" aria-label={title}>
      <h2 className="small-title">{title}</h2>
      {side.content_sha256 === null ? (
        <Empty title={side.redacted ? t`Redacted` : t`Nothing here`} />
      ) : (
        <Await read={read}>
          {(document) =>
            document.kind === "text" ? (
              <Suspense fallback={<Skeleton />}>
                <Markdown lines={document.lines} />
              </Suspense>
            ) : (
              <Empty title={t`Not text`} />
            )
          }
        </Await>
      )}
    </section>
  );
}

/** Both sides of a difference as a reader would see them. With `hold` nothing is read again. */
export function Rendered({ diff, hold = false }: { diff: FileDiff; hold?: boolean }) {
  const { t } = useLingui();
  return (
    <div className="rendered" data-testid="rendered">
      <RenderedSide side={diff.from} title={t`Before`} hold={hold} />
      <RenderedSide side={diff.to} title={t`After`} hold={hold} />
    </div>
  );
}

/** The switch between the three views. */
export function DiffModeSwitch() {
  const { t } = useLingui();
  const [mode, setMode] = useDiffMode();
  const options = [
    { value: "words", label: t`Words` },
    { value: "lines", label: t`Lines` },
    { value: "rendered", label: t`Rendered` },
  ] as const;
  return <Segmented label={t`View of the difference`} value={mode} options={options} onChange={setMode} />;
}

/** Request for the changes between two targets; a read made beforehand asks for the same. */
export function diffRequest(a: string, b: string | null, words: boolean): Request<"diff"> {
  return { a, b, words, context: null, highlight: true };
}

/**
 * The difference between two targets; without `b`, between `a` and what came before it. With `hold` it stays as it is,
 * while an act changes the files it is about.
 */
export function DiffPanel({ a, b = null, hold = false }: { a: string; b?: string | null; hold?: boolean }) {
  const [mode] = useDiffMode();
  const [whole, setWhole] = useState(false);
  const words = mode === "words";
  const request = { ...diffRequest(a, b, words), ...(whole ? { context: ALL_LINES } : {}) };
  const read = useRead("diff", request, { keepPrevious: true, enabled: !hold });
  if (read.error instanceof ApiFailure && read.error.error.code === "content_redacted") return <RedactedDiff />;
  return (
    <Await read={read} rows={8}>
      {(diff) =>
        "hunks" in diff && (
          <div className="diff-panel">
            <div className="diff-caption">
              <LineCounts added={diff.added} removed={diff.removed} />
              {mode !== "rendered" && diff.hunks.length > 0 && (
                <ToggleButton className="link-button" isSelected={whole} onChange={setWhole}>
                  {whole ? <Trans>Show changes only</Trans> : <Trans>Show the whole file</Trans>}
                </ToggleButton>
              )}
            </div>
            {mode === "rendered" ? <Rendered diff={diff} hold={hold} /> : <DiffView diff={diff} words={words} />}
          </div>
        )
      }
    </Await>
  );
}
