/** Rows of the inbox: the heading of a part, a row that stands for several changes, and a change. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, type ReactNode } from "react";
import type { InboxItem, ItemVerb, TriageRow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { LineCounts } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { fileName, folderOf } from "@/shared/text";
import { Button, Chip, useWords } from "@/shared/ui";
import { cameBack } from "@/shared/Writer";
import css from "./inbox.module.css";
import { usePrimary } from "./primary";
import { REASONS, RowIcon } from "./reasons";
import type { HeadRow, ItemRow, SectionRow } from "./rows";
import { HeadMore, HeadTitle, RowTitle, saysCount, useNeedMessage } from "./titles";
import { byRule, contentWords, findingTone, kindOf, nameOf, VERBS } from "./words";

/** Findings named in a row; the others are counted. */
const NAMED_FINDINGS = 2;
/** Memories named in a row of several; the others are counted, unless it is one. */
const NAMED_MEMORIES = 2;

/** Heading of a part, with what can be done to all of it. */
export function SectionHeading({ section, onApprove }: { section: SectionRow; onApprove: () => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const isNeeds = section.key === "needs";
  return (
    <div
      className={css.inboxSection}
      role="row"
      data-testid="inbox-section"
      data-part={section.key}
      data-rows={section.rows}
      data-changes={section.changes}
    >
      <div role="gridcell" className={css.inboxSectionCell}>
        <span className={css.inboxSectionTitle}>{isNeeds ? t`Needs you` : t`Routine`}</span>
        <span className={classes(css.inboxSectionCount, "muted", "num")}>
          {isNeeds ? (
            format.number(section.rows)
          ) : (
            <>
              <Plural value={section.changes} one="# change" other="# changes" />
              <span className={css.inboxSectionMore}>
                {" · "}
                <Trans>no warnings</Trans>
              </span>
            </>
          )}
        </span>
        {!isNeeds && (
          <Button tone="primary" keys="shift+a" onPress={onApprove} excludeFromTabOrder data-testid="approve-routine">
            <Trans>Approve routine</Trans>
          </Button>
        )}
      </div>
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
    <Chip tone="warn" title={t`You rolled this content back before; somebody wrote it again.`} data-testid="reappeared">
      <Trans>Reappeared</Trans>
    </Chip>
  );
}

function ItemMeta({ item, store }: { item: InboxItem; store: string | null }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const change = item.token_change;
  const tokens = signed(format.number, change ?? 0);
  const content = contentWords(item);
  const parts = [
    ...kindOf(item.kind).map(say),
    content && say(content),
    content && item.content_size_bytes !== null && format.bytes(item.content_size_bytes),
    change !== null && change !== 0 && plural(Math.abs(change), { one: `${tokens} token`, other: `${tokens} tokens` }),
    item.put_back &&
      (item.put_back.source === "redact" ? t`redacted` : cameBack(item.put_back) ? t`came back` : t`put back`),
    item.versions > 1 && plural(item.versions, { one: "# change", other: "# changes" }),
    store,
  ].filter(Boolean);
  return <span className={css.inboxMeta}>{parts.join(" · ")}</span>;
}

/** A number with its sign. */
export function signed(number: (value: number) => string, value: number): string {
  return value < 0 ? `−${number(-value)}` : `+${number(value)}`;
}

/** What a row of the list is given. */
export interface RowProps {
  id: string;
  chosen: boolean;
  inRange: boolean;
  position: number;
  total: number;
  store: string | null;
  onChoose: (key: string, extend: boolean) => void;
  onReject: (row: TriageRow) => void;
}

/** The frame of a row: what all rows of the list have in common. */
function Frame({
  of,
  open,
  rowKey,
  level,
  testId,
  className,
  children,
}: {
  of: RowProps;
  open?: boolean;
  rowKey: string;
  level: number;
  testId: string;
  className: string | undefined;
  children: ReactNode;
}) {
  return (
    // The list has the focus and the keys (aria-activedescendant), so its rows need neither.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={of.id}
      role="row"
      aria-selected={of.chosen || of.inRange}
      aria-level={level}
      aria-expanded={open}
      aria-posinset={of.position}
      aria-setsize={of.total}
      className={classes(className, of.chosen && "is-chosen", of.inRange && "is-in-range")}
      data-testid={testId}
      data-key={rowKey}
      onClick={(event) => of.onChoose(rowKey, event.shiftKey)}
    >
      {children}
    </div>
  );
}

/** The first remedy of a row, for the pointer; the keyboard has a key for it. */
function RowRemedy({ row, onReject }: { row: TriageRow; onReject: (row: TriageRow) => void }) {
  const { primary, picker } = usePrimary(row, () => onReject(row));
  if (!primary) return null;
  return (
    <span className={css.inboxRowRemedy}>
      <Button
        tone={primary.tone === "redact" ? "redact" : "plain"}
        onPress={primary.run}
        excludeFromTabOrder
        data-testid="row-remedy"
      >
        {primary.label}
      </Button>
      {picker}
    </span>
  );
}

/** Names of the first of several changes, and how many more there are; empty for one. */
function useFirstNames({ versions, items }: TriageRow): string {
  const { t } = useLingui();
  if (versions.length === 1) return "";
  const named = items.map(nameOf).filter((name) => name !== null);
  const shown = named.slice(0, versions.length > NAMED_MEMORIES + 1 ? NAMED_MEMORIES : NAMED_MEMORIES + 1);
  const more = versions.length - shown.length;
  return more > 0 ? t`${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** A row that needs a person: why, where, and its remedy. */
function NeedCell({ row, store, onReject }: Pick<RowProps, "store" | "onReject"> & { row: TriageRow }) {
  const say = useWords();
  const message = useNeedMessage()(row);
  const reason = REASONS[row.reason!];
  const [item] = row.items;
  const names = useFirstNames(row);
  return (
    <div role="gridcell" className={css.inboxNeed}>
      <span className={classes(css.inboxReason, css[`tone-${reason.tone}`])} title={say(reason.word)}>
        <RowIcon reason={row.reason} kind={row.kind} />
        <span className="visually-hidden">{say(reason.word)}</span>
      </span>
      <span className={css.inboxName} title={item?.path ?? undefined}>
        <RowTitle row={row} />
      </span>
      <span className={css.inboxMeta}>{[store, message || names].filter(Boolean).join(" · ")}</span>
      <RowRemedy row={row} onReject={onReject} />
    </div>
  );
}

/** A row of one change. */
export const Item = memo(function Item({ of, ...props }: RowProps & { of: ItemRow }) {
  const { item, row, below } = of;
  const counted = item.added !== null && item.removed !== null;
  const isNeed = row.reason !== null && !below;
  return (
    <Frame
      of={props}
      rowKey={of.key}
      level={below ? 2 : 1}
      testId="inbox-row"
      className={classes(css.inboxItem, below && css.inboxBelow, isNeed && css.inboxNeedRow)}
    >
      {isNeed ? (
        <NeedCell row={row} store={props.store} onReject={props.onReject} />
      ) : (
        <div role="gridcell" className={css.inboxItemCell}>
          <Verb verb={item.verb} />
          <ItemName item={item} />
          {counted && <LineCounts added={item.added ?? 0} removed={item.removed ?? 0} />}
          <span className={css.inboxMore}>
            {item.reappeared && <Reappeared />}
            <FindingChips item={item} />
            <ItemMeta item={item} store={props.store} />
          </span>
        </div>
      )}
      {/* For the pointer: the keyboard opens the menu of a row with its own key, and the toolbar below has one too. */}
      <span className={css.inboxRowMenu} aria-hidden data-row-menu data-testid="row-menu">
        ⋯
      </span>
    </Frame>
  );
});

/** A row that stands for several changes. */
export const Head = memo(function Head({
  of,
  onToggle,
  ...props
}: RowProps & { of: HeadRow; onToggle: (row: TriageRow, open: boolean) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const { row, open } = of;
  return (
    <Frame of={props} open={open} rowKey={of.key} level={1} testId="inbox-head" className={css.inboxHead}>
      {/* The arrow keys open and close a row. */}
      <span
        className={classes(css.inboxChevron, open && "is-open")}
        aria-hidden
        title={open ? t`Close` : t`Show the changes`}
        data-testid="head-toggle"
        onClick={() => onToggle(row, !open)}
      >
        <ChevronIcon />
      </span>
      {row.reason !== null ? (
        <NeedCell row={row} store={props.store} onReject={props.onReject} />
      ) : (
        <div role="gridcell" className={css.inboxHeadCell}>
          <span className={css.inboxReason}>
            <RowIcon reason={null} kind={row.kind} />
          </span>
          <span className={css.inboxName}>
            <HeadTitle row={row} />
            {props.store && <span className={css.inboxFolder}> {props.store}</span>}
            <HeadMore row={row} />
          </span>
          {!saysCount(row) && (
            <span className={classes(css.inboxHeadCount, "num")}>{format.number(row.versions.length)}</span>
          )}
        </div>
      )}
    </Frame>
  );
});
