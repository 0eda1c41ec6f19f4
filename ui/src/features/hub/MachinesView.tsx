/** The machines of the organisation, and tokens for more. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { HubMachine, HubPolicy, HubRole, HubStatus, HubToken } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { numbers, TableHead } from "@/shared/TableHead";
import { Button, Chip, CopyButton, Segmented, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { HubAwait, useAtHub } from "./failure";
import css from "./hub.module.css";
import { may, useRole, WhyNot } from "./rights";
import { RoleSheet } from "./RoleSheet";
import { Person } from "./SignIn";
import { ALL_ROLES, KEPT, ROLES } from "./words";

/** Clocks that are further apart are told, in seconds. */
const TOLD_SKEW = 120;

/** Ends the window of somebody, at once. */
function EndWindow({ machine }: { machine: HubMachine }) {
  const backend = useBackend();
  const atHub = useAtHub();
  const end = () =>
    void atHub(async () => {
      await backend.call("hub_remove_machine", { machine: machine.machine });
    });
  return (
    <Button onPress={end} data-testid="hub-end-window">
      <Trans>End</Trans>
    </Button>
  );
}

/** The role, and for an owner the way to another one. */
function RoleOf({ machine }: { machine: HubMachine }) {
  const { t } = useLingui();
  const words = useWords();
  const administers = may(useRole(), "administer");
  const [open, setOpen] = useState(false);
  const { name } = machine;
  const isHere = machine.left_at === null && machine.removed_at === null;
  return (
    <>
      {words(ROLES[machine.role])}{" "}
      {administers && isHere && (
        <Button
          tone="quiet"
          aria-label={t`Change the role of ${name}`}
          onPress={() => setOpen(true)}
          data-testid="hub-role-change"
        >
          <Trans>Change</Trans>
        </Button>
      )}
      {open && <RoleSheet machine={machine} onClose={() => setOpen(false)} />}
    </>
  );
}

function Machine({ machine }: { machine: HubMachine }) {
  const format = useFormat();
  const ends = may(useRole(), "administer") && machine.window_ends_at !== undefined && !machine.is_this;
  const gone = machine.removed_at ?? machine.left_at;
  const skewed = Math.abs(machine.skew_seconds) > TOLD_SKEW;
  return (
    <tr data-testid="hub-machine">
      <th scope="row">
        {machine.name}{" "}
        {machine.is_this && (
          <Chip tone="accent">
            {machine.window_ends_at === undefined ? <Trans>this machine</Trans> : <Trans>this window</Trans>}
          </Chip>
        )}{" "}
        {machine.window_ends_at !== undefined && (
          <span className="muted" data-testid="hub-window-ends">
            <Trans>
              window, until <Moment at={machine.window_ends_at} form="moment" />
            </Trans>
          </span>
        )}{" "}
        {machine.signed_in && <span className="muted">{machine.signed_in.name}</span>}{" "}
        {ends && <EndWindow machine={machine} />}
        {machine.copy !== undefined && (
          <span className="text-del" data-testid="hub-refused-copy">
            <Trans>
              A copy of its data directory was refused <Moment at={machine.copy.at} form="ago" />, from version{" "}
              {format.number(machine.copy.seq)} of {machine.copy.store_name ?? machine.copy.store} on.
            </Trans>
          </span>
        )}
      </th>
      <td>
        <RoleOf machine={machine} />
      </td>
      <td>
        {gone === null ? (
          <Moment at={machine.seen_at} form="ago" />
        ) : (
          <span className="muted">
            {machine.removed_at === null ? <Trans>left</Trans> : <Trans>removed</Trans>} <Moment at={gone} form="ago" />
          </span>
        )}
      </td>
      <td className={`cell-end num ${skewed ? "text-del" : ""}`}>{format.number(machine.skew_seconds)}</td>
    </tr>
  );
}

function MoreMachines() {
  const { t } = useLingui();
  const words = useWords();
  const backend = useBackend();
  const atHub = useAtHub();
  const [role, setRole] = useState<HubRole>("writer");
  const [made, setMade] = useState<HubToken | null>(null);
  const make = () =>
    void atHub(async () => {
      setMade(await backend.call("hub_token", { owner: false, role }));
    });
  return (
    <section className={css.more} aria-labelledby="more-machines">
      <h2 id="more-machines">
        <Trans>Add a machine</Trans>
      </h2>
      <p className="muted">
        <Trans>A token joins one machine, or signs one person in to the window that the hub serves to browsers.</Trans>
      </p>
      <div className={css.bar}>
        <Segmented
          label={t`Role of the machine`}
          value={role}
          options={ALL_ROLES.map((value) => ({ value, label: words(ROLES[value]) }))}
          onChange={setRole}
        />
        <Button onPress={make} data-testid="hub-make-token">
          <Trans>Make a one-time token</Trans>
        </Button>
      </div>
      {made && (
        <p className={css.token} data-testid="hub-made-token">
          <code>{made.token}</code>
          <CopyButton text={made.token} label={t`Copy the token`} />
          <span className="muted">
            <Trans>
              It is shown once, and ends <Moment at={made.expires_at} form="moment" />.
            </Trans>
          </span>
        </p>
      )}
    </section>
  );
}

/** What the organisation asks of machines, and how long the hub keeps what. */
function Policy() {
  const { t } = useLingui();
  const format = useFormat();
  const say = useWords();
  const title = useId();
  const read = useRead("hub_policy", {});
  const kept = (word: string) => (word in KEPT ? say(KEPT[word]!) : word);
  const retention = (policy: HubPolicy) =>
    Object.entries(policy.retention_days).map(([store, days]) => {
      const shown = format.number(days ?? 0);
      return store === "*" ? t`every other store: ${shown} days` : t`${store}: ${shown} days`;
    });
  return (
    <section className={css.more} aria-labelledby={title} data-testid="hub-policy">
      <h2 id={title}>
        <Trans>Policy</Trans>
      </h2>
      <HubAwait read={read} rows={3}>
        {(policy) => (
          <dl className={`facts facts-wide ${css.policy}`}>
            <dt>
              <Trans>redactions by two persons</Trans>
            </dt>
            <dd>{policy.two_person_redaction ? t`yes` : t`no`}</dd>
            <dt>
              <Trans>old contents are kept</Trans>
            </dt>
            <dd>{retention(policy).join(" · ") || t`for good`}</dd>
            <dt>
              <Trans>transcripts that machines may send</Trans>
            </dt>
            <dd>{kept(policy.transcripts)}</dd>
            <dt>
              <Trans>rules that stay on</Trans>
            </dt>
            <dd>
              {policy.required_rules.length === 0 ? (
                <Trans>none</Trans>
              ) : (
                <span className="mono">{policy.required_rules.join(" · ")}</span>
              )}
            </dd>
          </dl>
        )}
      </HubAwait>
    </section>
  );
}

/** The machines. */
export function MachinesView({ status }: { status: HubStatus }) {
  const { t } = useLingui();
  const read = useRead("hub_machines", {});
  return (
    <div className={css.body}>
      <Person person={status.signed_in} offered={read.data?.sign_in === true} />
      <HubAwait read={read} rows={5}>
        {({ machines }) => (
          <div className="table-box">
            <table className="table" aria-label={t`Machines`}>
              <TableHead columns={[t`Machine`, t`Role`, t`Last seen`, numbers(t`Clock ahead, in seconds`)]} />
              <tbody>
                {machines.map((machine) => (
                  <Machine key={machine.machine} machine={machine} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </HubAwait>
      {/* A hub that does not answer says so once. */}
      {read.data !== undefined && <Policy />}
      {may(status.role, "administer") ? <MoreMachines /> : <WhyNot right="administer" />}
    </div>
  );
}
