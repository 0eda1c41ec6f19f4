/** One version of any machine: what changed, what the rules found in it, what was said about it, and what can be done. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useRef, useState } from "react";
import type { Finding, HubItem, HubShown } from "@/bindings";
import { byRule, findingTone } from "@/shared/findings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { Space } from "@/shared/punctuation";
import { RuleTerm } from "@/shared/Term";
import { Button, Chip } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import { Difference } from "./Difference";
import { HubAwait, useAtHub } from "./failure";
import { History } from "./History";
import css from "./hub.module.css";
import { nameOf, useShown } from "./item";
import { may, useIfMay, useRole, WhyNot } from "./rights";

function FoundRow({ finding, count }: { finding: Finding; count: number }) {
  const program = useProgramWords();
  const format = useFormat();
  return (
    <li data-testid="hub-finding" data-rule={finding.rule}>
      <RuleTerm rule={finding.rule}>
        <Chip tone={findingTone(finding)}>
          {count > 1 && `${format.number(count)} × `}
          {program.ruleName(finding.rule)}
        </Chip>
      </RuleTerm>
      <span>
        {finding.start !== null && (
          <span className="mono muted">
            {finding.line}:{finding.column}{" "}
          </span>
        )}
        {program.message(finding)} <span className="muted">{program.remedy({ ...finding, remedies: [] })}</span>
      </span>
    </li>
  );
}

/** What the rules of this machine find in the content. */
function Found({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section className={css.found} aria-labelledby="hub-found">
      <h2 className="small-title" id="hub-found">
        <Trans>Findings</Trans>
      </h2>
      <ul>
        {byRule(findings).map(({ finding, count }) => (
          <FoundRow key={finding.rule} finding={finding} count={count} />
        ))}
      </ul>
    </section>
  );
}

/** Removes a comment for everybody. */
function RemoveComment({ number }: { number: number }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const remove = () =>
    void atHub(async () => {
      await backend.call("hub_remove_comment", { number });
    });
  return (
    <Button tone="quiet" onPress={remove} data-testid="hub-comment-remove">
      <Trans>Remove</Trans>
    </Button>
  );
}

function Said({ shown }: { shown: HubShown }) {
  return (
    <ul className={css.said}>
      {shown.reviews.map((review, at) => (
        <li key={`review ${at}`} data-testid="hub-review">
          <Trans>
            Approved by {review.person} on {review.machine_name}
          </Trans>{" "}
          <span className="muted">
            <Moment at={review.created_at} form="ago" />
          </span>
        </li>
      ))}
      {shown.comments.map((comment) => (
        <li key={comment.number} data-testid="hub-comment">
          <span className="muted">
            {comment.person} · {comment.machine_name} · <Moment at={comment.created_at} form="ago" />
          </span>
          {comment.removable === true && <RemoveComment number={comment.number} />}
          <p className={css.comment}>{comment.text ?? <Trans>not shown to this role, or redacted</Trans>}</p>
        </li>
      ))}
    </ul>
  );
}

/** In how many shared sessions of all machines the memory was before a model. */
function Present({ item }: { item: HubItem }) {
  const format = useFormat();
  const memory = item.path === null ? null : `${item.store}:${item.path}`;
  const found = useRead("hub_presence", { memory: memory ?? "" }, { enabled: memory !== null }).data;
  // A session that ended before the memory was written could not have it.
  const counted = { sessions: found ? found.sessions - (found.absent["did_not_exist"] ?? 0) : 0 };
  if (!found || counted.sessions === 0) return null;
  return (
    <p className="muted" data-testid="hub-presence">
      <Trans>
        Before a model in {format.number(found.present)} of{" "}
        <Plural value={counted.sessions} one="# shared session" other="# shared sessions" />.
      </Trans>
      <Space />
      {found.last_at !== null && (
        <Trans>
          Last <Moment at={found.last_at} form="ago" />.
        </Trans>
      )}
    </p>
  );
}

function CommentForm({ item, field }: { item: HubItem; field: React.RefObject<HTMLInputElement | null> }) {
  const { t } = useLingui();
  const backend = useBackend();
  const atHub = useAtHub();
  const [text, setText] = useState("");
  const send = () =>
    void atHub(async () => {
      await backend.call("hub_comment", { version: nameOf(item), text });
      setText("");
    });
  return (
    <form
      className={css.commentForm}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label={t`Comment`}
        placeholder={t`Comment for everybody at the hub`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        data-testid="hub-comment-text"
      />
      <Button type="submit" isDisabled={text.trim() === ""} data-testid="hub-comment-send">
        <Trans>Comment</Trans>
      </Button>
    </form>
  );
}

/** What can be done to a version, where the role may. */
function usePaneActs({ item, onApproved }: PaneProps) {
  const { t } = useLingui();
  const backend = useBackend();
  const atHub = useAtHub();
  const [busy, setBusy] = useState(false);
  const once = (work: () => Promise<void>) => async () => {
    if (busy) return;
    setBusy(true);
    await atHub(work);
    setBusy(false);
  };
  const approve = once(async () => {
    await backend.call("hub_approve", { versions: [nameOf(item)] });
    say(() => ({ tone: "done", title: t`Approved. ${item.machine_name} notes it at its next sync.` }));
    onApproved();
  });
  const rollBack = (version: string) =>
    once(async () => {
      const made = await backend.call("hub_propose", { kind: "rollback", version });
      const withdraw = () =>
        void atHub(async () => {
          await backend.call("hub_withdraw_proposal", { id: made.id });
        });
      say(() => ({
        tone: "done",
        title: t`Proposed. ${item.machine_name} carries it out or refuses it.`,
        action: { label: t`Withdraw`, run: withdraw },
      }));
    })();
  return { busy, approve, rollBack };
}

interface PaneProps {
  item: HubItem;
  /** Goes on after it was approved. */
  onApproved: () => void;
  /** Goes to the next change. */
  onNext: () => void;
}

function Talk({ item, field }: { item: HubItem; field: React.RefObject<HTMLInputElement | null> }) {
  const read = useShown(item);
  const reviews = may(useRole(), "review");
  return (
    <section className={css.talk} aria-labelledby="hub-talk">
      <h2 className="small-title" id="hub-talk">
        <Trans>Comments and reviews</Trans>
      </h2>
      <HubAwait read={read} rows={2}>
        {(shown) => <Said shown={shown} />}
      </HubAwait>
      {reviews && <CommentForm item={item} field={field} />}
    </section>
  );
}

/** The pane. */
export function HubItemPane(props: PaneProps) {
  const { item, onNext } = props;
  const { t } = useLingui();
  const field = useRef<HTMLInputElement>(null);
  const ifMay = useIfMay();
  const reviews = may(useRole(), "review");
  const shown = useShown(item).data;
  const before = shown?.before ?? null;
  const acts = usePaneActs(props);
  const approve = () => ifMay("review", () => void acts.approve());
  const rollBack = () =>
    ifMay("review", () => {
      if (before !== null) void acts.rollBack(before);
      else if (shown) say(() => ({ tone: "notice", title: t`There is no version before this one to go back to.` }));
    });
  useKeys([
    { keys: "a", label: t`Approve`, run: approve },
    { keys: "x", label: t`Propose rolling back`, run: rollBack },
    { keys: "c", label: t`Write a comment`, run: () => ifMay("review", () => field.current?.focus()) },
  ]);
  return (
    <section className={`pane ${css.pane}`} aria-label={item.path ?? t`redacted`} data-testid="hub-pane">
      <header className="pane-header">
        <div className="pane-title">
          <h2 className={css.paneTitle}>{item.path ?? <Trans>redacted</Trans>}</h2>
          <span className="muted">
            {item.machine_name} · {item.store_name} · <Moment at={item.created_at} form="moment" />
          </span>
        </div>
      </header>
      <div className={css.paneBody}>
        <Present item={item} />
        <Found findings={shown?.findings ?? []} />
        <Difference item={item} />
        <Talk item={item} field={field} />
        <History item={item} />
      </div>
      <footer className={`pane-actions ${css.paneActs}`}>
        {reviews ? (
          <>
            <Button tone="primary" keys="a" isPending={acts.busy} onPress={approve} data-testid="hub-approve">
              <Trans>Approve</Trans>
            </Button>
            {before !== null && (
              <Button tone="danger" keys="x" onPress={rollBack} data-testid="hub-propose-rollback">
                <Trans>Propose rolling back</Trans>
              </Button>
            )}
          </>
        ) : (
          <WhyNot right="review" />
        )}
        <span className="spacer" />
        <Button tone="quiet" keys="j" onPress={onNext} data-testid="hub-next">
          <Trans>Next</Trans>
        </Button>
      </footer>
    </section>
  );
}
