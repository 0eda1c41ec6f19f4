/** The first page of a window that a hub serves: signing in with a one-time token, or at the identity provider. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import type { HubSignIn, HubStatus } from "@/bindings";
import { Button } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { HubFailure } from "./failure";
import css from "./hub.module.css";
import { Begun } from "./SignIn";
import { TokenField } from "./TokenField";

/** Does one thing at a time, and keeps why it failed. */
function useTry() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (cause) {
      setFailure(cause);
    }
    setBusy(false);
  };
  return { busy, failure, attempt };
}

/** A one-time token of an owner, and the name that others see. */
function WithToken() {
  const backend = useBackend();
  const [name, setName] = useState("");
  const [token, setToken] = useState("");
  const { busy, failure, attempt } = useTry();
  const join = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      await backend.call("hub_join", { url: window.location.origin, token, name });
    });
  };
  return (
    <form className={css.join} onSubmit={join} data-testid="window-join" aria-labelledby="window-with-token">
      <h2 id="window-with-token">
        <Trans>With a token</Trans>
      </h2>
      <p>
        <Trans>
          An owner makes one, in the view of the machines or in a terminal. It is good for one sign-in and gives the
          role that it was made for.
        </Trans>
      </p>
      <label>
        <Trans>Your name, as others see it</Trans>
        <input
          type="text"
          required
          maxLength={80}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          data-testid="window-name"
        />
      </label>
      <TokenField value={token} onChange={setToken} testId="window-token" />
      {failure !== null && <HubFailure error={failure} />}
      <div>
        <Button type="submit" tone="primary" isPending={busy} data-testid="window-sign-in">
          <Trans>Sign in</Trans>
        </Button>
      </div>
    </form>
  );
}

/** The identity provider of the organisation. */
function AtProvider() {
  const backend = useBackend();
  const [began, setBegan] = useState<HubSignIn | null>(null);
  const { busy, failure, attempt } = useTry();
  const begin = () =>
    void attempt(async () => {
      setBegan(await backend.call("hub_sign_in", {}));
    });
  return (
    <section className={css.join} aria-labelledby="window-at-provider">
      <h2 id="window-at-provider">
        <Trans>At the identity provider</Trans>
      </h2>
      <p>
        <Trans>The provider of your organisation says who you are. Only enter a code that this page shows you.</Trans>
      </p>
      {began ? (
        <Begun began={began} onEnd={() => setBegan(null)} />
      ) : (
        <div>
          <Button isPending={busy} onPress={begin} data-testid="window-at-provider">
            <Trans>Sign in at the identity provider</Trans>
          </Button>
        </div>
      )}
      {failure !== null && <HubFailure error={failure} />}
    </section>
  );
}

/** The page. */
export function SignInPage({ status }: { status: HubStatus }) {
  const { t } = useLingui();
  return (
    <main className={`screen ${css.hubScreen}`} data-testid="window-sign-in-page">
      <header className="list-header">
        <h1>{t`Sign in`}</h1>
      </header>
      <div className={css.body}>
        <p className={css.lead}>
          <Trans>
            This hub keeps what the machines of your organisation recorded. How much of it you see depends on your role.
          </Trans>
        </p>
        {status.window?.sign_in === true && <AtProvider />}
        <WithToken />
      </div>
    </main>
  );
}
