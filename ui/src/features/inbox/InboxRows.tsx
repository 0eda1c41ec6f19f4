/** Rows of the inbox: the heading of a group, and an item with what is to be known of it. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo } from "react";
import type { InboxGroup, InboxItem, ItemVerb, PutBack } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Actor, LineCounts, Moment } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { fileName, folderOf } from "@/shared/text";
import { Chip, useWords } from "@/shared/ui";
import { byRule, contentWords, findingTone, kindOf, nameOf, VERBS } from "./words";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

/** Findings named in a row; the others are counted. */
const NAMED_FINDINGS = 2;

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

/** Heading of a group. */
export function GroupHeading({ group, storeName }: { group: InboxGroup; storeName: (id: string) => string | null }) {
  const format = useFormat();
  const store = storeOf(group);
  const back = putBackOf(group);
  return (
    <div className={css.inboxGroup} data-testid="inbox-group">
      <span className={css.inboxGroupTitle}>
        <GroupTitle group={group} />
      </span>
      <Moment at={group.ended_at} />
      {back && (
        <span className="muted" title={format.exact(back.at)} data-testid="put-back">
          <Trans>put back</Trans>
        </span>
      )}
      {store && storeName(store) && <span className={css.inboxGroupStore}>{storeName(store)}</span>}
      <span className={classes(css.inboxGroupCount, "num")}>
        <Plural value={group.total} one="# change" other="# changes" />
      </span>
    </div>
  );
}

/** The sign of what happened; its word is its name. */
export function Verb({ verb }: { verb: ItemVerb }) {
  const say = useWords();
  const { word: known, sign } = VERBS[verb];
  const word = say(known);
  return (
    <span className={classes(css.inboxVerb, css[`inbox-${verb}`])} role="img" aria-label={word} title={word}>
      {sign}
    </span>
  );
}

function ItemName({ item }: { item: InboxItem }) {
  const { t } = useLingui();
  if (item.path === null) return <span className={css.inboxName}>{t`Redacted memory`}</span>;
  const folder = folderOf(item.path);
  return (
    <span className={css.inboxName} title={item.previous_path ? `${item.previous_path} → ${item.path}` : item.path}>
      {item.previous_path && <span className="muted">{fileName(item.previous_path)} → </span>}
      {nameOf(item)}
      {folder && <span className={css.inboxFolder}> {folder}</span>}
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
  return <span className={css.inboxMeta}>{parts.join(" · ")}</span>;
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

/** A row of the list. */
export const Item = memo(function Item({ id, item, chosen, position, total, store, onChoose }: ItemProps) {
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
      className={css.inboxItem}
      data-testid="inbox-row"
      data-key={item.memory_id}
      tabIndex={-1}
      onClick={() => onChoose(item.memory_id)}
    >
      <Verb verb={item.verb} />
      <ItemName item={item} />
      {counted && <LineCounts added={item.added ?? 0} removed={item.removed ?? 0} />}
      <span className={css.inboxMore}>
        {item.reappeared && <Reappeared />}
        <FindingChips item={item} />
        <ItemMeta item={item} store={store} />
      </span>
      {/* For the pointer: the keyboard opens the menu of a row with its own key, and the toolbar below has one too. */}
      <span className={css.inboxRowMenu} aria-hidden data-row-menu data-testid="row-menu">
        ⋯
      </span>
    </div>
  );
});
