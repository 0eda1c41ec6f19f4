/** A store in the Memory Stores API: where it is served, and how an SDK uses it. And a directory for a store that has none. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import type { Store } from "@/bindings";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { Space } from "@/shared/punctuation";
import { Button, CopyButton, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { sdkExample, type Sdk } from "./sdk";
import hostedCss from "./hosted.module.css";
import storesCss from "./stores.module.css";

function Example({ sdk, base, store }: { sdk: Sdk; base: string; store: string }) {
  const { t } = useLingui();
  const text = sdkExample(sdk, base, store);
  const name = { python: "Python", typescript: "TypeScript", curl: "cURL" }[sdk];
  return (
    <section aria-label={name} className={hostedCss.sdkExample}>
      <h3>
        {name} <CopyButton text={text} label={t`Copy the example`} />
      </h3>
      <pre className="code-box mono" data-testid={`sdk-${sdk}`}>
        {text}
      </pre>
    </section>
  );
}

/** Use of a store that the API shows. */
export function ServedSheet({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const { platform } = useBackend();
  const served = platform.kind === "browser";
  const base = served ? window.location.origin : "http://127.0.0.1:PORT";
  return (
    <Sheet title={t`Use ${store.name} with an SDK`} onClose={onClose} size="medium" testId="served-sheet">
      {served ? (
        <p>
          <Trans>The program serves the Memory Stores API at this address, for as long as it runs:</Trans>
          <Space />
          <span className="mono" data-testid="served-at">
            {base}
          </span>{" "}
          <CopyButton text={base} label={t`Copy the address`} />
        </p>
      ) : (
        <p>
          <Trans>
            The API is served while <code>retrace serve</code> runs. It prints its address; put it in place of the one
            below.
          </Trans>
        </p>
      )}
      <p className="muted">
        <Trans>
          The key is the token of <code>retrace serve</code>: it is in the address that it printed, or in the file of{" "}
          <code>--token-file</code>.
        </Trans>
      </p>
      <p>
        <Trans>Id of the store:</Trans>
        <Space />
        <span className="mono">{store.id}</span> <CopyButton text={store.id} label={t`Copy the id`} />
      </p>
      {(["python", "typescript", "curl"] as const).map((sdk) => (
        <Example key={sdk} sdk={sdk} base={base} store={store.id} />
      ))}
    </Sheet>
  );
}

/** Asks for the directory that a store of the API is to have. */
export function MountSheet({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [directory, setDirectory] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const { pickDirectory } = backend.platform;
  const mount = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const mounted = await backend.call("mount_store", { store: store.id, directory: directory.trim() });
      say(() => ({ tone: "done", title: t`${store.name} is mounted`, detail: mounted.root }));
      onClose();
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
    }
  };
  const pick = async () => {
    const chosen = await pickDirectory?.();
    if (chosen) setDirectory(chosen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (directory.trim()) void mount();
  };
  return (
    <Sheet
      title={t`Mount ${store.name} at a directory`}
      onClose={onClose}
      testId="mount-store"
      footer={
        <SheetActions
          verb={<Trans>Mount</Trans>}
          isDisabled={directory.trim() === ""}
          isBusy={busy}
          onAct={() => void mount()}
          onCancel={onClose}
          testId="mount-confirm"
        />
      }
    >
      <p>
        <Trans>
          Each memory becomes a file there, and both are kept in step: what is written in one is in the other.
        </Trans>
      </p>
      <form onSubmit={submit} className={storesCss.addDirectory}>
        <label>
          <span>
            <Trans>An empty directory; it is made when it is missing</Trans>
          </span>
          <input
            type="text"
            className="mono"
            value={directory}
            placeholder={t`/home/you/notes`}
            spellCheck={false}
            onChange={(event) => setDirectory(event.target.value)}
            data-testid="mount-directory"
          />
        </label>
        {pickDirectory && (
          <Button onPress={() => void pick().catch(setFailure)}>
            <Trans>Choose…</Trans>
          </Button>
        )}
      </form>
      {failure !== null && <Failure error={failure} />}
    </Sheet>
  );
}
