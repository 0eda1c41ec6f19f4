/** Asks a host for a new dream. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Dream, RemoteStore } from "@/bindings";
import { hostName } from "@/shared/hosts";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { Checkbox } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { InstructionsField, ModelField, QueuedNotice, SessionsField, StoreField } from "./DreamFields";
import { type DreamDraft, dreamProblems, EMPTY_DREAM, sessionsOf } from "./dreamForm";
import { HostFailure } from "./HostFailure";

/** Asks the host, once at a time. */
function useCreate(host: string, onMade: (dream: Dream) => void) {
  const backend = useBackend();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const create = async ({ store, sessions, model, instructions, update, without }: DreamDraft) => {
    setBusy(true);
    setFailure(null);
    try {
      const made = await backend.call("create_dream", {
        base_url: host,
        store,
        sessions: sessionsOf(sessions),
        model: model.trim(),
        instructions: instructions === "" ? null : instructions,
        update_existing: update,
        without_queued: without,
      });
      onMade(made);
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
    }
  };
  return { busy, failure, create };
}

/** The sheet. */
export function NewDream({
  host,
  mirrors,
  onMade,
  onClose,
}: {
  host: string;
  mirrors: readonly RemoteStore[];
  onMade: (dream: Dream) => void;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const { busy, failure, create } = useCreate(host, onMade);
  const [draft, setDraft] = useState<DreamDraft>({ ...EMPTY_DREAM, store: mirrors[0]?.store_id ?? "" });
  const change = (part: Partial<DreamDraft>) => setDraft((now) => ({ ...now, ...part }));
  const sessions = sessionsOf(draft.sessions);
  const queued = mirrors.find(({ store_id }) => store_id === draft.store)?.queued ?? 0;
  const problems = dreamProblems({ ...draft, sessions });
  return (
    <Sheet
      title={t`New dream at ${hostName(host)}`}
      onClose={onClose}
      testId="new-dream"
      footer={
        <SheetActions
          verb={<Trans>Start the dream</Trans>}
          note={<Trans>The host runs it and bills it.</Trans>}
          isDisabled={problems.length > 0 || (queued > 0 && !draft.without)}
          isBusy={busy}
          onAct={() => void create(draft)}
          onCancel={onClose}
          testId="create-dream"
        />
      }
    >
      <p>
        <Trans>
          A dream reads a store and past sessions, and writes a new store from them. You then compare both and accept
          what you want.
        </Trans>
      </p>
      <StoreField draft={draft} mirrors={mirrors} onChange={change} />
      {queued > 0 && <QueuedNotice queued={queued} draft={draft} onChange={change} onClose={onClose} />}
      <SessionsField
        draft={draft}
        count={sessions.length}
        wrong={problems.includes("sessions") && draft.sessions !== ""}
        onChange={change}
      />
      <ModelField draft={draft} onChange={change} />
      <InstructionsField draft={draft} onChange={change} />
      <Checkbox
        label={t`Write into the store itself instead of a new one`}
        isSelected={draft.update}
        onChange={(update) => change({ update })}
        data-testid="dream-update"
      />
      {failure !== null && <HostFailure error={failure} />}
    </Sheet>
  );
}
