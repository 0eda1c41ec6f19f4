/** A difference with its three views: words, lines, and both sides rendered. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Suspense, useMemo, useState } from "react";
import { ToggleButton } from "react-aria-components/ToggleButton";
import type { DiffSide, FileDiff, Finding } from "@/bindings";
import { ApiFailure, type Request } from "@/host";
import { useRead } from "@/state/queries";
import { useDiffMode } from "@/state/settings";
import { DiffView, RedactedDiff } from "./DiffView";
import { LineCounts } from "./labels";
import { lazily } from "./lazily";
import { SecretsShown, useSecretsKnown } from "./known-secrets";
import { secretsIn, withoutSecrets } from "./secrets";
import { Await, Empty, Segmented, Skeleton } from "./ui";
import { ShowSecret, useHoldsSecret } from "./Veil";

const Markdown = lazily(() => import("./Markdown"), "default");

/** More lines around a change than any content has. */
const ALL_LINES = 1_000_000;

const NONE: readonly never[] = [];

function RenderedSide(props: { side: DiffSide; title: string; hold: boolean; secrets: readonly string[] }) {
  const { side, title, hold, secrets } = props;
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
                <Markdown lines={document.lines.map((line) => withoutSecrets(line, secrets))} />
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
export function Rendered({
  diff,
  hold = false,
  secrets = NONE,
}: {
  diff: FileDiff;
  hold?: boolean;
  secrets?: readonly string[];
}) {
  const { t } = useLingui();
  return (
    <div className="rendered" data-testid="rendered">
      <RenderedSide side={diff.from} title={t`Before`} hold={hold} secrets={secrets} />
      <RenderedSide side={diff.to} title={t`After`} hold={hold} secrets={secrets} />
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

/** Secrets among the findings of one side of a difference. */
export function useSecrets(
  diff: FileDiff,
  findings: readonly Finding[],
  side: "old" | "new" = "new",
): readonly string[] {
  return useMemo(() => {
    if (findings.length === 0) return NONE;
    const lines = diff.hunks.flatMap((hunk) => hunk.lines);
    const texts = new Map(lines.map((line) => [line[side], line.text]));
    return secretsIn(findings, (line) => texts.get(line));
  }, [diff, findings, side]);
}

/** A difference without the secrets. */
export function hideIn(diff: FileDiff, secrets: readonly string[]): FileDiff {
  if (secrets.length === 0) return diff;
  const hunks = diff.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => withoutSecrets(line, secrets)),
  }));
  return { ...diff, hunks };
}

interface LoadedProps {
  diff: FileDiff;
  hold: boolean;
  findings: readonly Finding[];
  side: "old" | "new";
  whole: boolean;
  onWhole: (whole: boolean) => void;
}

/** A difference that is there. */
function Loaded({ diff, hold, findings, side, whole, onWhole }: LoadedProps) {
  const [mode] = useDiffMode();
  const [open, setOpen] = useState(false);
  const found = useSecrets(diff, findings, side);
  const lines = useMemo(() => diff.hunks.flatMap((hunk) => hunk.lines), [diff]);
  const holds = useHoldsSecret(lines) || found.length > 0;
  const isKnown = useSecretsKnown();
  const secrets = open ? NONE : found;
  const shown = useMemo(() => hideIn(diff, secrets), [diff, secrets]);
  // The findings that come with a change say it at once; any other waits for the moment in which nobody knows.
  if (!isKnown && findings === NONE) return <Skeleton rows={8} />;
  return (
    <div className="diff-panel">
      <div className="diff-caption">
        <LineCounts added={diff.added} removed={diff.removed} />
        {mode !== "rendered" && diff.hunks.length > 0 && (
          <ToggleButton className="link-button" isSelected={whole} onChange={onWhole}>
            {whole ? <Trans>Show changes only</Trans> : <Trans>Show the whole file</Trans>}
          </ToggleButton>
        )}
        {holds && <ShowSecret open={open} onChange={setOpen} />}
      </div>
      <SecretsShown value={open}>
        {mode === "rendered" ? (
          <Rendered diff={diff} hold={hold} secrets={secrets} />
        ) : (
          <DiffView diff={shown} words={mode === "words"} />
        )}
      </SecretsShown>
    </div>
  );
}

interface DiffPanelProps {
  a: string;
  b?: string | null;
  hold?: boolean;
  /** Findings of one side; secrets among them are out of sight until somebody asks for them. */
  findings?: readonly Finding[];
  /** The side they are of; the newer one when absent. */
  side?: "old" | "new";
}

/**
 * The difference between two targets; without `b`, between `a` and what came before it. With `hold` it stays as it is,
 * while an act changes the files it is about.
 */
export function DiffPanel({ a, b = null, hold = false, findings = NONE, side = "new" }: DiffPanelProps) {
  const [mode] = useDiffMode();
  const [whole, setWhole] = useState(false);
  const request = { ...diffRequest(a, b, mode === "words"), ...(whole ? { context: ALL_LINES } : {}) };
  const read = useRead("diff", request, { keepPrevious: true, enabled: !hold });
  if (read.error instanceof ApiFailure && read.error.error.code === "content_redacted") return <RedactedDiff />;
  return (
    <Await read={read} rows={8}>
      {(diff) =>
        "hunks" in diff && (
          <Loaded diff={diff} hold={hold} findings={findings} side={side} whole={whole} onWhole={setWhole} />
        )
      }
    </Await>
  );
}
