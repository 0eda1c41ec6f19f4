/**
 * Untrusted Markdown, rendered. HTML in it stays letters, images become their address as text, links do not lead
 * anywhere: nothing in a memory can load, run or navigate. No text can take the screen away either: what is too large, too
 * deep or takes too long to parse is shown as lines, with a sentence that says so. Loaded only when somebody asks for it.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import type { Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { type ReactElement, type ReactNode, useEffect, useMemo, useState } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import type { DocumentLine } from "@/bindings";
import { Boundary } from "./Boundary";
import { useMasked } from "./known-secrets";
import { LineText } from "./LineText";
import { markdownParts } from "./markdown";
import { hasWorkers, parseElsewhere } from "./markdown-job";
import { LIMITS, type Outcome, type Refusal, refusalOf, treeOf } from "./markdown-tree";
import { Skeleton } from "./ui";
import { VirtualRows } from "./VirtualRows";
import css from "./code.module.css";

const components = {
  a: ({ href, children }: { href?: string; children?: ReactNode }) => (
    <span title={href}>
      <span className={css.inertText}>{children}</span>
      {href && <span className={css.inertAddress}> ({href})</span>}
    </span>
  ),
  img: ({ src, alt }: { src?: string; alt?: string }) => (
    <span className={css.inertImage}>
      <Trans>image</Trans>
      {alt && `: ${alt}`}
      {src && <span className={css.inertAddress}> ({src})</span>}
    </span>
  ),
  // A task list's box shows a state; it is not a control.
  input: ({ checked }: { checked?: boolean }) => <span>{checked ? "☑ " : "☐ "}</span>,
};

function Tree({ tree }: { tree: Root }) {
  const options = { Fragment, jsx, jsxs, components, ignoreInvalidStyle: true, passKeys: true };
  // Its own types search for a global JSX, which React has no more.
  return toJsxRuntime(tree, options) as ReactElement;
}

/** The tree of a text; null while it is being made. */
function useTree(text: string): Outcome | null {
  const here = useMemo<Outcome | null>(() => {
    const refused = refusalOf(text);
    if (refused) return { refused };
    return hasWorkers() ? null : treeOf(text);
  }, [text]);
  const [made, setMade] = useState<{ text: string; outcome: Outcome } | null>(null);
  useEffect(() => (here ? undefined : parseElsewhere(text, (outcome) => setMade({ text, outcome }))), [here, text]);
  return here ?? (made?.text === text ? made.outcome : null);
}

function useReason(refused: Refusal): string {
  const { t } = useLingui();
  switch (refused) {
    case "large":
      return t`This text is too large to be rendered, so it is shown as lines.`;
    case "nested":
      return t`This text is nested too deeply to be rendered, so it is shown as lines.`;
    case "costly":
      return t`This text takes too long to render, so it is shown as lines.`;
    case "failed":
      return t`This text could not be rendered, so it is shown as lines.`;
  }
}

function AsLines({ lines, refused }: { lines: readonly DocumentLine[]; refused: Refusal }) {
  const { t } = useLingui();
  return (
    <div className={css.asLines}>
      <p className="notice notice-warning" role="status" data-testid="not-rendered" data-reason={refused}>
        {useReason(refused)}
      </p>
      <VirtualRows
        items={lines}
        keyOf={(_, at) => at}
        estimate={20}
        className="code-box"
        role="region"
        aria-label={t`Lines`}
        tabIndex={0}
      >
        {(line, at) => (
          <div className="document-line" data-line={at + 1}>
            <span className="line-text">
              <LineText text={line.text} spans={line.spans} hidden={line.hidden} />
            </span>
          </div>
        )}
      </VirtualRows>
    </div>
  );
}

/** Whether lines are refused before anything is made of them. */
const isLarge = (lines: readonly DocumentLine[]): boolean =>
  lines.reduce((letters, line) => letters + line.text.length + 1, 0) > LIMITS.letters;

/** What is made of them then. */
const LARGE = { frontMatter: null, body: "" };

/** Renders the lines of a content as Markdown. */
export default function Markdown({ lines: whole }: { lines: readonly DocumentLine[] }) {
  const lines = useMasked(whole);
  const { frontMatter, body } = useMemo(() => (isLarge(lines) ? LARGE : markdownParts(lines)), [lines]);
  const tree = useTree(body);
  const outcome: Outcome | null = isLarge(lines) ? { refused: "large" } : tree;
  if (outcome === null) return <Skeleton />;
  if ("refused" in outcome) return <AsLines lines={lines} refused={outcome.refused} />;
  return (
    <Boundary about={outcome} fallback={() => <AsLines lines={lines} refused="failed" />}>
      <div className="markdown" data-testid="markdown">
        {frontMatter !== null && <pre className={css.frontMatter}>{frontMatter}</pre>}
        <Tree tree={outcome.tree} />
      </div>
    </Boundary>
  );
}
