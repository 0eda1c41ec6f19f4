/** Joins a hub. Nothing of a memory is sent before a sync. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import type { HubSend } from "@/bindings";
import { Button, Segmented } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { HubFailure } from "./failure";
import css from "./hub.module.css";
import { TokenField } from "./TokenField";

/** The form. */
export function JoinHub() {
  const { t } = useLingui();
  const backend = useBackend();
  const [url, setUrl] = useState("");
  const [token, setToken] = useState("");
  const [send, setSend] = useState<HubSend>("everything");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const join = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await backend.call("hub_join", { url, token, send });
      say({ tone: "done", title: t`Joined. Nothing is sent before the first sync.` });
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
    }
  };
  return (
    <div className={css.body}>
      <form className={css.join} onSubmit={(event) => void join(event)} data-testid="hub-join">
        <h2>
          <Trans>This machine has not joined a hub</Trans>
        </h2>
        <p>
          <Trans>
            A hub keeps the versions of every machine that joined it, so that several machines and people review them
            together, and a redaction reaches all of them. It is a server of your own.
          </Trans>
        </p>
        <label>
          <Trans>Address</Trans>
          <input
            type="text"
            inputMode="url"
            required
            value={url}
            placeholder="https://hub.example"
            onChange={(event) => setUrl(event.target.value)}
            data-testid="hub-url"
          />
        </label>
        <TokenField value={token} onChange={setToken} testId="hub-token" />
        <div className={css.sends}>
          <span id="hub-sends">
            <Trans>What stores send when they sync</Trans>
          </span>
          <Segmented
            label={t`What stores send when they sync`}
            value={send}
            options={[
              { value: "everything", label: t`Everything` },
              { value: "metadata", label: t`Paths and hashes` },
              { value: "nothing", label: t`Nothing` },
            ]}
            onChange={setSend}
          />
        </div>
        {failure !== null && <HubFailure error={failure} />}
        <div>
          <Button type="submit" tone="primary" isPending={busy} data-testid="hub-join-confirm">
            <Trans>Join</Trans>
          </Button>
        </div>
      </form>
    </div>
  );
}
