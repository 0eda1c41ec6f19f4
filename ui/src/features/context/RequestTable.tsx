/** The table behind the chart: every request with its size under each variant, and what happens there. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useMemo } from "react";
import type { ContextShow, Simulation } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { lineOf, marksOf } from "./chart";
import { Figure } from "./Figure";
import type { Letter } from "./lab";
import { classes } from "@/shared/classes";
import css from "./tables.module.css";

/** A column of the table. */
export interface TableLine {
  /** Letter of the variant. */
  letter: Letter;
  /** Its name as shown. */
  name: string;
  /** Sizes of its requests. */
  sizes: readonly Pick<Simulation["requests"][number], "after" | "kind">[];
  /** Its simulation; null for what was recorded alone. */
  simulation: Simulation | null;
}

/** What happens at a request, in words. */
function useNotes(show: ContextShow, filled: Simulation | null) {
  const { t } = useLingui();
  const format = useFormat();
  const marks = useMemo(() => marksOf(show, filled && lineOf(filled)), [show, filled]);
  return (index: number) => {
    const request = filled?.requests[index];
    const cleared = request?.cleared_tool_use_ids.length ?? 0;
    const words = marks
      .filter((mark) => mark.index === index)
      .map(
        ({ mark }) =>
          ({
            clearing: t`${cleared} cleared`,
            thinking: t`thinking cleared`,
            compaction: t`compaction`,
            regret: t`needed again`,
            recorded: t`removed while recording`,
          })[mark],
      );
    const broken = request?.cache_break_at;
    if (broken !== null && broken !== undefined) words.push(t`cache breaks at ${format.number(broken)}`);
    return words.join(", ");
  };
}

/** Props of a row. */
interface RequestRowProps {
  index: number;
  lines: readonly TableLine[];
  chosen: Letter;
  isCursor: boolean;
  note: string;
  onOpen: () => void;
}

function RequestRow({ index, lines, chosen, isCursor, note, onOpen }: RequestRowProps) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes(css.requestRow, isCursor && "is-cursor")}
      data-testid="request-row"
      data-index={index}
    >
      <span role="rowheader">
        <Button tone="quiet" onPress={onOpen} aria-label={t`Messages of request ${index + 1}`}>
          {format.number(index + 1)}
        </Button>
      </span>
      {lines.map(({ letter, sizes }) => {
        const at = sizes[index];
        return (
          <span
            key={letter}
            role="cell"
            className={classes("num", css.requestFigure, letter === chosen && "is-chosen")}
          >
            {at ? <Figure text={format.number(at.after)} kind={at.kind} /> : <Trans>none</Trans>}
          </span>
        );
      })}
      <span role="cell" className={classes("muted", css.requestNote)}>
        {note}
      </span>
    </div>
  );
}

/** The table. */
export function RequestTable({
  show,
  lines,
  chosen,
  cursor,
  onCursor,
  onOpen,
}: {
  show: ContextShow;
  lines: readonly TableLine[];
  chosen: Letter;
  cursor: number;
  onCursor: (index: number) => void;
  onOpen: (index: number) => void;
}) {
  const { t } = useLingui();
  const filled = lines.find(({ letter }) => letter === chosen)?.simulation ?? null;
  const notes = useNotes(show, filled);
  return (
    <div
      role="table"
      aria-label={t`Context per request`}
      aria-rowcount={show.requests.length + 1}
      className={css.requestTable}
      data-testid="request-table"
    >
      <div role="row" aria-rowindex={1} className={classes(css.requestRow, "is-head")}>
        <span role="columnheader">{t`request`}</span>
        {lines.map(({ letter, name }) => (
          <span key={letter} role="columnheader" className={css.requestFigure} title={name}>
            {name}
          </span>
        ))}
        <span role="columnheader">{t`what happens`}</span>
      </div>
      <VirtualRows
        items={show.requests}
        keyOf={(request) => request.index}
        estimate={28}
        className={css.requestRows}
        role="rowgroup"
        tabIndex={0}
        aria-label={t`Requests`}
        reveal={cursor}
      >
        {(_request, index) => (
          <RequestRow
            index={index}
            lines={lines}
            chosen={chosen}
            isCursor={index === cursor}
            note={notes(index)}
            onOpen={() => {
              onCursor(index);
              onOpen(index);
            }}
          />
        )}
      </VirtualRows>
    </div>
  );
}
