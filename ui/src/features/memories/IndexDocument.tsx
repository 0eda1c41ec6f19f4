/** An index whose lines can be moved into topic files: by key, by button, by dragging them onto a file of the tree. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type PointerEvent, useState } from "react";
import type { Document } from "@/bindings";
import { DocumentView } from "@/shared/DocumentView";
import { fileName } from "@/shared/text";
import { Button } from "@/shared/ui";
import { startAct } from "@/state/acts";
import { setDropPath } from "@/state/drag";
import { useKeys } from "@/state/keys";
import { TopicPicker } from "@/shared/TopicPicker";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

type Range = { first: number; last: number };

/** The file of the tree under the pointer, if lines can go there. */
function fileUnder(event: PointerEvent): string | null {
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-testid="memory-row"]');
  const path = row?.getAttribute("data-key") ?? null;
  return path?.endsWith(".md") && fileName(path) !== "MEMORY.md" ? path : null;
}

/** Takes hold of the chosen lines. */
function Handle({ onDrop }: { onDrop: (path: string) => void }) {
  const stop = (event: PointerEvent<HTMLSpanElement>) => {
    event.currentTarget.releasePointerCapture(event.pointerId);
    setDropPath(null);
  };
  return (
    <span
      className="line-handle"
      aria-hidden
      data-testid="line-handle"
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) setDropPath(fileUnder(event));
      }}
      onPointerUp={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const path = fileUnder(event);
        stop(event);
        if (path !== null) onDrop(path);
      }}
      onPointerCancel={stop}
    >
      ⠿
    </span>
  );
}

/** An index with lines to choose. */
export function IndexDocument({
  document: index,
  store,
  path,
  line,
}: {
  document: Document;
  store: string;
  path: string;
  line: number | undefined;
}) {
  const { t } = useLingui();
  const [range, setRange] = useState<Range | null>(line === undefined ? null : { first: line, last: line });
  const [arrived, setArrived] = useState(line);
  const [picking, setPicking] = useState(false);
  // A finding that leads here chooses its line.
  if (line !== arrived) {
    setArrived(line);
    if (line !== undefined) setRange({ first: line, last: line });
  }
  const first = range && Math.min(range.first, range.last);
  const last = range && Math.max(range.first, range.last);
  const move = (to: string) => {
    setPicking(false);
    if (first === null || last === null) return;
    startAct({
      command: "move_entry",
      // One line alone is an entry, which moves with what is indented below it.
      request: { store, path, line: first, end_line: first === last ? null : last, to, expect: null, expect_to: null },
      subject: first === last ? t`line ${first} → ${to}` : t`lines ${first}–${last} → ${to}`,
    });
  };
  useKeys([
    {
      keys: "m",
      label: t`Move the chosen lines into a topic file`,
      enabled: range !== null,
      run: () => setPicking(true),
    },
  ]);
  return (
    <>
      {range && first !== null && last !== null ? (
        <div className={css.indexActions} data-testid="index-actions">
          <span>
            <Plural value={last - first + 1} one={`Line ${first}`} other={`Lines ${first}–${last}`} />
          </span>
          <Button keys="m" onPress={() => setPicking(true)} data-testid="move-entry">
            <Trans>Move into a topic file…</Trans>
          </Button>
          <span className={classes("muted", css.hint)}>
            <Trans>or drag ⠿ onto a file of the tree</Trans>
          </span>
        </div>
      ) : (
        index.cut && (
          <p className="muted small">
            <Trans>Choose a line to move it into a topic file.</Trans>
          </p>
        )
      )}
      <DocumentView
        document={index}
        line={line}
        lines={{
          first: range?.first,
          last: range?.last,
          onChoose: (to, extend) => setRange({ first: extend && range ? range.first : to, last: to }),
          handle: (number) => number === first && <Handle onDrop={move} />,
        }}
      />
      {picking && <TopicPicker store={store} onChoose={move} onClose={() => setPicking(false)} />}
    </>
  );
}
