/** Several changes that are decided together: what they have in common, one difference for all, and which they are. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { ClusterDifference, ClusterLine, InboxItem, TriageRow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { LineCounts } from "@/shared/labels";
import { LineText } from "@/shared/LineText";
import { plainPrompt } from "@/shared/prompt";
import { Quoted } from "@/shared/punctuation";
import { Await, Button } from "@/shared/ui";
import { useNow } from "@/state/now";
import { useRead, useStore } from "@/state/queries";
import { useItems } from "@/state/triage";
import css from "./inbox.module.css";
import { Verb } from "./InboxRows";
import type { ItemActs } from "./reviewing";
import { changes, useItemName } from "./titles";

/** Changes whose names are shown; the list has the others. */
const NAMED = 60;

/** How many values the part of a line has that varies. */
const valuesOf = (line: ClusterLine | undefined) => Math.max(0, ...(line?.varies ?? []).map(({ values }) => values));

function Line({ line, says }: { line: ClusterLine; says: boolean }) {
  const { t } = useLingui();
  const added = line.tag === "insert";
  const spans = line.varies.map(({ start, end }): [number, number, string] => [start, end, "varies"]);
  const values = valuesOf(line);
  return (
    <div className={classes(css.clusterLine, added ? css.clusterInsert : css.clusterDelete)} data-testid="cluster-line">
      <span role="img" aria-label={added ? t`added` : t`removed`}>
        {added ? "+" : "−"}
      </span>
      <span className="line-text">
        <LineText text={line.text} spans={spans} words={line.words} hidden={line.hidden} />
      </span>
      {says && values > 0 && (
        <span className={css.clusterVaries}>
          <Plural value={values} one="dashed: varies, # value" other="dashed: varies, # values" />
        </span>
      )}
    </div>
  );
}

/** One difference that stands for all. */
function Difference({ versions }: { versions: readonly string[] }) {
  const { t } = useLingui();
  const read = useRead("cluster_difference", { versions: [...versions] }, { keepPrevious: true });
  return (
    <Await read={read}>
      {(found: ClusterDifference) => (
        <section aria-label={t`One difference for all`} data-testid="cluster-difference">
          <div className={css.clusterLines}>
            {found.lines.map((line, at) => (
              <Line key={at} line={line} says={valuesOf(line) !== valuesOf(found.lines[at - 1])} />
            ))}
          </div>
          {found.others > 0 && (
            <p className="muted">
              <Plural
                value={found.others}
                one="# of them has changed since; open the row to read it."
                other="# of them have changed since; open the row to read them."
              />
            </p>
          )}
        </section>
      )}
    </Await>
  );
}

/** Which changes there are, each with what it comes to. */
function Members({
  versions,
  items,
  onChoose,
}: {
  versions: readonly string[];
  items: readonly InboxItem[];
  onChoose: ((memory: string) => void) | null;
}) {
  const nameOf = useItemName();
  const isWhole = items.length >= versions.length;
  const read = useItems(isWhole ? [] : versions.slice(0, NAMED));
  const shown = (isWhole ? items : read.length > 0 ? read : items).slice(0, NAMED);
  const more = versions.length - shown.length;
  return (
    <section className={css.clusterMembers} data-testid="cluster-members">
      <h3>
        <Trans>Memories</Trans>
      </h3>
      <ul>
        {shown.map((item) => (
          <li key={item.version_id} data-testid="cluster-member">
            <Verb verb={item.verb} />
            {onChoose ? (
              <button
                type="button"
                className="link-button mono"
                title={item.path ?? undefined}
                onClick={() => onChoose(item.memory_id)}
              >
                {item.path ?? nameOf(item)}
              </button>
            ) : (
              <span className="mono" title={item.path ?? undefined}>
                {item.path ?? nameOf(item)}
              </span>
            )}
            {item.added !== null && item.removed !== null && <LineCounts added={item.added} removed={item.removed} />}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="muted">
          <Plural value={more} one="and # more, in the list" other="and # more, in the list" />
        </p>
      )}
    </section>
  );
}

function useFacts(row: TriageRow): string {
  const format = useFormat();
  const now = useNow();
  const store = useStore(row.stores[0] ?? null);
  const stores = row.stores.length;
  const facts = [
    stores === 1 ? store?.name : plural(stores, { one: "# store", other: "# stores" }),
    changes(row.versions.length),
    format.precise(row.ended_at, now),
  ];
  return facts.filter(Boolean).join(" · ");
}

/** The prompt after which the first of the changes was written. */
function Prompt({ items }: { items: readonly InboxItem[] }) {
  const origin = items.find((item) => item.origin?.prompt)?.origin;
  if (!origin?.prompt) return null;
  return (
    <div className="operation-facts" data-testid="cluster-prompt">
      <p className={css.inboxPrompt}>
        <Quoted>{plainPrompt(origin.prompt)}</Quoted>
      </p>
      <p className="muted">
        {origin.title && origin.title !== origin.prompt && <>{origin.title} · </>}
        {origin.model}
      </p>
    </div>
  );
}

/** Props of the panel. */
export interface ClusterPanelProps {
  /** The row. */
  row: TriageRow;
  /** Its title. */
  title: ReactNode;
  /** Its remedy, where it needs a person. */
  notice: ReactNode;
  /** Acts. */
  acts: ItemActs;
  /** Something is being done. */
  busy: boolean;
  /** Shows one of its changes. */
  onChoose: (memory: string) => void;
}

/** A row that stands for several changes. */
export function ClusterPanel({ row, title, notice, acts, busy, onChoose }: ClusterPanelProps) {
  const facts = useFacts(row);
  const deleted = row.kind === "deleted_together";
  return (
    <>
      <header className="pane-header">
        <div className={css.inboxTitle}>
          <div className="pane-title">
            <h2 className="opened-title" data-testid="item-title">
              {title}
            </h2>
          </div>
          <p className="muted num">{facts}</p>
        </div>
        {acts.session && (
          <div className="pane-tools">
            <Button tone="quiet" keys="s" onPress={acts.session} data-testid="item-session">
              <Trans>Open session</Trans>
            </Button>
          </div>
        )}
      </header>
      <div className={classes("pane-body", css.inboxBody)}>
        {notice}
        <Prompt items={row.items} />
        {row.kind === "same_edit" && <Difference versions={row.versions} />}
        {row.kind === "unchanged" && (
          <p>
            <Trans>These memories are as they were when you last reviewed them. Nothing is left to compare.</Trans>
          </p>
        )}
        <Members versions={row.versions} items={row.items} onChoose={onChoose} />
      </div>
      <SeveralActions count={row.versions.length} deleted={deleted} acts={acts} busy={busy} filled={notice === null} />
    </>
  );
}

/** Props of the acts on several changes. */
interface SeveralActionsProps {
  count: number;
  deleted: boolean;
  acts: ItemActs;
  busy: boolean;
  /** No other button of the pane is filled. */
  filled: boolean;
}

function SeveralActions({ count, deleted, acts, busy, filled }: SeveralActionsProps) {
  const { t } = useLingui();
  const back = deleted
    ? plural(count, { one: "Put # back", other: "Put all # back" })
    : plural(count, { one: "Roll back #", other: "Roll back all #" });
  return (
    <div className={classes("pane-actions", css.inboxActions)} role="toolbar" aria-label={t`Acts on several changes`}>
      <Button
        tone={filled ? "primary" : "plain"}
        keys="a"
        isPending={busy}
        onPress={acts.approve}
        data-testid="approve-group"
      >
        <Plural value={count} one="Approve #" other="Approve all #" />
      </Button>
      {acts.reject && (
        <Button tone={deleted ? "plain" : "danger"} keys="x" onPress={acts.reject} data-testid="reject-group">
          {back}
        </Button>
      )}
      <span className="spacer" />
      <Button tone="quiet" keys="u" isDisabled={!acts.undo} onPress={() => acts.undo?.()} data-testid="undo-review">
        <Trans>Undo</Trans>
      </Button>
      <Button tone="quiet" keys="j" onPress={acts.next} data-testid="next-change">
        <Trans>Next</Trans>
      </Button>
    </div>
  );
}

/** Props of the range. */
export interface RangePanelProps {
  /** Versions of all that is chosen. */
  versions: readonly string[];
  /** Those of them that are known. */
  items: readonly InboxItem[];
  /** Acts. */
  acts: ItemActs;
  /** Something is being done. */
  busy: boolean;
}

/** A range of rows. */
export function RangePanel({ versions, items, acts, busy }: RangePanelProps) {
  return (
    <>
      <header className="pane-header">
        <div className="pane-title">
          <h2 className="opened-title" data-testid="item-title">
            <Plural value={versions.length} one="# change chosen" other="# changes chosen" />
          </h2>
        </div>
      </header>
      <div className={classes("pane-body", css.inboxBody)} data-testid="range">
        <Members versions={versions} items={items} onChoose={null} />
      </div>
      <SeveralActions count={versions.length} deleted={false} acts={acts} busy={busy} filled />
    </>
  );
}
