/** The inbox when nothing is left to review. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Triage } from "@/bindings";
import { useKindName } from "@/shared/kinds";
import { StandingFindings } from "@/shared/Opening";
import { Space } from "@/shared/punctuation";
import { Button, Empty } from "@/shared/ui";
import { useSerious } from "@/state/health";
import { useInboxKinds } from "@/state/triage";
import { useRead } from "@/state/queries";
import { type InboxRoute, navigate } from "@/state/route";
import { BrokenRules } from "./BrokenRules";
import css from "./inbox.module.css";

interface NothingLeftProps {
  route: InboxRoute;
  undo: (() => void) | null;
  triage: Triage;
}

/** When nothing is left: of all, or of the kind that is shown. */
export function NothingLeft({ route, undo, triage }: NothingLeftProps) {
  const { data } = useInboxKinds(route.store ?? null);
  const others = route.kind === undefined ? 0 : (data?.total ?? 0);
  return (
    <div className={css.inboxEmpty} data-testid="inbox-empty">
      <BrokenRules broken={triage.broken} total={triage.broken_total} />
      {others > 0 && route.kind !== undefined ? (
        <NoneOfKind route={route} kind={route.kind} others={others} undo={undo} />
      ) : (
        <AllReviewed route={route} undo={undo} />
      )}
      <StandingFindings />
    </div>
  );
}

function UndoReview({ undo }: { undo: (() => void) | null }) {
  return (
    undo && (
      <Button keys="u" onPress={undo} data-testid="undo-review">
        <Trans>Undo the last review</Trans>
      </Button>
    )
  );
}

interface NoneOfKindProps {
  route: InboxRoute;
  kind: string;
  others: number;
  undo: (() => void) | null;
}

function NoneOfKind({ route, kind, others, undo }: NoneOfKindProps) {
  const { t } = useLingui();
  const name = useKindName()(kind);
  return (
    <Empty
      title={t`Nothing of this kind to review`}
      action={
        <>
          <Button
            tone="primary"
            onPress={() => navigate({ screen: "inbox", store: route.store })}
            data-testid="inbox-all-kinds"
          >
            <Trans>Show all kinds</Trans>
          </Button>
          <UndoReview undo={undo} />
        </>
      }
    >
      <Trans>The list shows one kind alone: {name}.</Trans>
      <Space />
      <Plural value={others} one="# change of another kind is left." other="# changes of other kinds are left." />
    </Empty>
  );
}

function AllReviewed({ route, undo }: { route: InboxRoute; undo: (() => void) | null }) {
  const { t } = useLingui();
  const { data } = useRead("status", {});
  const serious = useSerious() ?? 0;
  const elsewhere = route.store !== undefined && (data?.unreviewed ?? 0) > 0;
  return (
    <Empty
      // What was there before recording needs no review, and may need a person all the same.
      title={serious > 0 ? t`Every change is reviewed` : t`Everything is reviewed`}
      action={
        <>
          <UndoReview undo={undo} />
          {elsewhere && (
            <Button onPress={() => navigate({ screen: "inbox" })}>
              <Trans>Show all stores</Trans>
            </Button>
          )}
          {serious > 0 && (
            <Button onPress={() => navigate({ screen: "health" })} data-testid="inbox-health">
              <Plural value={serious} one="Show # warning in Health" other="Show # warnings in Health" />
            </Button>
          )}
          <Button onPress={() => navigate({ screen: "timeline", store: route.store })}>
            <Trans>Open the timeline</Trans>
          </Button>
        </>
      }
    >
      <Trans>
        What agents write from now on appears here by itself, with who wrote it and what is wrong with it. What was
        there when a store was added counts as known.
      </Trans>
    </Empty>
  );
}
