/** A strip for each session, with the cause in each gap. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { LineMove, PresenceSpan, Reach, ReachRow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { isThere, PresenceLegend, PresenceStrip, useCauseWords, useGradeWords } from "@/shared/presence";
import { shorten } from "@/shared/text";
import { Button, Segmented } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useKeys } from "@/state/keys";
import { navigate } from "@/state/route";
import { causesOf, type Filter, listed, requestOf } from "./reach";
import css from "./reach.module.css";

/** The rows of requests of a session in words. */
function Told({ row, whole }: { row: ReachRow; whole: boolean }) {
  const { t } = useLingui();
  const causeOf = useCauseWords();
  const gradeOf = useGradeWords();
  const told = (span: PresenceSpan) => {
    const [first, last] = [span.from + 1, span.to + 1];
    const grade = gradeOf(span.grade);
    if (!isThere(span, whole))
      return span.cause === null ? grade : t`${causeOf(span.cause, span.cut_after)} in requests ${first} to ${last}`;
    return span.as_line === null || whole
      ? t`present in requests ${first} to ${last}, ${grade}`
      : t`present in requests ${first} to ${last}, ${grade}, as line ${span.as_line}`;
  };
  return <span className={css.told}>{row.spans.map(told).join("; ")}.</span>;
}

/** Opens the request with the memory's lines marked. */
function openRequest(reach: Reach, row: ReachRow, whole: boolean) {
  const request = requestOf(row, whole);
  const version = row.spans.find((span) => span.from <= request && request <= span.to)?.version_id;
  navigate({
    screen: "context",
    transcript: row.transcript,
    turn: request + 1,
    mark: version ?? reach.version_id,
    line: reach.from ?? undefined,
  });
}

function SessionRow({
  reach,
  row,
  chosen,
  onChoose,
}: {
  reach: Reach;
  row: ReachRow;
  chosen: boolean;
  onChoose: () => void;
}) {
  const { t } = useLingui();
  const whole = reach.from === null;
  const title = row.title ?? row.description ?? shorten(row.session, 8, 0);
  const open = () => openRequest(reach, row, whole);
  useKeys([{ keys: "o", label: t`What the model saw`, run: open, enabled: chosen }]);
  return (
    <div className={classes(css.session, chosen && "is-chosen")} data-testid="reach-row" data-present={row.present}>
      <AriaButton className={css.sessionHead} onPress={onChoose} aria-expanded={chosen}>
        <span className={css.title} title={title} data-name>
          {title}
          {row.agent !== null && <span className="muted"> · {row.agent}</span>}
        </span>
        <span className="muted">{row.started_at && <Moment at={row.started_at} />}</span>
        <PresenceStrip spans={row.spans} requests={row.requests} compactions={row.compactions} whole={whole} />
        <span className="num muted small">
          <Plural value={row.requests} one="# request" other="# requests" />
        </span>
      </AriaButton>
      {chosen && (
        <div className={css.detail}>
          <Told row={row} whole={whole} />
          <Button keys="o" onPress={open} data-testid="reach-open">
            <Trans>What the model saw</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}

/** A change that moved the line, between the sessions it divides. */
function Moved({ move, onVersion }: { move: LineMove; onVersion: (version: string) => void }) {
  return (
    <div className={css.moved} data-testid="reach-move">
      <b>
        <Moment at={move.at} />
      </b>{" "}
      <Trans>
        line {move.from} became line {move.to}
      </Trans>
      <span className="spacer" />
      <Button tone="quiet" onPress={() => onVersion(move.version_id)}>
        <Trans>Diff v{move.number}</Trans>
      </Button>
    </div>
  );
}

/** The choice of what is listed. */
function Filters({ reach, value, onChange }: { reach: Reach; value: Filter; onChange: (filter: Filter) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const causeOf = useCauseWords();
  const options: { value: Filter; label: string }[] = [
    { value: "all", label: t`All ${format.number(reach.sessions)}` },
    { value: "present", label: t`present ${format.number(reach.present)}` },
    ...causesOf(reach).map(({ cause, sessions }) => ({
      value: cause,
      label: `${causeOf(cause)} ${format.number(sessions)}`,
    })),
  ];
  return <Segmented label={t`Sessions to show`} value={value} options={options} onChange={onChange} />;
}

/** The sessions. */
export function ReachSessions({ reach, onVersion }: { reach: Reach; onVersion: (version: string) => void }) {
  const { t } = useLingui();
  const [filter, setFilter] = useState<Filter>("all");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const items = useMemo(() => listed(reach, filter, open), [reach, filter, open]);
  return (
    <section className={css.sessionsPane} aria-label={t`Sessions`}>
      <div className={css.paneHeading}>
        <h2>
          <Trans>Sessions</Trans>
        </h2>
        <span className="spacer" />
        <Filters reach={reach} value={filter} onChange={setFilter} />
      </div>
      <VirtualRows
        items={items}
        keyOf={({ key }) => key}
        estimate={34}
        className={css.sessions}
        footer={
          <div className={css.legendBox}>
            <PresenceLegend />
          </div>
        }
        data-testid="reach-sessions"
      >
        {(item) =>
          item.kind === "move" ? (
            <Moved move={item.move} onVersion={onVersion} />
          ) : item.kind === "folded" ? (
            <Button tone="quiet" onPress={() => setOpen(new Set([...open, item.key]))} data-testid="reach-folded">
              <Plural value={item.rows.length} one="# more like these" other="# more like these" />
            </Button>
          ) : (
            <SessionRow
              reach={reach}
              row={item.row}
              chosen={chosen === item.key}
              onChoose={() => setChosen(chosen === item.key ? null : item.key)}
            />
          )
        }
      </VirtualRows>
    </section>
  );
}
