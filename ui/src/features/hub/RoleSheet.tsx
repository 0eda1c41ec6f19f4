/** Gives a machine, or the window of somebody, another role. What that means is said before. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { HubMachine, HubRole } from "@/bindings";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { Segmented, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { HubFailure, useAtHub } from "./failure";
import { ALL_ROLES, ROLES } from "./words";

/** What a machine may do in a role, as the table of `docs/HUB.md` has it. */
const OF_MACHINE: Record<HubRole, MessageDescriptor> = {
  owner: msg`It adds and removes machines, gives roles and sets the policy. It reads the contents of all machines and the audit log.`,
  reviewer: msg`It reads the contents of all machines, approves, comments and proposes. It does not read the audit log.`,
  writer: msg`It sends its own changes and carries out what waits for it. It reads no contents of other machines and approves nothing.`,
  auditor: msg`It sends nothing and carries nothing out: redactions of others stay outstanding there. It reads paths and times of all machines and the audit log, and no contents.`,
};

/** What differs for a window, which has no machine. */
const OF_WINDOW: Record<HubRole, MessageDescriptor> = {
  ...OF_MACHINE,
  writer: msg`It lists no changes and shows no contents.`,
  auditor: msg`It shows paths and times of all machines and the audit log, and no contents.`,
};

/** Gives the role, and offers the way back where there is one. */
function useGive(machine: HubMachine) {
  const { t } = useLingui();
  const words = useWords();
  const backend = useBackend();
  const atHub = useAtHub();
  const give = (role: HubRole) => backend.call("hub_set_role", { machine: machine.machine, role });
  const back = () =>
    void atHub(async () => {
      await give(machine.role);
    });
  return async (role: HubRole) => {
    await give(role);
    const { name } = machine;
    say(() => {
      const given = words(ROLES[role]);
      // Who gave up being an owner here changes nothing back.
      const action = machine.is_this ? {} : { action: { label: t`Undo`, run: back } };
      return { tone: "done", title: t`The role of ${name} is ${given} now.`, ...action };
    });
  };
}

/** What follows from the choice. */
function Consequences({ machine, role }: { machine: HubMachine; role: HubRole }) {
  const words = useWords();
  const of = machine.window_ends_at === undefined ? OF_MACHINE : OF_WINDOW;
  if (role === machine.role)
    return (
      <p className="muted" data-testid="hub-role-means">
        {words(of[role])}
      </p>
    );
  return (
    <>
      <p data-testid="hub-role-means">{words(of[role])}</p>
      {machine.role === "owner" && (
        <p>
          <Trans>One-time tokens that it made and nobody used become invalid.</Trans>
        </p>
      )}
      {machine.is_this ? (
        <p className="notice notice-warning" data-testid="hub-role-own">
          <Trans>You will not be an owner then: only another owner can give you the role back.</Trans>
        </p>
      ) : (
        <p className="muted">
          <Trans>
            It applies from the next request on. You can change it back here; the audit log keeps each change.
          </Trans>
        </p>
      )}
    </>
  );
}

/** The dialog. */
export function RoleSheet({ machine, onClose }: { machine: HubMachine; onClose: () => void }) {
  const { t } = useLingui();
  const words = useWords();
  const give = useGive(machine);
  const [role, setRole] = useState(machine.role);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { name } = machine;
  const confirm = async () => {
    setBusy(true);
    try {
      await give(role);
      onClose();
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
    }
  };
  return (
    <Sheet
      title={t`Role of ${name}`}
      onClose={onClose}
      testId="hub-role-sheet"
      footer={
        <SheetActions
          verb={<Trans>Give this role</Trans>}
          tone={machine.is_this ? "danger" : "primary"}
          isDisabled={role === machine.role}
          isBusy={busy}
          onAct={() => void confirm()}
          onCancel={onClose}
          testId="hub-role-confirm"
        />
      }
    >
      <Segmented
        label={t`Role`}
        value={role}
        options={ALL_ROLES.map((value) => ({ value, label: words(ROLES[value]) }))}
        onChange={(chosen) => {
          setRole(chosen);
          setFailure(null);
        }}
      />
      <Consequences machine={machine} role={role} />
      {failure !== null && <HubFailure error={failure} />}
    </Sheet>
  );
}
