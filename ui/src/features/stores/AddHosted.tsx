/** Mirrors stores of a host: address and key, the host's own list, the first pull. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import type { HostedStores } from "@/bindings";
import { API_URL, isHostUrl } from "@/shared/hosts";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { useBackend } from "@/state/backend";
import { HostedChoice } from "./HostedChoice";
import { HostFailure } from "./HostFailure";
import { HostKeyField, useHost } from "./hostKey";
import css from "./hosted.module.css";

/** The stores of a host, once it was asked for them. */
function useHostedStores(address: string) {
  const backend = useBackend();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [hosted, setHosted] = useState<HostedStores | null>(null);
  const list = async (key: string, onListed: () => void) => {
    setBusy(true);
    setFailure(null);
    try {
      if (key !== "") await backend.call("set_host_key", { base_url: address, key });
      setHosted(await backend.call("hosted_stores", { base_url: address }));
      onListed();
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  return { hosted, busy, failure, list, back: () => setHosted(null) };
}

/** The sheet. */
export function AddHosted({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [url, setUrl] = useState(API_URL);
  const [key, setKey] = useState("");
  const address = url.trim().replace(/\/+$/, "");
  const host = useHost(address);
  const valid = isHostUrl(address);
  // Without a key the program says so itself: it may have one from the environment.
  const ready = valid;
  const { hosted, busy, failure, list, back } = useHostedStores(address);
  const find = () => void list(key.trim(), () => setKey(""));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !busy) find();
  };
  if (hosted) return <HostedChoice hosted={hosted} onBack={back} onClose={onClose} />;
  return (
    <Sheet
      title={t`Add a hosted store`}
      onClose={onClose}
      testId="add-hosted"
      footer={
        <SheetActions
          verb={<Trans>List its stores</Trans>}
          note={<Trans>One call, to list the stores.</Trans>}
          isDisabled={!ready}
          isBusy={busy}
          onAct={find}
          onCancel={onClose}
          testId="list-hosted"
        />
      }
    >
      <p>
        <Trans>
          A hosted store is mirrored into the log here and reviewed like a local one. What you change waits in a queue
          until you push it.
        </Trans>
      </p>
      <form onSubmit={submit} className={css.hostForm}>
        <div className="field">
          <label htmlFor="host-url">
            <Trans>Address of the host</Trans>
          </label>
          <input
            id="host-url"
            type="text"
            className="mono"
            value={url}
            spellCheck={false}
            aria-invalid={!valid || undefined}
            onChange={(event) => setUrl(event.target.value)}
            data-testid="host-url"
          />
          <span className="muted">
            {valid ? (
              <Trans>Without /v1. Another program that serves the Memory Stores API works as well.</Trans>
            ) : (
              <Trans>An address begins with https://, or with http:// on this machine.</Trans>
            )}
          </span>
        </div>
        <HostKeyField host={valid ? host : null} value={key} onChange={setKey} />
        <button type="submit" hidden disabled={!ready || busy} aria-hidden tabIndex={-1} />
      </form>
      {failure !== null && (
        <HostFailure
          error={failure}
          onKey={() => document.querySelector<HTMLElement>("[data-testid=host-key]")?.focus()}
        />
      )}
    </Sheet>
  );
}
