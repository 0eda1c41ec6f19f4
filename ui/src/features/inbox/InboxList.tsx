/**
 * The list of the inbox. Only what is in view is built, with heights that are known beforehand, so that ten thousand rows
 * scroll as ten do. What arrives above the chosen row moves nothing: the list scrolls along by as much.
 */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Menu } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import type { InboxGroup, InboxItem, PutBack } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Actor, LineCounts, Moment } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { fileName, folderOf } from "@/shared/text";
import { Chip, useWords } from "@/shared/ui";
import { type InboxRow, itemBeside, type ItemRow, rowAt, rowOffsets } from "./rows";
import { byRule, contentWords, findingTone, kindOf, nameOf, VERBS } from "./words";

/** Findings named in a row; the others are counted. */
const NAMED_FINDINGS = 2;
/** Distance to the end, in pixels, at which the next page is asked for. */
const NEAR_END = 2500;
/** Up to so many rows are simply there, so that the browser can search them. */
const SHORT = 250;
/** Pixels above and below what is in view in which rows are built, and rows that are built at once. */
const AROUND_PX = 600;
const STEP = 8;
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

/** The act that put all of a group's items back; null where some were not. */
function putBackOf(group: InboxGroup): PutBack | null {
  const back = group.items[0]?.put_back ?? null;
  return back && group.items.every((item) => item.put_back?.operation_seq === back.operation_seq) ? back : null;
}

function GroupHeading({ group, storeName }: { group: InboxGroup; storeName: (id: string) => string | null }) {
  const format = useFormat();
  const store = storeOf(group);
  const back = putBackOf(group);
  return (
    <div className="inbox-group" data-testid="inbox-group">
      <span className="inbox-group-title">
        <GroupTitle group={group} />
      </span>
      <Moment at={group.ended_at} />
      {back && (
        <span className="muted" title={format.exact(back.at)} data-testid="put-back">
          <Trans>put back</Trans>
        </span>
      )}
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
export function FindingChips({ item, most = NAMED_FINDINGS }: { item: Pick<InboxItem, "findings">; most?: number }) {
  const program = useProgramWords();
  const rules = byRule(item.findings);
  const rest = rules.slice(most).reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      {rules.slice(0, most).map(({ finding, count }) => (
        <Chip key={finding.rule} tone={findingTone(finding)} title={program.message(finding)}>
          {program.ruleName(finding.rule)}
          {count > 1 && ` ${count}`}
        </Chip>
      ))}
      {rest > 0 && <Chip>+{rest}</Chip>}
    </>
  );
}

/** Says that a content was rejected before. */
export function Reappeared() {
  const { t } = useLingui();
  return (
    <Chip tone="warn" title={t`You rejected this content before; somebody wrote it again.`} data-testid="reappeared">
      <Trans>Reappeared</Trans>
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
    item.put_back && t`put back`,
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
        {item.reappeared && <Reappeared />}
        <FindingChips item={item} />
        <ItemMeta item={item} store={store} />
      </span>
      {/* For the pointer: the keyboard opens the menu of a row with its own key, and the toolbar below has one too. */}
      <span className="inbox-row-menu" aria-hidden data-row-menu data-testid="row-menu">
        ⋯
      </span>
    </div>
  );
});

/** Props of the list. */
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
  /** The entries of a row's menu. */
  menu: (row: ItemRow) => ReactNode;
}

type Scroller = { readonly current: HTMLElement | null };

/** The rows to build: those in view with some above and below, in steps, so that most scrolling builds nothing. */
function useRange(scrollerRef: Scroller, offsets: readonly number[]) {
  const count = offsets.length - 1;
  const [range, setRange] = useState({ first: 0, last: SHORT });
  const follow = useCallback(() => {
    const element = scrollerRef.current;
    if (!element || count <= SHORT) return;
    const [top, bottom] = [element.scrollTop - AROUND_PX, element.scrollTop + element.clientHeight + AROUND_PX];
    const first = Math.floor(rowAt(offsets, top) / STEP) * STEP;
    const last = Math.ceil((rowAt(offsets, bottom) + 1) / STEP) * STEP;
    setRange((known) => (known.first === first && known.last === last ? known : { first, last }));
  }, [scrollerRef, offsets, count]);
  useLayoutEffect(() => {
    const element = scrollerRef.current;
    if (!element) return;
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => observer.disconnect();
  }, [follow, scrollerRef]);
  return { range: count <= SHORT ? { first: 0, last: count } : range, follow };
}

/** Brings the chosen row into view when another one is chosen; rows that move by themselves move nothing. */
function useReveal(scrollerRef: Scroller, offsets: readonly number[], chosenAt: number, chosen: string | null) {
  const newest = useRef({ offsets, chosenAt });
  useEffect(() => {
    newest.current = { offsets, chosenAt };
  });
  useEffect(() => {
    const { offsets: known, chosenAt: at } = newest.current;
    const element = scrollerRef.current;
    if (!element || at < 0) return;
    // The first item of all shows its heading with it.
    const top = at === 1 ? 0 : known[at]!;
    const bottom = known[at + 1]!;
    if (top < element.scrollTop) element.scrollTo?.({ top });
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTo?.({ top: bottom - element.clientHeight });
  }, [chosen, scrollerRef]);
}

/** Keeps what is on screen where it is when rows come or go above it. */
function useSteadyScroll(
  scrollerRef: Scroller,
  rows: readonly InboxRow[],
  offsets: readonly number[],
  chosen: string | null,
) {
  const before = useRef<{ rows: readonly InboxRow[]; offsets: readonly number[] } | null>(null);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = { rows, offsets };
    const element = scrollerRef.current;
    if (!last || last.rows === rows || !element || element.scrollTop === 0) return;
    const top = element.scrollTop;
    const [first, end] = [rowAt(last.offsets, top), rowAt(last.offsets, top + element.clientHeight)];
    const inView = last.rows.slice(first, end + 1);
    // The chosen row if it is in view, and the first one that still is there otherwise.
    const anchors = [...inView.filter(({ key }) => key === chosen), ...inView].filter(({ kind }) => kind === "item");
    for (const anchor of anchors) {
      const now = rows.findIndex(({ key }) => key === anchor.key);
      if (now < 0) continue;
      const was = last.offsets[first + inView.indexOf(anchor)]!;
      element.scrollTo?.({ top: top + offsets[now]! - was });
      return;
    }
  }, [rows, offsets, chosen, scrollerRef]);
}

/** Row whose menu is open, and where that stands. */
function useRowMenu(scroller: Scroller, items: readonly ItemRow[], chosen: string | null) {
  const anchor = useRef<Element>(null);
  const [open, setOpen] = useState<string | null>(null);
  const openAt = (element: Element) => {
    // The menu key comes to the list, which has the focus: it means the chosen row.
    const row = element.closest("[data-key]") ?? scroller.current?.querySelector(`[data-key="${chosen}"]`);
    const key = row?.getAttribute("data-key") ?? null;
    if (!row || key === null) return false;
    anchor.current = row;
    setOpen(key);
    return true;
  };
  return {
    anchor,
    row: items.find(({ key }) => key === open) ?? null,
    close: () => setOpen(null),
    onContextMenu: (event: MouseEvent) => {
      if (openAt(event.target as Element)) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const target = event.target as Element;
      if (target.closest("[data-row-menu]")) openAt(target);
    },
  };
}

interface RowMenuProps {
  row: ItemRow;
  anchor: RefObject<Element | null>;
  onClose: () => void;
  children: ReactNode;
}

function RowMenu({ row, anchor, onClose, children }: RowMenuProps) {
  const { t } = useLingui();
  const name = nameOf(row.item) ?? t`Redacted memory`;
  return (
    <Popover
      className="popover"
      placement="bottom end"
      aria-label={t`More for ${name}`}
      triggerRef={anchor}
      isOpen
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Menu className="menu" aria-label={t`More for ${name}`} autoFocus="first" onClose={onClose}>
        {children}
      </Menu>
    </Popover>
  );
}

/** The list of the inbox. */
export function InboxList({ rows, items, total, chosen, onChoose, storeName, onEnd, menu }: InboxListProps) {
  const { t } = useLingui();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const offsets = useMemo(() => rowOffsets(rows), [rows]);
  const { range, follow } = useRange(scroller, offsets);
  useSteadyScroll(scroller, rows, offsets, chosen);
  const chosenAt = useMemo(() => rows.findIndex(({ key }) => key === chosen), [rows, chosen]);
  useReveal(scroller, offsets, chosenAt, chosen);

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
  const goOn = () => {
    const element = scroller.current;
    if (element && element.scrollTop > 0 && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END)
      onEnd?.();
  };
  const onScroll = () => {
    follow();
    goOn();
  };
  // Who waits at the end scrolls no more; what could not be asked for then is asked for as soon as it can be.
  const canGoOn = onEnd !== undefined;
  const rowMenu = useRowMenu(scroller, items, chosen);
  const latest = useRef(goOn);
  useEffect(() => {
    latest.current = goOn;
  });
  useEffect(() => {
    if (canGoOn) latest.current();
  }, [canGoOn, rows]);

  return (
    <div
      ref={scroller}
      role="listbox"
      tabIndex={0}
      aria-label={t`Unreviewed`}
      aria-activedescendant={chosenAt < 0 || chosen === null ? undefined : rowId(chosen)}
      className="picker inbox-list"
      onKeyDown={onKeyDown}
      onScroll={onScroll}
      onClick={rowMenu.onClick}
      onContextMenu={rowMenu.onContextMenu}
      data-testid="inbox-list"
    >
      {rowMenu.row && (
        <RowMenu row={rowMenu.row} anchor={rowMenu.anchor} onClose={rowMenu.close}>
          {menu(rowMenu.row)}
        </RowMenu>
      )}
      <div className="virtual-rows" role="presentation" style={{ height: offsets.at(-1) }}>
        {rows.slice(range.first, range.last).map((row, at) => (
          <div
            key={row.key}
            className="virtual-row"
            role="presentation"
            style={{ transform: `translateY(${offsets[range.first + at]}px)` }}
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
        ))}
      </div>
    </div>
  );
}
