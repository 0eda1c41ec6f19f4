/** One item: what it is, who wrote it, what changed, what is wrong with it, and what can be done. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Finding, InboxItem } from "@/bindings";
import { DiffModeSwitch, DiffPanel } from "@/shared/DiffPanel";
import { RedactedDiff, WholeDiff } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { Actor, Note, Source } from "@/shared/labels";
import { MoreMenu } from "@/shared/menu";
import { OriginPanel } from "@/shared/OriginPanel";
import { useProgramWords } from "@/shared/program";
import { countOf, RemedyButtons } from "@/shared/remedies";
import { folderOf } from "@/shared/text";
import { Button, Chip, Empty, useWords } from "@/shared/ui";
import { PutBackBy } from "@/shared/Writer";
import { useNow } from "@/state/now";
import { useStore } from "@/state/queries";
import { navigate } from "@/state/route";
import { Reappeared } from "./InboxRows";
import type { ItemRow } from "./rows";
import { StaleView } from "./StaleView";
import { contentWords, findingTone, nameOf, VERBS } from "./words";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

/** Who wrote it, and after which prompt. */
function OriginLines({ item, onTranscript }: { item: InboxItem; onTranscript: (() => void) | null }) {
  const { t } = useLingui();
  const { origin } = item;
  // Reading the transcript takes a moment, so that it waits until somebody asks.
  const [why, setWhy] = useState<string | null>(null);
  const open = why === item.version_id;
  return (
    <div className="operation-facts" data-testid="item-origin">
      <p>
        <strong>
          <Trans>Written by</Trans>
        </strong>{" "}
        <Actor actor={item.created_by} />
        {origin?.turn != null && <Trans>, turn {origin.turn}</Trans>}
        {origin?.model && `, ${origin.model}`}
        {item.put_back && (
          <>
            , <PutBackBy back={item.put_back} />
          </>
        )}{" "}
        · <Source source={item.source} />
        {item.note && (
          <>
            {" "}
            · <Note text={item.note} />
          </>
        )}
      </p>
      {origin?.prompt && <p>“{origin.prompt}”</p>}
      {/* What may become known later stands last, so that it moves nothing when it comes. */}
      <div className={css.inboxOriginTools}>
        <Button
          tone="quiet"
          aria-expanded={open}
          onPress={() => setWhy(open ? null : item.version_id)}
          data-testid="item-why"
        >
          {open ? t`Less` : t`Why`}
        </Button>
        {onTranscript && (
          <Button tone="quiet" keys="t" onPress={onTranscript} data-testid="item-transcript">
            <Trans>Open the transcript</Trans>
          </Button>
        )}
      </div>
      {open && <OriginPanel versionId={item.version_id} opensTranscript={onTranscript === null} />}
    </div>
  );
}

function ItemHeader({ item, stale }: { item: InboxItem; stale: boolean }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const now = useNow();
  const store = useStore(item.store_id);
  const verb = VERBS[item.verb];
  const size = item.content_size_bytes;
  const open = () => navigate({ screen: "memories", store: item.store_id, memory: item.memory_id });
  const facts = [
    store?.name,
    item.path && folderOf(item.path),
    item.versions > 1 && plural(item.versions, { one: "# change", other: "# changes since the last review" }),
    format.precise(item.created_at, now),
    size !== null && item.verb !== "deleted" && format.bytes(size),
  ].filter(Boolean);
  return (
    <header className="pane-header">
      <div className={css.inboxTitle}>
        <div className="pane-title">
          <h1 title={item.path ?? undefined} data-testid="item-title">
            {nameOf(item) ?? t`Redacted memory`}
          </h1>
          <Chip>{verb ? say(verb.word) : item.verb}</Chip>
          {item.reappeared && <Reappeared />}
        </div>
        <p className="muted num">{facts.join(" — ")}</p>
        {item.previous_path && (
          <p className="muted" data-testid="item-moved">
            <Trans>
              moved from <span className="mono">{item.previous_path}</span>
            </Trans>
          </p>
        )}
      </div>
      <div className="pane-tools">
        {item.path !== null && (
          <Button tone="quiet" onPress={open} data-testid="open-memory">
            <Trans>Open in Memories</Trans>
          </Button>
        )}
        {!stale && <DiffModeSwitch />}
      </div>
    </header>
  );
}

function FindingRow({ finding, item }: { finding: Finding; item: InboxItem }) {
  const program = useProgramWords();
  const place = finding.start === null ? null : `${finding.line}:${finding.column}`;
  const remedy = program.remedy(finding);
  return (
    <li data-testid="item-finding">
      <Chip tone={findingTone(finding)} title={finding.rule}>
        {program.ruleName(finding.rule)}
      </Chip>
      <span>
        {place && <span className="mono muted">{place} </span>}
        {program.message(finding)} {remedy && <span className="muted">{remedy}</span>}
      </span>
      <span className={css.inboxRemedies}>
        <RemedyButtons found={{ store: item.store_id, memory: item.memory_id, finding }} />
      </span>
    </li>
  );
}

/** Findings of one rule: said once with their number, opened one by one. */
function RuleRow({ findings, item }: { findings: readonly Finding[]; item: InboxItem }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const first = findings[0]!;
  const count = findings.reduce((sum, finding) => sum + countOf(finding), 0);
  return (
    <>
      <li data-testid="item-finding">
        <Chip tone={findingTone(first)} title={first.rule}>
          {format.number(count)} × {program.ruleName(first.rule)}
        </Chip>
        <span className="muted">{program.remedy(first)}</span>
        <span className={css.inboxRemedies}>
          <Button tone="quiet" aria-expanded={open} onPress={() => setOpen(!open)} data-testid="finding-each">
            {open ? t`Show them as one` : t`Show each`}
          </Button>
        </span>
      </li>
      {open &&
        findings
          .slice(0, MAX_SINGLE)
          .map((finding) => (
            <FindingRow
              key={`${finding.line}:${finding.column}:${finding.message.text}`}
              finding={finding}
              item={item}
            />
          ))}
      {open && count > MAX_SINGLE && (
        <li className="muted">
          <Trans>The first {MAX_SINGLE} are shown; Health lists more.</Trans>
        </li>
      )}
    </>
  );
}

/** Single findings of one rule that are drawn at once. */
const MAX_SINGLE = 100;

function FindingsList({ item }: { item: InboxItem }) {
  const { findings } = item;
  if (findings.length === 0) return null;
  const rules = new Map<string, Finding[]>();
  for (const finding of findings) {
    const known = rules.get(finding.rule);
    if (known) known.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  return (
    <section className={css.inboxFindings} data-testid="item-findings">
      <h2 className="small-title">
        <Trans>Findings</Trans>
      </h2>
      <ul>
        {[...rules].map(([rule, of]) =>
          of.length === 1 && countOf(of[0]!) === 1 ? (
            <FindingRow key={rule} finding={of[0]!} item={item} />
          ) : (
            <RuleRow key={rule} findings={of} item={item} />
          ),
        )}
      </ul>
    </section>
  );
}

/** The sides of an item's difference, as `diff` takes them; null when all of the newest content is new. */
export function sidesOf(item: InboxItem): { a: string; b: string | null } | null {
  if (item.base_version_id !== null) return { a: item.base_version_id, b: item.version_id };
  // Without a base the version before the only one, or before a deletion, is what to compare it with.
  return item.versions <= 1 || item.verb === "deleted" ? { a: item.version_id, b: null } : null;
}

function Unshown({ item }: { item: InboxItem }) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const words = contentWords(item);
  if (item.content_kind === "redacted") return <RedactedDiff />;
  const [before, after] = [item.base_size_bytes ?? 0, item.content_size_bytes ?? 0].map((size) => format.bytes(size));
  return (
    <Empty title={words ? say(words) : t`Nothing to show`}>
      <Trans>
        {before} were reviewed, {after} are there now. Who, when and the hash are recorded.
      </Trans>
      {item.content_kind === "too_large" && (
        <p>
          <Trans>The content itself is not recorded, so it can be approved, but not rolled back from here.</Trans>
        </p>
      )}
    </Empty>
  );
}

function Change({ item }: { item: InboxItem }) {
  if (item.content_kind !== "text" && item.content_kind !== null) return <Unshown item={item} />;
  const sides = sidesOf(item);
  // Another item's difference must not stand here while this one's is on its way.
  return sides ? (
    <DiffPanel key={item.version_id} a={sides.a} b={sides.b} />
  ) : (
    <WholeDiff key={item.version_id} version={item.version_id} />
  );
}

/** Acts on an item, or with its group. */
export interface ItemActs {
  /** Approves it. */
  approve: () => void;
  /** Asks for the approval of its group. */
  approveGroup: () => void;
  /** Opens the editor; null where there is no text to edit. */
  edit: (() => void) | null;
  /** Puts the memory back; null where that cannot be. */
  reject: (() => void) | null;
  /** Goes to the transcript of the write, at its turn; null where none is known. */
  transcript: (() => void) | null;
  /** Goes to the redaction of it; null where there is nothing to redact. */
  redact: (() => void) | null;
  /** Takes the newest review of this window back; null when there is none. */
  undo: (() => void) | null;
  /** Goes to the next one. */
  next: () => void;
  /** Goes on with what is there now; null when that is what is shown. */
  showNewest: (() => void) | null;
}

/** Acts on several items at once: stands below the list they are in. */
export function GroupActions({ row, acts, menu }: { row: ItemRow; acts: ItemActs; menu: ReactNode }) {
  const { t } = useLingui();
  return (
    <div className={css.inboxGroupActions} role="toolbar" aria-label={t`Acts on several changes`}>
      <Button tone="quiet" keys="shift+a" onPress={acts.approveGroup} data-testid="approve-group">
        <Plural value={row.group.total} one="Approve the group" other="Approve the group of #…" />
      </Button>
      <span className="spacer" />
      <MoreMenu name={nameOf(row.item) ?? t`Redacted memory`} testId="more-for-item">
        {menu}
      </MoreMenu>
    </div>
  );
}

function Actions({ item, acts, busy }: { item: InboxItem; acts: ItemActs; busy: boolean }) {
  const { t } = useLingui();
  const roll = t`Roll back`;
  const back = { created: t`Remove it`, deleted: t`Put it back`, changed: roll, moved: roll }[item.verb];
  return (
    <div className={classes("pane-actions", css.inboxActions)} role="toolbar" aria-label={t`Acts on this change`}>
      <Button tone="primary" keys="a" isPending={busy} onPress={acts.approve} data-testid="approve">
        <Trans>Approve</Trans>
      </Button>
      <Button keys="e" isDisabled={!acts.edit} onPress={() => acts.edit?.()} data-testid="edit">
        <Trans>Edit</Trans>
      </Button>
      <Button tone="danger" keys="x" isDisabled={!acts.reject} onPress={() => acts.reject?.()} data-testid="reject">
        {back}
      </Button>
      <Button keys="r" isDisabled={!acts.redact} onPress={() => acts.redact?.()} data-testid="redact">
        <Trans>Redact…</Trans>
      </Button>
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

/** Props of the panel. */
export interface ItemPanelProps {
  /** The item as the person saw it first. */
  seen: InboxItem;
  /** The item as it is now. */
  now: InboxItem;
  /** Acts. */
  acts: ItemActs;
  /** Something is being done. */
  busy: boolean;
}

/** One item. */
export function ItemPanel({ seen, now, acts, busy }: ItemPanelProps) {
  const stale = seen.version_id !== now.version_id;
  return (
    <>
      <ItemHeader item={seen} stale={stale} />
      <div className={classes("pane-body", css.inboxBody)}>
        <OriginLines item={seen} onTranscript={acts.transcript} />
        {stale ? <StaleView seen={seen} now={now} onShowNewest={() => acts.showNewest?.()} /> : <Change item={seen} />}
        <FindingsList key={seen.version_id} item={seen} />
      </div>
      <Actions item={seen} acts={acts} busy={busy} />
    </>
  );
}
