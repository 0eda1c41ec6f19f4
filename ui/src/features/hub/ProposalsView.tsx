/** Changes that machines propose to each other, with what became of each. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { HubProposal } from "@/bindings";
import { Moment, ProgramText } from "@/shared/labels";
import { Button, Chip, Empty, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { HubAwait, useAtHub } from "./failure";
import css from "./hub.module.css";
import { may, useRole, WhyNot } from "./rights";
import { PROPOSAL_STATES, PROPOSALS } from "./words";

type Answer = "hub_accept_proposal" | "hub_refuse_proposal" | "hub_withdraw_proposal";

function Acts({ proposal }: { proposal: HubProposal }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const answer = (command: Answer) =>
    void atHub(async () => {
      await backend.call(command, { id: proposal.id });
    });
  const role = useRole();
  if (proposal.state !== "waiting") return null;
  const withdraw = proposal.mine && may(role, "review") && (
    <Button onPress={() => answer("hub_withdraw_proposal")} data-testid="proposal-withdraw">
      <Trans>Withdraw</Trans>
    </Button>
  );
  if (!proposal.here)
    return (
      withdraw || (
        <span className="muted" data-testid="proposal-elsewhere">
          <Trans>answered on {proposal.machine_name}</Trans>
        </span>
      )
    );
  if (!may(role, "send")) return <WhyNot right="send" />;
  return (
    <>
      {withdraw}
      <Button onPress={() => answer("hub_refuse_proposal")} data-testid="proposal-refuse">
        <Trans>Refuse</Trans>
      </Button>
      <Button tone="primary" onPress={() => answer("hub_accept_proposal")} data-testid="proposal-accept">
        <Trans>Carry it out</Trans>
      </Button>
    </>
  );
}

function Proposal({ proposal }: { proposal: HubProposal }) {
  const words = useWords();
  const state = PROPOSAL_STATES[proposal.state];
  return (
    <div className={css.line} data-testid="proposal" data-state={proposal.state}>
      <span className={css.lineMain}>
        <strong>{words(PROPOSALS[proposal.kind])}</strong>{" "}
        <span className="mono">{proposal.path ?? proposal.store_name}</span>
        <span className="muted">
          <Trans>
            on {proposal.machine_name}, by {proposal.person} on {proposal.by_name}
          </Trans>{" "}
          · <Moment at={proposal.created_at} form="ago" />
        </span>
        {proposal.note && <span className={css.comment}>{proposal.note}</span>}
        {proposal.reason && (
          <span className="text-del">{proposal.why ? <ProgramText text={proposal.why} /> : proposal.reason}</span>
        )}
      </span>
      <Chip tone={state.tone}>{words(state.word)}</Chip>
      {proposal.verified === false && (
        <Chip tone="del">
          <Trans>signature does not fit</Trans>
        </Chip>
      )}
      <span className={css.acts}>
        <Acts proposal={proposal} />
      </span>
    </div>
  );
}

/** The proposals. */
export function ProposalsView() {
  const { t } = useLingui();
  const read = useRead("hub_proposals", {});
  return (
    <HubAwait read={read} rows={6}>
      {({ proposals }) =>
        proposals.length === 0 ? (
          <Empty title={t`No proposals`}>
            <Trans>
              A change to a memory of another machine is proposed here. Its machine carries it out, or refuses it where
              the memory changed meanwhile.
            </Trans>
            <WhyNot right="review" />
          </Empty>
        ) : (
          <VirtualRows
            items={proposals}
            keyOf={(proposal) => proposal.id}
            estimate={64}
            className={css.lines}
            role="group"
            aria-label={t`Proposals`}
          >
            {(proposal) => <Proposal proposal={proposal} />}
          </VirtualRows>
        )
      }
    </HubAwait>
  );
}
