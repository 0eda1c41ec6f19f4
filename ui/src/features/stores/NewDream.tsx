/** Asks a host for a new dream. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId, useState } from "react";
import type { Dream, RemoteStore } from "@/bindings";
import { useFormat } from "@/shared/format";
import { hostName } from "@/shared/hosts";
import { Sheet } from "@/shared/overlay";
import { Button, Checkbox } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { navigate } from "@/state/route";
import { dreamProblems, sessionsOf } from "./dreamForm";
import { HostFailure } from "./HostFailure";
import { charactersOf, MAX_CHARACTERS } from "./mountList";

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
  const id = useId();
  const format = useFormat();
  const backend = useBackend();
  const [store, setStore] = useState(mirrors[0]?.store_id ?? "");
  const [sessionText, setSessions] = useState("");
  const [model, setModel] = useState("");
  const [instructions, setInstructions] = useState("");
  const [update, setUpdate] = useState(false);
  const [without, setWithout] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const sessions = sessionsOf(sessionText);
  const used = charactersOf(instructions);
  const queued = mirrors.find(({ store_id }) => store_id === store)?.queued ?? 0;
  const problems = dreamProblems({ store, sessions, model, instructions });
  const create = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const made = await backend.call("create_dream", {
        base_url: host,
        store,
        sessions,
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
  return (
    <Sheet
      title={t`New dream at ${hostName(host)}`}
      onClose={onClose}
      testId="new-dream"
      footer={
        <>
          <span className="muted">
            <Trans>The host runs it and bills it.</Trans>
          </span>
          <span className="spacer" />
          <Button onPress={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            tone="primary"
            isPending={busy}
            isDisabled={problems.length > 0 || (queued > 0 && !without)}
            onPress={() => void create()}
            data-testid="create-dream"
          >
            <Trans>Start the dream</Trans>
          </Button>
        </>
      }
    >
      <p>
        <Trans>
          A dream reads a store and past sessions and writes the store anew. You then compare both and accept what you
          want.
        </Trans>
      </p>
      <div className="field">
        <label htmlFor={`${id}-store`}>
          <Trans>Store to read</Trans>
        </label>
        <select
          id={`${id}-store`}
          value={store}
          onChange={(event) => {
            setStore(event.target.value);
            setWithout(false);
          }}
          data-testid="dream-store"
        >
          {mirrors.length === 0 && <option value="">{t`No store of this host is mirrored`}</option>}
          {mirrors.map((mirror) => (
            <option key={mirror.store_id} value={mirror.store_id}>
              {mirror.name}
            </option>
          ))}
        </select>
      </div>
      {queued > 0 && (
        <div className="notice notice-warning" role="alert" data-testid="dream-queued">
          <div>
            <p>
              <Plural
                value={queued}
                one="# change of this store is queued here. The dream reads the store at the host, so it would not read it."
                other="# changes of this store are queued here. The dream reads the store at the host, so it would not read them."
              />
            </p>
            <Checkbox
              label={t`Start without them`}
              isSelected={without}
              onChange={setWithout}
              data-testid="dream-without"
            />
            <div className="form-actions">
              <Button
                onPress={() => {
                  onClose();
                  navigate({ screen: "stores", view: "hosted", store });
                }}
                data-testid="dream-push-first"
              >
                <Trans>Go to the queue, to push first</Trans>
              </Button>
            </div>
          </div>
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}-sessions`}>
          <Trans>Sessions to read, one id a line</Trans>
        </label>
        <textarea
          id={`${id}-sessions`}
          rows={4}
          className="mono"
          value={sessionText}
          spellCheck={false}
          placeholder="sesn_…"
          aria-invalid={problems.includes("sessions") && sessionText !== "" ? true : undefined}
          onChange={(event) => setSessions(event.target.value)}
          data-testid="dream-sessions"
        />
        <span className={problems.includes("sessions") && sessionText !== "" ? "text-del num" : "muted num"}>
          {t`${format.number(sessions.length)} of 1 to 100, each once; ids begin with sesn_`}
        </span>
      </div>
      <div className="field">
        <label htmlFor={`${id}-model`}>
          <Trans>Model</Trans>
        </label>
        <input
          id={`${id}-model`}
          type="text"
          className="mono"
          value={model}
          spellCheck={false}
          placeholder="claude-…"
          onChange={(event) => setModel(event.target.value)}
          data-testid="dream-model"
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-instructions`}>
          <Trans>Instructions</Trans>
        </label>
        <textarea
          id={`${id}-instructions`}
          rows={4}
          value={instructions}
          aria-invalid={used > MAX_CHARACTERS || undefined}
          onChange={(event) => setInstructions(event.target.value)}
          data-testid="dream-instructions"
        />
        <span className={`num ${used > MAX_CHARACTERS ? "text-del" : "muted"}`} data-testid="dream-count">
          {used > MAX_CHARACTERS
            ? t`${format.number(used)} characters; the API takes ${format.number(MAX_CHARACTERS)}`
            : t`${format.number(used)} of ${format.number(MAX_CHARACTERS)} characters`}
        </span>
      </div>
      <Checkbox
        label={t`Write into the store itself instead of a new one`}
        isSelected={update}
        onChange={setUpdate}
        data-testid="dream-update"
      />
      {failure !== null && <HostFailure error={failure} />}
    </Sheet>
  );
}
