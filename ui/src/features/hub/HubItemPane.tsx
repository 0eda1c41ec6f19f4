/** One version of any machine: what changed, what was said about it, and what can be done. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { HubItem, HubShown } from "@/bindings";
import { classes } from "@/shared/classes";
import { ApiFailure } from "@/host";
import { DiffView, RedactedDiff } from "@/shared/DiffView";
import { LineCounts, Moment } from "@/shared/labels";
import { useReporting } from "@/shared/store-acts";
import { Await, Button, Empty } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import { nameOf } from "./HubInbox";
import css from "./hub.module.css";

function Difference({ item }: { item: HubItem }) {
  const { t } = useLingui();
  const kept = item.content === "kept" || item.content === "none";
  const read = useRead("hub_diff", { a: nameOf(item) }, { enabled: kept });
  if (!kept)
    return (
      <Empty title={t`The hub has no content of it`}>
        {item.content === "not_sent" && <Trans>Its machine sends paths and hashes only.</Trans>}
        {item.content === "redacted" && <Trans>It was redacted. Who, when and why is kept.</Trans>}
        {item.content === "expired" && (
          <Trans>Its time is over: the policy keeps contents so long and no longer.</Trans>
        )}
      </Empty>
    );
  if (read.error instanceof ApiFailure && read.error.error.code === "content_redacted") return <RedactedDiff />;
  return (
    <Await read={read} rows={8}>
      {(diff) => (
        <div className="diff-panel">
          <div className="diff-caption">
            <LineCounts added={diff.added} removed={diff.removed} />
          </div>
          <DiffView diff={diff} words />
        </div>
      )}
    </Await>
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
          <p className={css.comment}>{comment.text ?? <Trans>redacted</Trans>}</p>
        </li>
      ))}
    </ul>
  );
}

function CommentForm({ item }: { item: HubItem }) {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const [text, setText] = useState("");
  const send = () =>
    void reporting(async () => {
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

/** The pane. */
export function HubItemPane({ item }: { item: HubItem }) {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const read = useRead("hub_show", { version: nameOf(item), content: false });
  const approve = () =>
    void reporting(async () => {
      await backend.call("hub_approve", { versions: [nameOf(item)] });
      say({ tone: "done", title: t`Approved. ${item.machine_name} notes it at its next sync.` });
    });
  const rollBack = (version: string) =>
    void reporting(async () => {
      const made = await backend.call("hub_propose", { kind: "rollback", version });
      const withdraw = () =>
        void reporting(async () => {
          await backend.call("hub_withdraw_proposal", { id: made.id });
        });
      say({
        tone: "done",
        title: t`Proposed. ${item.machine_name} carries it out or refuses it.`,
        action: { label: t`Withdraw`, run: withdraw },
      });
    });
  useKeys([{ keys: "a", label: t`Approve`, run: approve }]);
  const before = read.data?.before ?? null;
  return (
    <section className={classes("pane", css.pane)} aria-label={item.path ?? t`redacted`} data-testid="hub-pane">
      <header className="pane-header">
        <div className="pane-title">
          <h2 className={css.paneTitle}>{item.path ?? <Trans>redacted</Trans>}</h2>
          <span className="muted">
            {item.machine_name} · {item.store_name} · <Moment at={item.created_at} form="moment" />
          </span>
        </div>
        <div className="pane-tools">
          {before !== null && (
            <Button onPress={() => rollBack(before)} data-testid="hub-propose-rollback">
              <Trans>Propose rolling back</Trans>
            </Button>
          )}
          <Button tone="primary" keys="a" onPress={approve} data-testid="hub-approve">
            <Trans>Approve</Trans>
          </Button>
        </div>
      </header>
      <div className={css.paneBody}>
        <Difference item={item} />
      </div>
      <footer className={css.talk}>
        <Await read={read} rows={2}>
          {(shown) => <Said shown={shown} />}
        </Await>
        <CommentForm item={item} />
      </footer>
    </section>
  );
}
