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

/** The address of the hub. */
function AddressField({
  value,
  problem,
  onChange,
}: {
  value: string;
  problem: string | null;
  onChange: (url: string) => void;
}) {
  return (
    <label>
      <Trans>Address</Trans>
      <input
        type="text"
        inputMode="url"
        required
        value={value}
        placeholder="https://hub.example"
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : "hub-url-problem"}
        data-testid="hub-url"
      />
      {problem !== null && (
        <span id="hub-url-problem" className="field-problem">
          {problem}
        </span>
      )}
    </label>
  );
}

/** What is typed, and what is wrong with it once it was sent. */
function useFields() {
  const { t } = useLingui();
  const [url, setUrl] = useState("");
  const [token, setToken] = useState("");
  const [asked, setAsked] = useState(false);
  /** True if nothing is missing; else the first field that is empty has the focus. */
  const check = (form: HTMLFormElement) => {
    setAsked(true);
    const empty = [...form.querySelectorAll("input")].find(({ value }) => value.trim() === "");
    empty?.focus();
    return empty === undefined;
  };
  return {
    url: {
      value: url,
      onChange: setUrl,
      problem: asked && url.trim() === "" ? t`Enter the address of the hub.` : null,
    },
    token: {
      value: token,
      onChange: setToken,
      problem: asked && token.trim() === "" ? t`Enter a one-time token that an owner of the hub made.` : null,
    },
    check,
  };
}

/** The form. */
export function JoinHub() {
  const { t } = useLingui();
  const backend = useBackend();
  const fields = useFields();
  const [send, setSend] = useState<HubSend>("everything");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const join = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!fields.check(event.currentTarget)) return;
    setBusy(true);
    setFailure(null);
    try {
      await backend.call("hub_join", { url: fields.url.value, token: fields.token.value, send });
      say(() => ({ tone: "done", title: t`Joined. Nothing is sent before the first sync.` }));
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
    }
  };
  return (
    <div className={css.body}>
      <form noValidate className={css.join} onSubmit={(event) => void join(event)} data-testid="hub-join">
        <h2>
          <Trans>This machine has not joined a hub</Trans>
        </h2>
        <p>
          <Trans>
            A hub keeps the versions of every machine that joined it, so that several machines and people review them
            together, and a redaction reaches all of them. It is a server of your own.
          </Trans>
        </p>
        <AddressField {...fields.url} />
        <TokenField {...fields.token} testId="hub-token" />
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
