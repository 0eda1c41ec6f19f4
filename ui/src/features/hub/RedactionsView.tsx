/** Redactions of the organisation: how far each reached, machine by machine, and what may still hold a copy. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { HubReach, HubRedaction } from "@/bindings";
import { Moment, ProgramText } from "@/shared/labels";
import { Button, Chip, Empty, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useHub } from "@/state/hub";
import { useRead } from "@/state/queries";
import { HubAwait, useAtHub } from "./failure";
import css from "./hub.module.css";
import { may, useRole, WhyNot } from "./rights";
import { REACH } from "./words";

function Reach({ reach }: { reach: HubReach }) {
  const words = useWords();
  const said = REACH[reach.state];
  return (
    <li data-testid="reach" data-state={reach.state}>
      <span>{reach.name}</span>
      <Chip tone={said.tone}>{words(said.word)}</Chip>
      {reach.left && (
        <Chip tone="warn">{reach.removed ? <Trans>removed: out of reach</Trans> : <Trans>left the hub</Trans>}</Chip>
      )}
      <span className="muted">
        <Trans>
          since <Moment at={reach.since} form="ago" />, seen <Moment at={reach.seen_at} form="ago" />
        </Trans>
      </span>
      {reach.receipt !== null &&
        (reach.receipt.verified ? (
          <span className="muted">
            <Trans>receipt signed by the machine</Trans>
          </span>
        ) : (
          <Chip tone="del">
            <Trans>the receipt’s signature does not fit</Trans>
          </Chip>
        ))}
      {reach.receipt !== null && reach.receipt.places_left > 0 && (
        <span className="text-del" data-testid="places-left">
          <Plural value={reach.receipt.places_left} one="# place left" other="# places left" />
        </span>
      )}
      {reach.carried_out_as !== undefined && (
        <span className="muted">
          <Trans>carried out in the same log by {reach.carried_out_as}</Trans>
        </span>
      )}
      {reach.acknowledged_at !== undefined && (
        <span className="muted" data-testid="reach-acknowledged">
          {reach.acknowledged_by === undefined ? (
            <Trans>
              acknowledged <Moment at={reach.acknowledged_at} form="ago" />
            </Trans>
          ) : (
            <Trans>
              acknowledged by {reach.acknowledged_by} <Moment at={reach.acknowledged_at} form="ago" />
            </Trans>
          )}
        </span>
      )}
      {reach.recheck === true && (
        <span className="muted">
          <Trans>looks again at its next sync</Trans>
        </span>
      )}
      {reach.receipt?.reason && (
        <span className="text-del">
          {reach.receipt.why ? <ProgramText text={reach.receipt.why} /> : reach.receipt.reason}
        </span>
      )}
    </li>
  );
}

/** Approving as the second person, or why that is not offered here. */
function SecondPerson({ redaction }: { redaction: HubRedaction }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const role = useRole();
  const hub = useHub().data;
  if (redaction.state !== "waiting") return null;
  if (!may(role, "review")) return <WhyNot right="review" />;
  // Where people sign in, they are counted; else machines are.
  const person = hub?.signed_in?.person;
  const own = person === undefined ? redaction.by === hub?.machine : redaction.first_person === person;
  if (own)
    return (
      <p className={css.why} data-testid="second-elsewhere">
        {person === undefined ? (
          <Trans>It waits for a second person: an owner or reviewer on another machine.</Trans>
        ) : (
          <Trans>It waits for a second person: an owner or reviewer who signs in and is not you.</Trans>
        )}
      </p>
    );
  const approve = () =>
    void atHub(async () => {
      await backend.call("hub_approve_redaction", { id: redaction.id });
    });
  return (
    <Button tone="redact" onPress={approve} data-testid="approve-redaction">
      <Trans>Approve as second person</Trans>
    </Button>
  );
}

/** Has the machines look again at what was left there, once somebody took it out. */
function LookAgain({ redaction }: { redaction: HubRedaction }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const role = useRole();
  const left =
    (redaction.left?.length ?? 0) > 0 ||
    redaction.machines.some(({ receipt, recheck }) => recheck !== true && (receipt?.places_left ?? 0) > 0);
  if (!left || !may(role, "review")) return null;
  const ask = () =>
    void atHub(async () => {
      await backend.call("hub_recheck_redaction", { id: redaction.id });
    });
  return (
    <Button tone="quiet" onPress={ask} data-testid="recheck-redaction">
      <Trans>Have machines look again</Trans>
    </Button>
  );
}

/** An owner's word that machines which are gone will not carry it out; for who is none, why it waits. */
function Acknowledge({ redaction }: { redaction: HubRedaction }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const role = useRole();
  const waitsFor = redaction.machines.filter(
    ({ left, state, acknowledged_at }) => left && state !== "done" && acknowledged_at === undefined,
  );
  if (waitsFor.length === 0) return null;
  if (!may(role, "administer")) return <WhyNot right="administer" />;
  const acknowledge = () =>
    void atHub(async () => {
      await backend.call("hub_acknowledge", { order: redaction.id });
    });
  return (
    <Button tone="quiet" onPress={acknowledge} data-testid="acknowledge-redaction">
      <Plural value={waitsFor.length} one="Go on without # machine" other="Go on without # machines" />
    </Button>
  );
}

function Redaction({ redaction }: { redaction: HubRedaction }) {
  const { t } = useLingui();
  const done = redaction.machines.filter(({ state }) => state === "done").length;
  return (
    <section className={css.redaction} aria-label={redaction.reason ?? redaction.id} data-testid="hub-redaction">
      <header className={css.line}>
        <span className={css.lineMain}>
          <strong>{redaction.reason ?? t`Redaction without a reason`}</strong>
          <span className="muted">
            {redaction.by_name} · <Moment at={redaction.created_at} form="moment" /> ·{" "}
            <Plural value={redaction.contents} one="# content destroyed" other="# contents destroyed" />
          </span>
        </span>
        {redaction.complete ? (
          <Chip tone="add">
            <Trans>on every machine</Trans>
          </Chip>
        ) : (
          <Chip tone="warn">
            {redaction.machines.length === 0 ? (
              <Trans>waiting</Trans>
            ) : (
              <Trans>
                {done} of {redaction.machines.length} machines
              </Trans>
            )}
          </Chip>
        )}
        <SecondPerson redaction={redaction} />
        <LookAgain redaction={redaction} />
        <Acknowledge redaction={redaction} />
      </header>
      {redaction.left?.map(({ place, message, hint }) => (
        <p key={place} className={css.why} data-testid="redaction-left">
          <ProgramText text={message} /> <ProgramText text={hint} />
        </p>
      ))}
      <ul className={css.reach}>
        {redaction.machines.map((reach) => (
          <Reach key={reach.machine} reach={reach} />
        ))}
      </ul>
    </section>
  );
}

/** The redactions. */
export function RedactionsView() {
  const { t } = useLingui();
  const read = useRead("hub_redactions", {});
  return (
    <HubAwait read={read} rows={6}>
      {({ redactions, copies }) =>
        redactions.length === 0 ? (
          <Empty title={t`No redactions`}>
            <Trans>What a machine redacts is taken from the hub and from every other machine at its next sync.</Trans>
          </Empty>
        ) : (
          <VirtualRows
            items={redactions}
            keyOf={(redaction) => redaction.id}
            estimate={120}
            className={css.lines}
            role="group"
            aria-label={t`Redactions`}
            footer={
              <ul className={css.copies}>
                {copies.map((copy, at) => (
                  <li key={at} className="muted">
                    <ProgramText text={copy} />
                  </li>
                ))}
              </ul>
            }
          >
            {(redaction) => <Redaction redaction={redaction} />}
          </VirtualRows>
        )
      }
    </HubAwait>
  );
}
