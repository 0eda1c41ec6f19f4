/** The lines of a memory, each with the number of sessions that had it. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useId } from "react";
import type { Document, Reach } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { hiddenIn } from "@/shared/hidden";
import { LineText } from "@/shared/LineText";
import { NotFollowed } from "@/shared/presence";
import { Button, Kbd } from "@/shared/ui";
import { Veil } from "@/shared/Veil";
import { VirtualRows } from "@/shared/VirtualRows";
import type { Chosen } from "./ReachView";
import css from "./reach.module.css";

/** A line of the gutter. */
interface LineRow {
  number: number;
  text: string;
  sessions: number;
}

function rowsOf(reach: Reach, document: Document | undefined): LineRow[] {
  return reach.lines.map((sessions, at) => ({
    number: at + 1,
    text: document?.lines[at]?.text ?? "",
    sessions,
  }));
}

/** Under which line the rest is not loaded. */
function CutNotice({ document }: { document: Document }) {
  const { cut } = document;
  if (!cut) return null;
  return (
    <div className={css.cut} data-testid="reach-cut">
      <b>
        <Trans>Cut at line {cut.line - 1}.</Trans>
      </b>{" "}
      <Plural value={cut.lost} one="# line is not loaded" other="# lines are not loaded" />
    </div>
  );
}

function Line({
  row,
  most,
  chosen,
  id,
  onChoose,
}: {
  row: LineRow;
  most: number;
  chosen: boolean;
  id: string;
  onChoose: (extend: boolean) => void;
}) {
  const format = useFormat();
  const shade = most === 0 ? 0 : Math.round((row.sessions / most) * 46);
  return (
    <button
      type="button"
      tabIndex={-1}
      id={id}
      role="option"
      aria-selected={chosen}
      className={classes(css.line, chosen && "is-chosen")}
      onClick={(event) => onChoose(event.shiftKey)}
      data-testid="reach-line"
      data-sessions={row.sessions}
    >
      <span
        className={classes(css.count, "num")}
        style={{ background: `color-mix(in srgb, var(--state-on) ${shade}%, transparent)` }}
      >
        {format.number(row.sessions)}
      </span>
      <span className={classes(css.number, "num")}>{row.number}</span>
      <span className={classes(css.text, "mono")}>
        {row.text === "" ? " " : <LineText text={row.text} hidden={hiddenIn(row.text)} />}
      </span>
    </button>
  );
}

/** About the lines that are chosen. */
function About({ reach, onAll }: { reach: Reach; onAll: () => void }) {
  const format = useFormat();
  return (
    <div className={css.about}>
      {reach.from !== null && (
        <p>
          <Trans>{format.number(reach.tokens)} tokens in each session that has it</Trans>{" "}
          <Button tone="quiet" onPress={onAll} data-testid="reach-all-lines">
            <Trans>All lines</Trans>
          </Button>
        </p>
      )}
      <p>
        <NotFollowed />{" "}
        <span className="muted">
          <Trans>
            <Kbd keys="↑" /> <Kbd keys="↓" /> choose a line, <Kbd keys="⇧" /> a range.
          </Trans>
        </span>
      </p>
    </div>
  );
}

/** The gutter with the lines. */
export function ReachLines({
  reach,
  document,
  chosen,
  last,
  onChoose,
}: {
  reach: Reach;
  document: Document | undefined;
  chosen: Chosen | null;
  last: number | null;
  onChoose: (line: number | undefined, extend: boolean) => void;
}) {
  const { t } = useLingui();
  const id = useId();
  const rows = rowsOf(reach, document);
  const most = Math.max(0, ...reach.lines);
  const at = last ?? chosen?.from ?? 0;
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChoose(Math.max(1, Math.min(rows.length, at + step)), event.shiftKey);
  };
  const cutAt = document?.cut?.line;
  return (
    <section className={css.linesPane} aria-label={t`Lines`}>
      <h2 className={css.paneHeading}>
        <Trans>Lines</Trans>{" "}
        <span className="muted">
          <Trans>shaded by the sessions that had them, of {reach.sessions}</Trans>
        </span>
      </h2>
      <Veil lines={rows}>
        <VirtualRows
          items={rows}
          keyOf={({ number }) => number}
          estimate={24}
          className={css.lines}
          role="listbox"
          aria-label={t`Lines with the sessions that had them`}
          aria-multiselectable
          aria-activedescendant={at > 0 ? `${id}-${at}` : undefined}
          tabIndex={0}
          onKeyDown={walk}
          reveal={at > 0 ? at - 1 : null}
          data-testid="reach-lines"
        >
          {(row) => (
            <>
              {row.number === cutAt && document && <CutNotice document={document} />}
              <Line
                row={row}
                most={most}
                id={`${id}-${row.number}`}
                chosen={chosen !== null && row.number >= chosen.from && row.number <= chosen.to}
                onChoose={(extend) => onChoose(row.number, extend)}
              />
            </>
          )}
        </VirtualRows>
      </Veil>
      <About reach={reach} onAll={() => onChoose(undefined, false)} />
    </section>
  );
}
