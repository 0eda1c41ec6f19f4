/**
 * The time machine: when the directory changed, what it was at an instant, and the way back there. The axis is a slider
 * over the marks; a table says the same.
 */
import { msg, plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from "react";
import type { ActivityMark, ActResult, Store } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Source } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { TableHead, numbers } from "@/shared/TableHead";
import { Await, Button, Failure, useWords } from "@/shared/ui";
import { sourceWords } from "@/shared/vocabulary";
import { startAct } from "@/state/acts";
import { useNow } from "@/state/now";
import { useRead } from "@/state/queries";
import { nearest, placeMarks, type PlacedMark, stepFrom } from "./axis";
import { classes } from "@/shared/classes";
import css from "./memories.module.css";

const WIDTH = 1000;
const BASE = 30;
const HIGHEST = 24;

/** The axis goes over what was recorded; what others kept of the time before is in the table. */
function observed(marks: readonly ActivityMark[] = []): ActivityMark[] {
  return marks.filter(({ rebuilt }) => !rebuilt);
}

/** What a mark may stand for; each has a look of its own, which is not its colour alone. */
const LOOKS = {
  change: msg`changed`,
  deleted: msg`mostly deleted`,
  act: msg`rolled back or restored`,
  redact: msg`redacted`,
} as const;

/** What the marks on the axis mean. */
function AxisLegend({ marks }: { marks: readonly PlacedMark[] }) {
  const say = useWords();
  const looks = new Set(marks.map(({ mark }) => lookOf(mark)));
  if (looks.size < 2) return null;
  return (
    <span className={css.timeLegend} data-testid="axis-legend">
      {(Object.keys(LOOKS) as (keyof typeof LOOKS)[])
        .filter((look) => looks.has(look))
        .map((look) => (
          <span key={look}>
            <svg viewBox="0 0 8 12" width="8" height="12" aria-hidden focusable="false">
              <path className={classes(css.timeMark, css[`time-mark-${look}`])} d="M4 12V0" />
            </svg>
            {say(LOOKS[look])}
          </span>
        ))}
    </span>
  );
}

function lookOf(mark: ActivityMark): keyof typeof LOOKS {
  if (mark.source === "redact") return "redact";
  if (mark.source === "rollback" || mark.source === "restore") return "act";
  return mark.deleted > mark.created + mark.modified ? "deleted" : "change";
}

/** One mark in words. */
function useMarkWords(): (mark: ActivityMark) => string {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const now = useNow();
  return (mark) => {
    const counts = t`${mark.created} created, ${mark.modified} modified, ${mark.deleted} deleted`;
    return `${format.precise(mark.at, now)}: ${say(sourceWords(mark.source))}, ${counts}`;
  };
}

function Axis({
  marks,
  index,
  onIndex,
}: {
  marks: readonly PlacedMark[];
  index: number;
  onIndex: (index: number) => void;
}) {
  const { t } = useLingui();
  const words = useMarkWords();
  const format = useFormat();
  const now = useNow();
  const [hover, setHover] = useState(-1);
  const chosen = marks[index];
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return nearest(marks, (event.clientX - box.left) / Math.max(box.width, 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = stepFrom(marks.length, index, event.key);
    if (next === null) return;
    event.preventDefault();
    onIndex(next);
  };
  const label = marks[hover] ?? chosen;
  return (
    <div
      className={css.timeAxis}
      role="slider"
      tabIndex={0}
      aria-label={t`Instant`}
      aria-valuemin={0}
      aria-valuemax={marks.length}
      aria-valuenow={index < 0 ? marks.length : index}
      aria-valuetext={chosen ? words(chosen.mark) : t`now`}
      data-testid="time-axis"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => onIndex(placeOf(event))}
      onPointerMove={(event) => {
        const at = placeOf(event);
        setHover(at);
        if (event.buttons === 1 && at !== index) onIndex(at);
      }}
      onPointerLeave={() => setHover(-1)}
    >
      <svg viewBox={`0 0 ${WIDTH} 40`} preserveAspectRatio="none" aria-hidden focusable="false">
        <path className={css.timeLine} d={`M0 ${BASE}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
        {marks.map(({ mark, x, height }) => (
          <path
            key={mark.operation_seq}
            className={classes(css.timeMark, css[`time-mark-${lookOf(mark)}`])}
            d={`M${x * (WIDTH - 4) + 2} ${BASE}v${-4 - height * (HIGHEST - 4)}`}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <span className={css.timeCursor} style={{ insetInlineStart: `${(chosen?.x ?? 1) * 100}%` }} aria-hidden />
      {label && (
        <span
          className={css.timeLabel}
          style={
            label.x > 0.6
              ? { insetInlineEnd: `${(1 - label.x) * 100 + 0.8}%` }
              : { insetInlineStart: `${label.x * 100 + 0.8}%` }
          }
          aria-hidden
        >
          {words(label.mark)}
        </span>
      )}
      <span className={css.timeStart} aria-hidden>
        {marks[0] && format.day(marks[0].mark.at, now)}
      </span>
      <span className={css.timeEnd} aria-hidden>
        {t`now`}
      </span>
    </div>
  );
}

/** Marks as rows, the newest first: when, how, how many files. The time is a button. */
function Marks({
  marks,
  labelOf,
  onChoose,
  testId,
}: {
  marks: readonly ActivityMark[];
  labelOf?: (when: string) => string;
  onChoose: (mark: ActivityMark, at: number) => void;
  testId?: string;
}) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <table className="table" data-testid={testId}>
      <TableHead columns={[t`When`, t`How`, numbers(t`created`), numbers(t`modified`), numbers(t`deleted`)]} />
      <tbody>
        {marks
          .map((mark, at) => {
            const when = format.exact(mark.at);
            return (
              <tr key={`${mark.operation_seq} ${mark.at}`}>
                <th scope="row">
                  <Button tone="quiet" onPress={() => onChoose(mark, at)} aria-label={labelOf?.(when)}>
                    {when}
                  </Button>
                </th>
                <td>
                  <Source source={mark.source} />
                </td>
                <td className="cell-end num">{format.number(mark.created)}</td>
                <td className="cell-end num">{format.number(mark.modified)}</td>
                <td className="cell-end num">{format.number(mark.deleted)}</td>
              </tr>
            );
          })
          .reverse()}
      </tbody>
    </table>
  );
}

/** Instants before recording began, as imported history knows them: each can be restored, with what is certain of it. */
function ImportedMarks({
  store,
  marks,
  onClose,
}: {
  store: Store;
  marks: readonly ActivityMark[];
  onClose: () => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  if (marks.length === 0) return null;
  const restore = (at: string) => {
    onClose();
    const request = { store: store.id, at, from_imported: true };
    startAct({ command: "restore", request, subject: t`${store.name} as of ${format.exact(at)}, as imported` });
  };
  return (
    <>
      <h3>
        <Trans>Before recording began, as imported</Trans>
      </h3>
      <Marks
        marks={marks}
        labelOf={(when) => t`Restore ${when}…`}
        onChoose={(mark) => restore(mark.at)}
        testId="imported-marks"
      />
    </>
  );
}

/** The marks as a table, with a way to each instant. */
function MarkTable({
  store,
  marks,
  imported,
  onIndex,
  onClose,
}: {
  store: Store;
  marks: readonly PlacedMark[];
  imported: readonly ActivityMark[];
  onIndex: (index: number) => void;
  onClose: () => void;
}) {
  const { t } = useLingui();
  return (
    <Sheet title={t`When this directory changed`} onClose={onClose} testId="mark-table">
      <Marks
        marks={marks.map(({ mark }) => mark)}
        onChoose={(_, at) => {
          onIndex(at);
          onClose();
        }}
      />
      <ImportedMarks store={store} marks={imported} onClose={onClose} />
    </Sheet>
  );
}

/** Effect of a restore, as counts of what was done since. */
function Against({ preview }: { preview: ActResult }) {
  const removed = preview.writes.filter(({ from_sha256 }) => from_sha256 === null).length;
  const changed = preview.writes.length - removed;
  const added = preview.deletes.length;
  if (added + changed + removed === 0)
    return (
      <span className="muted">
        <Trans>the same as on disk now</Trans>
      </span>
    );
  return (
    <span className="muted" data-testid="against-disk">
      <Trans>against disk now:</Trans>{" "}
      <span className="text-add">
        <Plural value={added} one="# added" other="# added" />
      </span>
      ,{" "}
      <span className="text-change">
        <Plural value={changed} one="# changed" other="# changed" />
      </span>
      ,{" "}
      <span className="text-del">
        <Plural value={removed} one="# removed" other="# removed" />
      </span>
    </span>
  );
}

function Chosen({ store, mark, onNow }: { store: Store; mark: ActivityMark; onNow: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const now = useNow();
  const request = { store: store.id, at: String(mark.operation_seq), from_imported: false };
  const read = useRead("restore", { ...request, dry_run: true }, { keepPrevious: true });
  const writes = read.data?.writes.length ?? 0;
  const deletes = read.data?.deletes.length ?? 0;
  const when = format.precise(mark.at, now);
  return (
    <>
      <h2>
        <Trans>Whole directory as of {when}</Trans>
      </h2>
      {read.data && <Against preview={read.data} />}
      {read.error && <Failure error={read.error} />}
      <span className="spacer" />
      <Button tone="quiet" onPress={onNow}>
        <Trans>Back to now</Trans>
      </Button>
      <Button
        isDisabled={writes + deletes === 0}
        onPress={() => startAct({ command: "restore", request, subject: t`${store.name} as of ${when}` })}
        data-testid="restore-button"
      >
        {writes + deletes === 0
          ? t`Nothing to restore`
          : t`Restore: writes ${writes}, deletes ${plural(deletes, { one: "# file", other: "# files" })}…`}
      </Button>
    </>
  );
}

/** The strip at the bottom of the memories. */
export function TimeMachine({
  store,
  at,
  onAt,
}: {
  store: Store;
  at: number | undefined;
  onAt: (at: number | undefined) => void;
}) {
  const { t } = useLingui();
  const [table, setTable] = useState(false);
  const read = useRead("activity", { store: store.id });
  const now = useNow();
  // The axis ends now; to the minute, so that it does not move with every second.
  const minute = Math.ceil(now / 60_000) * 60_000;
  const marks = useMemo(() => placeMarks(observed(read.data?.marks), minute), [read.data, minute]);
  const imported = useMemo(() => (read.data?.marks ?? []).filter(({ rebuilt }) => rebuilt), [read.data]);
  const index = at === undefined ? -1 : marks.findIndex(({ mark }) => mark.operation_seq >= at);
  const chosen = marks[index]?.mark;
  const setIndex = (next: number) => {
    // The newest mark is what is recorded now.
    onAt(next < 0 ? undefined : marks[next]?.mark.operation_seq);
  };
  return (
    <section className={css.timeMachine} aria-label={t`Time machine`}>
      <div className={css.timeHead}>
        {chosen ? (
          <Chosen store={store} mark={chosen} onNow={() => onAt(undefined)} />
        ) : (
          <>
            <h2>
              <Trans>Whole directory</Trans>
            </h2>
            <span className={classes("muted", css.timeHint)}>
              <Trans>Pick an instant to see the directory as it was, and to restore it.</Trans>
            </span>
            <span className="spacer" />
          </>
        )}
        <Button
          tone="quiet"
          onPress={() => setTable(true)}
          isDisabled={marks.length + imported.length === 0}
          data-testid="as-table"
        >
          <Trans>As a table</Trans>
        </Button>
      </div>
      <Await read={read} rows={1}>
        {() => (
          <>
            <Axis marks={marks} index={index} onIndex={setIndex} />
            <AxisLegend marks={marks} />
          </>
        )}
      </Await>
      {table && (
        <MarkTable store={store} marks={marks} imported={imported} onIndex={setIndex} onClose={() => setTable(false)} />
      )}
    </section>
  );
}
