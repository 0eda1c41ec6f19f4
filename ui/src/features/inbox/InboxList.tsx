/**
 * The list of the inbox. Only what is in view is built, with heights that are known beforehand, so that ten thousand rows
 * scroll as ten do. What arrives above the chosen row moves nothing: the list scrolls along by as much.
 */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import type { InboxGroup, InboxItem } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Actor, LineCounts, Moment } from "@/shared/labels";
import { fileName, folderOf } from "@/shared/text";
import { Chip, useWords } from "@/shared/ui";
import { type InboxRow, itemBeside, type ItemRow, ROW_HEIGHTS, rowOffsets } from "./rows";
import { byRule, contentWords, findingTone, kindOf, nameOf, ruleName, VERBS } from "./words";

/** Findings named in a row; the others are counted. */
const NAMED_FINDINGS = 2;
/** Distance to the end, in pixels, at which the next page is asked for. */
const NEAR_END = 2500;
/** Rows built above and below what is in view. */
const OVERSCAN = 10;
/** Items that Page Up and Page Down pass over. */
const PAGE_ITEMS = 10;

/** Who a group is by. */
export function GroupTitle({ group }: { group: InboxGroup }) {
  const { t } = useLingui();
  const title = group.items[0]?.origin?.title;
  if (group.session !== null && title) return t`Session “${title}”`;
  return <Actor actor={group.actor} />;
}

/** The one store that all of a group's items are in; null where there are several. */
function storeOf(group: InboxGroup): string | null {
  const [first] = group.items;
  return first && group.items.every(({ store_id }) => store_id === first.store_id) ? first.store_id : null;
}

function GroupHeading({ group, storeName }: { group: InboxGroup; storeName: (id: string) => string | null }) {
  const store = storeOf(group);
  return (
    <div className="inbox-group" data-testid="inbox-group">
      <span className="inbox-group-title">
        <GroupTitle group={group} />
      </span>
      <Moment at={group.ended_at} />
      {store && storeName(store) && <span className="inbox-group-store">{storeName(store)}</span>}
      <span className="inbox-group-count num">
        <Plural value={group.total} one="# change" other="# changes" />
      </span>
    </div>
  );
}

/** The sign of what happened; its word is its name. */
export function Verb({ verb }: { verb: string }) {
  const say = useWords();
  const known = VERBS[verb];
  const word = known ? say(known.word) : verb;
  return (
    <span className={`inbox-verb inbox-${verb}`} role="img" aria-label={word} title={word}>
      {known?.sign ?? "?"}
    </span>
  );
}

function ItemName({ item }: { item: InboxItem }) {
  const { t } = useLingui();
  if (item.path === null) return <span className="inbox-name">{t`Redacted memory`}</span>;
  const folder = folderOf(item.path);
  return (
    <span className="inbox-name" title={item.previous_path ? `${item.previous_path} → ${item.path}` : item.path}>
      {item.previous_path && <span className="muted">{fileName(item.previous_path)} → </span>}
      {nameOf(item)}
      {folder && <span className="inbox-folder"> {folder}</span>}
    </span>
  );
}

/** The findings of an item as chips, the worst first. */
export function FindingChips({ item, most = NAMED_FINDINGS }: { item: InboxItem; most?: number }) {
  const rules = byRule(item.findings);
  const rest = rules.slice(most).reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      {rules.slice(0, most).map(({ finding, count }) => (
        <Chip key={finding.rule} tone={findingTone(finding)} title={finding.message}>
          {ruleName(finding.rule)}
          {count > 1 && ` ${count}`}
        </Chip>
      ))}
      {rest > 0 && <Chip>+{rest}</Chip>}
    </>
  );
}

/** Says that a content was rejected before. */
export function CameBack() {
  const { t } = useLingui();
  return (
    <Chip tone="warn" title={t`You rejected this content before; somebody wrote it again.`} data-testid="came-back">
      <Trans>come back</Trans>
    </Chip>
  );
}

function ItemMeta({ item, store }: { item: InboxItem; store: string | null }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const change = item.token_change;
  const content = contentWords(item);
  const parts = [
    ...kindOf(item.kind).map(say),
    content && say(content),
    content && item.content_size_bytes !== null && format.bytes(item.content_size_bytes),
    change !== null && change !== 0 && t`${signed(format.number, change)} tokens`,
    item.versions > 1 && plural(item.versions, { one: "# change", other: "# changes" }),
    store,
  ].filter(Boolean);
  return <span className="inbox-meta">{parts.join(" · ")}</span>;
}

/** A number with its sign. */
export function signed(number: (value: number) => string, value: number): string {
  return value < 0 ? `−${number(-value)}` : `+${number(value)}`;
}

interface ItemProps {
  id: string;
  item: InboxItem;
  chosen: boolean;
  position: number;
  total: number;
  store: string | null;
  onChoose: (memory: string) => void;
}

const Item = memo(function Item({ id, item, chosen, position, total, store, onChoose }: ItemProps) {
  const counted = item.added !== null && item.removed !== null;
  return (
    // The list has the focus and the keys (aria-activedescendant), so its rows need neither.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      aria-posinset={position}
      aria-setsize={total}
      className="inbox-item"
      data-testid="inbox-row"
      data-key={item.memory_id}
      tabIndex={-1}
      onClick={() => onChoose(item.memory_id)}
    >
      <Verb verb={item.verb} />
      <ItemName item={item} />
      {counted && <LineCounts added={item.added ?? 0} removed={item.removed ?? 0} />}
      <span className="inbox-more">
        {item.came_back && <CameBack />}
        <FindingChips item={item} />
        <ItemMeta item={item} store={store} />
      </span>
    </div>
  );
});

/** What the list needs. */
export interface InboxListProps {
  /** Its rows. */
  rows: readonly InboxRow[];
  /** Those of them that can be chosen. */
  items: readonly ItemRow[];
  /** Items on all pages. */
  total: number;
  /** The memory that is chosen. */
  chosen: string | null;
  /** Chooses a memory. */
  onChoose: (memory: string) => void;
  /** The name of a store, where rows say it. */
  storeName: (id: string) => string | null;
  /** Asks for more; absent when all is there. */
  onEnd: (() => void) | undefined;
}

/** Keeps what is on screen where it is when rows come or go above it. */
function useSteadyScroll(scroller: { current: HTMLElement | null }, rows: readonly InboxRow[], chosen: string | null) {
  const before = useRef<{ rows: readonly InboxRow[]; offsets: number[] } | null>(null);
  useLayoutEffect(() => {
    const offsets = rowOffsets(rows);
    const last = before.current;
    before.current = { rows, offsets };
    const element = scroller.current;
    if (!last || last.rows === rows || !element || element.scrollTop === 0) return;
    const top = element.scrollTop;
    const inView = (at: number) =>
      (last.offsets[at + 1] ?? 0) > top && (last.offsets[at] ?? 0) < top + element.clientHeight;
    const own = last.rows.findIndex(({ key }) => key === chosen);
    // The chosen row if it is in view, and the first one that still is there otherwise.
    const candidates = [...(own >= 0 && inView(own) ? [own] : []), ...last.rows.keys()].filter((at) => inView(at));
    for (const at of candidates) {
      const row = last.rows[at]!;
      const now = row.kind === "item" ? rows.findIndex(({ key }) => key === row.key) : -1;
      if (now < 0) continue;
      element.scrollTo({ top: top + (offsets[now]! - last.offsets[at]!) });
      return;
    }
  }, [rows, chosen, scroller]);
}

/** The list of the inbox. */
export function InboxList({ rows, items, total, chosen, onChoose, storeName, onEnd }: InboxListProps) {
  const { t } = useLingui();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ROW_HEIGHTS[rows[index]?.kind ?? "item"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
  });
  // Heights follow the rows, which change places without changing their number.
  useLayoutEffect(() => virtual.measure(), [rows, virtual]);
  useSteadyScroll(scroller, rows, chosen);

  const chosenAt = useMemo(() => rows.findIndex(({ key }) => key === chosen), [rows, chosen]);
  const newest = useRef(chosenAt);
  useEffect(() => {
    newest.current = chosenAt;
  });
  useEffect(() => {
    // Only choosing brings a row into view; rows that move by themselves do not.
    if (newest.current > 0) virtual.scrollToIndex(newest.current === 1 ? 0 : newest.current, { align: "auto" });
  }, [chosen, virtual]);

  const stable = useRef(onChoose);
  useEffect(() => {
    stable.current = onChoose;
  });
  const choose = useMemo(() => (memory: string) => stable.current(memory), []);
  const rowId = (key: string) => `${id}-${key}`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE_ITEMS,
      PageUp: -PAGE_ITEMS,
      Home: -items.length,
      End: items.length,
    };
    const by = steps[event.key];
    const row = by === undefined ? null : itemBeside(items, chosen, by);
    if (!row) return;
    event.preventDefault();
    onChoose(row.key);
  };
  const onScroll = () => {
    const element = scroller.current;
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END) onEnd?.();
  };

  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={t`Left to review`}
      aria-activedescendant={chosenAt < 0 || chosen === null ? undefined : rowId(chosen)}
      className="picker inbox-list"
      onKeyDown={onKeyDown}
      onScroll={onScroll}
      data-testid="inbox-list"
    >
      <div className="virtual-rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((place) => {
          const row = rows[place.index];
          return (
            row && (
              <div
                key={row.key}
                className="virtual-row"
                role="presentation"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                {row.kind === "group" ? (
                  <GroupHeading group={row.group} storeName={storeName} />
                ) : (
                  <Item
                    id={rowId(row.key)}
                    item={row.item}
                    chosen={row.key === chosen}
                    position={row.position}
                    total={total}
                    store={row.mixed ? storeName(row.item.store_id) : null}
                    onChoose={choose}
                  />
                )}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
