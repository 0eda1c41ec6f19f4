/** Availability of exact counts, and the key for them. A key goes to the system's keyring and nowhere else. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useId, useState } from "react";
import type { CounterStatus, KeySource as Source } from "@/bindings";
import { useBackend } from "@/state/backend";
import { Button, Failure } from "./ui";

/** Where the key comes from, in words. */
export function KeySource({ source }: { source: Source | null }) {
  switch (source) {
    case "environment":
      return <Trans>key from the environment</Trans>;
    case "keyring":
      return <Trans>key from the system's keyring</Trans>;
    case null:
      return <Trans>no key</Trans>;
    case "given":
      return <Trans>key given for this call</Trans>;
  }
}

/** Puts a key into the keyring, or takes it out. */
export function CounterKeyForm({ status }: { status: CounterStatus }) {
  const { t } = useLingui();
  const id = useId();
  const backend = useBackend();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const store = async (value: string | null) => {
    setBusy(true);
    setFailure(null);
    try {
      await backend.call("set_counter_key", value === null ? { remove: true } : { key: value });
      setKey("");
      await queries.invalidateQueries({ queryKey: ["counter_status"] });
      await queries.invalidateQueries({ queryKey: ["context_confirm"] });
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  if (status.key_source === "environment")
    return (
      <p className="muted">
        <Trans>The environment gives the key. It is used as it is and not stored.</Trans>
      </p>
    );
  if (status.key_source === "keyring")
    return (
      <div className="form-actions">
        <Button isPending={busy} onPress={() => void store(null)} data-testid="remove-key">
          <Trans>Remove the key from the keyring</Trans>
        </Button>
        {failure !== null && <Failure error={failure} />}
      </div>
    );
  if (!status.keyring)
    return (
      <p className="muted">
        <Trans>
          This machine has no keyring that can be used, so that no key can be saved here. Tokens are counted offline.
        </Trans>
      </p>
    );
  return (
    <form
      className="key-form"
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        if (key.trim()) void store(key.trim());
      }}
    >
      <label htmlFor={id}>
        <Trans>API key</Trans>
      </label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        placeholder={t`stored in the system's keyring`}
        onChange={(event) => setKey(event.target.value)}
        data-testid="counter-key"
      />
      <Button type="submit" isPending={busy} isDisabled={key.trim() === ""} data-testid="store-key">
        <Trans>Save the key</Trans>
      </Button>
      {failure !== null && <Failure error={failure} />}
    </form>
  );
}
