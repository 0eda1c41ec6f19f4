/** One item: what it is, who wrote it, what changed, what is wrong with it, and what can be done. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import type { Finding, InboxItem } from "@/bindings";
import { classes } from "@/shared/classes";
import { DiffModeSwitch } from "@/shared/DiffPanel";
import { useFormat } from "@/shared/format";
import { Actor, Note, Source } from "@/shared/labels";
import { OriginPanel } from "@/shared/OriginPanel";
import { plainPrompt } from "@/shared/prompt";
import { Comma, Quoted } from "@/shared/punctuation";
import { folderOf } from "@/shared/text";
import { Button, Chip, useWords } from "@/shared/ui";
import { PutBackBy } from "@/shared/Writer";
import { useNow } from "@/state/now";
import { useStore } from "@/state/queries";
import { navigate } from "@/state/route";
import { Change } from "./Change";
import { FindingsList } from "./FindingsList";
import css from "./inbox.module.css";
import { Reappeared } from "./InboxRows";
import { ReadBy } from "./ReadBy";
import type { ItemActs } from "./reviewing";
import { StaleView } from "./StaleView";
import { nameOf, VERBS } from "./words";

/** Who wrote it, and after which prompt. */
function OriginLines({
  item,
  onTranscript,
  onSession,
}: {
  item: InboxItem;
  onTranscript: (() => void) | null;
  onSession: (() => void) | null;
}) {
  const { t } = useLingui();
  const { origin } = item;
  // Reading the transcript takes a moment, so that it waits until somebody asks.
  const [why, setWhy] = useState<string | null>(null);
  const open = why === item.version_id;
  const toMemory = () => navigate({ screen: "memories", store: item.store_id, memory: item.memory_id });
  return (
    <div className="operation-facts" data-testid="item-origin">
      {origin?.prompt && origin.prompt !== origin.title && (
        <p className={css.inboxPrompt}>
          <Quoted>{plainPrompt(origin.prompt)}</Quoted>
        </p>
      )}
      <p>
        <span className="muted">
          <Trans>Written by</Trans>
        </span>{" "}
        <Actor actor={item.created_by} origin={origin} />
        {origin?.turn != null && <Trans>, turn {origin.turn}</Trans>}
        {origin?.model && (
          <>
            <Comma />
            {origin.model}
          </>
        )}
        {item.put_back && (
          <>
            <Comma />
            <PutBackBy back={item.put_back} />
          </>
        )}
        {item.source !== "scan" && (
          <>
            {" "}
            · <Source source={item.source} by={item.created_by} />
          </>
        )}
        {item.note && (
          <>
            {" "}
            · <Note text={item.note} />
          </>
        )}
      </p>
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
        {item.path !== null && (
          <Button tone="quiet" onPress={toMemory} data-testid="open-memory">
            <Trans>Open in Memories</Trans>
          </Button>
        )}
        {onSession && (
          <Button tone="quiet" keys="s" onPress={onSession} data-testid="item-session">
            <Trans>Open session</Trans>
          </Button>
        )}
        {onTranscript && (
          <Button tone="quiet" keys="t" onPress={onTranscript} data-testid="item-transcript">
            <Trans>Open the transcript</Trans>
          </Button>
        )}
      </div>
      {open && <OriginPanel versionId={item.version_id} isTold={origin?.session_id != null} />}
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
          <h2 className="opened-title" title={item.path ?? undefined} data-testid="item-title">
            {nameOf(item) ?? t`Redacted memory`}
          </h2>
          <Chip>{verb ? say(verb.word) : item.verb}</Chip>
          {item.reappeared && <Reappeared />}
          <ReadBy item={item} />
        </div>
        <p className="muted num">{facts.join(" · ")}</p>
        {item.previous_path && (
          <p className="muted" data-testid="item-moved">
            <Trans>
              moved from <span className="mono">{item.previous_path}</span>
            </Trans>
          </p>
        )}
      </div>
      <div className="pane-tools">{!stale && <DiffModeSwitch />}</div>
    </header>
  );
}

function Actions({ item, acts, busy, filled }: { item: InboxItem; acts: ItemActs; busy: boolean; filled: boolean }) {
  const { t } = useLingui();
  // What was deleted is put back; any other change is rolled back.
  const back = item.verb === "deleted" ? t`Put back` : t`Roll back`;
  return (
    <div className={classes("pane-actions", css.inboxActions)} role="toolbar" aria-label={t`Acts on this change`}>
      <Button
        tone={filled ? "primary" : "plain"}
        keys="a"
        isPending={busy}
        onPress={acts.approve}
        data-testid="approve"
      >
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
  /** Why it needs a person, with its remedy; null where it does not. */
  notice: ReactNode;
  /** The finding that the notice says. */
  said: Finding | null;
}

/** One item. */
export function ItemPanel({ seen, now, acts, busy, notice, said }: ItemPanelProps) {
  const stale = seen.version_id !== now.version_id;
  return (
    <>
      <ItemHeader item={seen} stale={stale} />
      <div className={classes("pane-body", css.inboxBody)}>
        {!stale && notice}
        <OriginLines item={seen} onTranscript={acts.transcript} onSession={acts.session} />
        {stale ? <StaleView seen={seen} now={now} onShowNewest={() => acts.showNewest?.()} /> : <Change item={seen} />}
        <FindingsList key={seen.version_id} item={seen} said={stale ? null : said} />
      </div>
      <Actions item={seen} acts={acts} busy={busy} filled={notice === null} />
    </>
  );
}
