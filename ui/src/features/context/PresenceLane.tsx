/**
 * Which memories and instructions each request had: a thin row a file below the chart, on its axis of requests, with the
 * same in words beside it. The table of it stands behind, as behind the chart.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, type PointerEvent, useId, useMemo, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { ContextShow, LaneFile, LaneSpan, PresenceGrade, PresenceLane as Lane } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { NotFollowed, useGradeWords } from "@/shared/presence";
import { numbers, TableHead } from "@/shared/TableHead";
import { fileName } from "@/shared/text";
import { Await, Button } from "@/shared/ui";
import type { Backend } from "@/host";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { plotOf, scalesOf } from "./chart";
import { useWidth } from "./Chart";
import type { ChartView } from "./ChartCard";
import { FIRST_ROWS, mostTokens, spanAt, stretches } from "./lane";
import css from "./lane.module.css";

const ROW = 12;

const FILLS: Record<PresenceGrade, string | undefined> = {
  proved: css.proved,
  recorded: css.recorded,
  inferred: css.inferred,
  unknown: css.unknown,
};

/** A stretch in words. */
function useStretchWords(): (span: LaneSpan) => string {
  const { t } = useLingui();
  const format = useFormat();
  const gradeOf = useGradeWords();
  return (span) => {
    const [first, last] = [format.number(span.from + 1), format.number(span.to + 1)];
    const [lines, tokens, grade] = [format.number(span.lines), format.number(span.tokens), gradeOf(span.grade)];
    return span.from === span.to
      ? t`request ${first}: lines: ${lines}, tokens: ${tokens}, ${grade}`
      : t`requests ${first} to ${last}: lines: ${lines}, tokens: ${tokens}, ${grade}`;
  };
}

/** Props that every row has in common. */
interface RowsProps {
  lane: Lane;
  cursor: number;
  onCursor: (index: number) => void;
  onOpen: (index: number) => void;
}

function Bar({ file, lane, cursor, onCursor }: Omit<RowsProps, "onOpen"> & { file: LaneFile }) {
  const words = useStretchWords();
  const pattern = useId();
  const { element, width } = useWidth();
  const plot = useMemo(() => plotOf(width, ROW), [width]);
  const scales = useMemo(() => scalesOf(plot, lane.requests, 1), [plot, lane.requests]);
  const follow = (event: PointerEvent<HTMLElement>) =>
    onCursor(scales.indexAt(event.clientX - event.currentTarget.getBoundingClientRect().left));
  return (
    <div ref={element} className={css.bar} onPointerDown={follow} aria-hidden>
      <svg width={width} height={ROW} viewBox={`0 0 ${width} ${ROW}`} focusable="false">
        <defs>
          <pattern id={pattern} width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path className={css.hatch} d="M0 0V5" />
          </pattern>
        </defs>
        <path className={css.ground} d={`M${plot.left} ${ROW / 2}H${plot.right}`} />
        {stretches(file.spans, plot, scales, lane.requests).map(({ span, x, width: wide }) => (
          <rect
            key={span.from}
            className={classes(css.stretch, FILLS[span.grade])}
            {...(span.grade === "inferred" ? { fill: `url(#${pattern})` } : {})}
            x={x}
            y={2}
            width={wide}
            height={ROW - 4}
            data-grade={span.grade}
          >
            <title>{words(span)}</title>
          </rect>
        ))}
        {lane.compactions.map((at) => (
          <path key={at} className={css.compaction} d={`M${scales.x(at)} 0V${ROW}`} />
        ))}
        <path className={css.cursor} d={`M${scales.x(cursor).toFixed(1)} -6V${ROW + 6}`} />
      </svg>
    </div>
  );
}

/** Opens the reach of a memory; its store where no live memory has the path any more. */
async function openMemory(backend: Backend, { store_id, path }: LaneFile): Promise<void> {
  if (store_id === null) return;
  const listed = await backend.call("memories", { store: store_id, at: null }).catch(() => ({ memories: [] }));
  const memory = listed.memories.find((known) => known.path === path)?.id;
  navigate({ screen: "memories", store: store_id, memory, tab: memory === undefined ? undefined : "reach" });
}

/** The stretches of a file in words, and the ways on. */
function Detail({ file, onOpen }: { file: LaneFile; onOpen: (index: number) => void }) {
  const words = useStretchWords();
  const format = useFormat();
  const backend = useBackend();
  const [first] = file.spans;
  return (
    <div className={css.detail} data-testid="lane-detail">
      <ul>
        {file.spans.map((span) => (
          <li key={span.from}>{words(span)}</li>
        ))}
      </ul>
      {first && (
        <Button onPress={() => onOpen(first.from)}>
          <Trans>What the model saw at request {format.number(first.from + 1)}</Trans>
        </Button>
      )}{" "}
      {file.store_id !== null && (
        <Button onPress={() => void openMemory(backend, file)} data-testid="lane-memory">
          <Trans>Open in Memories</Trans>
        </Button>
      )}
      <div className="muted mono">{spelled(file.file)}</div>
    </div>
  );
}

function Row({ file, ...shared }: RowsProps & { file: LaneFile }) {
  const format = useFormat();
  const gradeOf = useGradeWords();
  const [open, setOpen] = useState(false);
  const at = spanAt(file, shared.cursor);
  const tokens = format.number(at?.tokens ?? 0);
  return (
    <li className={css.row} data-testid="lane-row" data-path={file.path}>
      <div className={css.name}>
        <AriaButton
          className={css.toggle}
          aria-expanded={open}
          onPress={() => setOpen(!open)}
          render={(dom) => <button {...dom} title={spelled(file.file)} />}
        >
          <b>{spelled(fileName(file.path) || file.path)}</b>
          <span className="muted">
            {at === null ? (
              <Trans>absent here</Trans>
            ) : (
              <Trans>
                {tokens} tokens, {gradeOf(at.grade)}
              </Trans>
            )}
          </span>
        </AriaButton>
      </div>
      <Bar file={file} {...shared} />
      {open && <Detail file={file} onOpen={shared.onOpen} />}
    </li>
  );
}

function Rows(props: RowsProps) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const { files, left_out } = props.lane;
  const shown = all ? files : files.slice(0, FIRST_ROWS);
  return (
    <>
      <ul className={css.rows} aria-label={t`Memory present`}>
        {shown.map((file) => (
          <Row key={file.file} file={file} {...props} />
        ))}
      </ul>
      {files.length > shown.length && (
        <Button tone="quiet" onPress={() => setAll(true)} data-testid="lane-more">
          <Plural value={files.length - shown.length} one="Show # more file" other="Show # more files" />
        </Button>
      )}
      {all && left_out > 0 && (
        <p className="muted">
          <Plural value={left_out} one="# more file is not shown." other="# more files are not shown." />
        </p>
      )}
    </>
  );
}

/** The same as a table. */
function Table({ lane }: { lane: Lane }) {
  const { t } = useLingui();
  const format = useFormat();
  const words = useStretchWords();
  return (
    <div className={classes("table-box", css.table)}>
      <table className="table" aria-label={t`Memory present`} data-testid="lane-table">
        <TableHead columns={[t`File`, numbers(t`Requests`), numbers(t`Tokens at most`), t`Present`]} />
        <tbody>
          {lane.files.map((file) => (
            <tr key={file.file}>
              <th scope="row" title={spelled(file.file)}>
                {spelled(file.path)}
              </th>
              <td className="cell-end num">
                <Trans>
                  {format.number(file.requests)} of {format.number(lane.requests)}
                </Trans>
              </td>
              <td className="cell-end num">{format.number(mostTokens(file))}</td>
              <td className={css.told}>{file.spans.map(words).join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Which fills mean what; only those that occur. */
function Legend({ lane }: { lane: Lane }) {
  const gradeOf = useGradeWords();
  const found = new Set(lane.files.flatMap(({ spans }) => spans.map(({ grade }) => grade)));
  const grades = (Object.keys(FILLS) as PresenceGrade[]).filter((grade) => found.has(grade));
  return (
    <p className={css.legend}>
      {grades.map((grade) => (
        <span key={grade}>
          <i className={classes(css.swatch, FILLS[grade])} aria-hidden /> {gradeOf(grade)}
        </span>
      ))}
      <NotFollowed />
    </p>
  );
}

interface PresenceLaneProps {
  show: ContextShow;
  view: ChartView;
  cursor: number;
  onCursor: (index: number) => void;
  onOpen: (index: number) => void;
}

/** The lane of a run. */
export const PresenceLane = memo(function PresenceLane({ show, view, ...rows }: PresenceLaneProps) {
  const read = useRead("presence_lane", { session: show.transcript });
  return (
    <section className={css.lane} aria-labelledby="memory-present" data-testid="lane">
      <h2 id="memory-present">
        <Trans>Memory present</Trans>
      </h2>
      <Await read={read} rows={2}>
        {(lane) =>
          lane.files.length === 0 ? (
            <p className="muted">
              <Trans>No record says that a request of this run had memory or instructions.</Trans>
            </p>
          ) : (
            <>
              {view === "chart" ? <Rows lane={lane} {...rows} /> : <Table lane={lane} />}
              {view === "chart" && <Legend lane={lane} />}
            </>
          )
        }
      </Await>
    </section>
  );
});
