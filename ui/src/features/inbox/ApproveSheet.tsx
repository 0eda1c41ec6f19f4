/**
 * Summary of an approval of several changes, said before it is made: how many, which, and what the rules find among
 * them. Those with errors are left unless they are ticked one by one.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useState } from "react";
import type { Approval, Reviewed, SkippedItem } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { useProgramWords } from "@/shared/program";
import { Checkbox, Chip, Failure, Skeleton, useWords } from "@/shared/ui";
import { useNow } from "@/state/now";
import { FindingChips } from "./InboxRows";
import type { Several } from "./perform";
import { findingTone, SEVERITIES } from "./words";
import css from "./inbox.module.css";

/** Rows of changes with errors that are drawn; who has more of them looks at the list first. */
const MAX_ROWS = 200;

/** Asks what an approval would do, anew for each that is asked for. */
function usePlan(several: Several): { plan: Reviewed | null; error: unknown; again: () => void } {
  const [asked, ask] = useState(0);
  const [state, setState] = useState<{ plan: Reviewed | null; error: unknown }>({ plan: null, error: null });
  useEffect(() => {
    let gone = false;
    several.ask([], true).then(
      (plan) => !gone && setState({ plan, error: null }),
      (error: unknown) => !gone && setState({ plan: null, error }),
    );
    return () => {
      gone = true;
    };
  }, [several, asked]);
  return { ...state, again: () => ask(asked + 1) };
}

function Direction({ several, approval }: { several: Several; approval: Approval }) {
  const format = useFormat();
  const now = useNow();
  const time = (at: string | null) => (at === null ? "" : format.precise(at, now));
  const [oldest, newest] = [time(approval.oldest_at), time(approval.newest_at)];
  const { subject } = several;
  return (
    <p data-testid="approve-direction">
      {approval.direction === "up_to" ? (
        <Trans>
          <strong className="mono">{subject}</strong> and everything that was recorded before it, in every group, from{" "}
          {oldest} to {newest}. What was recorded later stays in the inbox.
        </Trans>
      ) : subject === null ? (
        <Trans>
          The chosen changes, recorded from {oldest} to {newest}. All others stay as they are.
        </Trans>
      ) : oldest === newest ? (
        <Trans>
          All changes of the group <strong>{subject}</strong>, recorded at {newest}. Other groups stay as they are.
        </Trans>
      ) : (
        <Trans>
          All changes of the group <strong>{subject}</strong>, recorded from {oldest} to {newest}. Other groups stay as
          they are.
        </Trans>
      )}{" "}
      {several.narrowed && <Trans>Only the items that the list shows now.</Trans>}
    </p>
  );
}

function Found({ approval }: { approval: Approval }) {
  const program = useProgramWords();
  const words = useWords();
  if (approval.findings.length === 0)
    return (
      <p className="muted" data-testid="approve-findings">
        <Trans>The rules find nothing in any of them.</Trans>
      </p>
    );
  return (
    <section data-testid="approve-findings">
      <h3 className="small-title">
        <Trans>Findings among them</Trans>
      </h3>
      <ul className={css.approveRules}>
        {approval.findings.map((found) => (
          <li key={`${found.severity} ${found.rule}`}>
            <Chip tone={findingTone(found)} title={found.rule}>
              {program.ruleName(found.rule)}
            </Chip>{" "}
            <span className="muted">
              {words(SEVERITIES[found.severity] ?? found.severity)},{" "}
              <Plural value={found.items} one="in # change" other="in # changes" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ErrorsProps {
  items: readonly SkippedItem[];
  ticked: ReadonlySet<string>;
  onTick: (version: string, on: boolean) => void;
}

function Errors({ items, ticked, onTick }: ErrorsProps) {
  const { t } = useLingui();
  if (items.length === 0) return null;
  const more = items.length - MAX_ROWS;
  return (
    <section data-testid="approve-errors">
      <h3 className="small-title">
        <Trans>Skipped because of errors. Tick the changes to approve anyway.</Trans>
      </h3>
      <ul className={css.approveErrors}>
        {items.slice(0, MAX_ROWS).map((item) => (
          <li key={item.version_id}>
            <Checkbox
              label={<span className="mono">{item.path ?? t`a redacted memory`}</span>}
              isSelected={ticked.has(item.version_id)}
              onChange={(on) => onTick(item.version_id, on)}
              data-testid="approve-tick"
            />
            <FindingChips item={item} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="muted">
          <Plural value={more} one="# more is left out." other="# more are left out." />
        </p>
      )}
    </section>
  );
}

/** Label of the button. */
function useVerb(approve: number, leave: number): string {
  const { t } = useLingui();
  const format = useFormat();
  const [approved, left] = [format.number(approve), format.number(leave)];
  if (approve === 0) return t`Nothing to approve`;
  return leave === 0 ? t`Approve ${approved}` : t`Approve ${approved}, leave ${left} with findings`;
}

/** Props of the sheet. */
export interface ApproveSheetProps {
  /** Requested approval. */
  several: Several;
  /** Something is being done. */
  busy: boolean;
  /** Closes it. */
  onClose: () => void;
  /** Makes the approval, with those items that were ticked. */
  onApprove: (ticked: string[]) => void;
}

/** Says what an approval of several comes to, and makes it. */
export function ApproveSheet({ several, busy, onClose, onApprove }: ApproveSheetProps) {
  const { t } = useLingui();
  const { plan, error, again } = usePlan(several);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const errors = (plan?.skipped ?? []).filter(({ reason }) => reason === "findings");
  const others = (plan?.skipped.length ?? 0) - errors.length;
  const approve = (plan?.done.length ?? 0) + ticked.size;
  const verb = useVerb(approve, errors.length - ticked.size);
  const tick = (version: string, on: boolean) => {
    const next = new Set(ticked);
    if (on) next.add(version);
    else next.delete(version);
    setTicked(next);
  };
  const body = (): ReactNode => {
    if (error !== null) return <Failure error={error} retry={again} />;
    if (!plan?.approval) return <Skeleton rows={4} />;
    return (
      <>
        <Direction several={several} approval={plan.approval} />
        <Found approval={plan.approval} />
        <Errors items={errors} ticked={ticked} onTick={tick} />
        {others > 0 && (
          <p>
            <Plural
              value={others}
              one="# changed since it was listed, or is reviewed already; it stays as it is."
              other="# changed since they were listed, or are reviewed already; they stay as they are."
            />
          </p>
        )}
      </>
    );
  };
  return (
    <Sheet
      title={several.kind === "up_to" ? t`Reviewed up to here` : t`Approve several changes`}
      onClose={onClose}
      testId="approve-sheet"
      size="medium"
      footer={
        <SheetActions
          verb={plan === null ? t`Approve` : verb}
          note={<Trans>No file is changed. It can be undone as a whole.</Trans>}
          focus="act"
          isReady={plan !== null}
          isDisabled={approve === 0}
          isBusy={busy}
          onAct={() => onApprove([...ticked])}
          onCancel={onClose}
          testId="approve-several"
          cancelTestId="approve-cancel"
        />
      }
    >
      {body()}
    </Sheet>
  );
}
