/** Who is signed in on this machine, and signing in: the provider shows a page, and the person enters a code there. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { HubPerson, HubSignIn } from "@/bindings";
import { Moment } from "@/shared/labels";
import { Button, CopyButton } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useOfHub } from "@/state/hub";
import { HubFailure, useAtHub } from "./failure";
import css from "./hub.module.css";

/** Seconds that are waited longer each time the provider was asked too soon. */
const SLOWER = 5;

/** A sign-in that began: what to do, until it is done or ends. */
export function Begun({ began, onEnd }: { began: HubSignIn; onEnd: () => void }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [wait, setWait] = useState(began.interval_seconds);
  const state = useQuery({
    queryKey: ["hub_finish_sign_in", began.handle],
    queryFn: async () => {
      const found = await backend.call("hub_finish_sign_in", { handle: began.handle });
      if (found.slower) setWait((before) => before + SLOWER);
      if (found.signed_in) onEnd();
      return found;
    },
    refetchInterval: ({ state: { error, data } }) => (error || data?.signed_in ? false : wait * 1000),
    retry: false,
    gcTime: 0,
  });
  const address = began.verification_uri_complete ?? began.verification_uri;
  return (
    <div className={css.signIn} data-testid="hub-sign-in-code">
      {state.error ? (
        <HubFailure error={state.error} />
      ) : (
        <>
          <p>
            <Trans>Open this address in any browser, on any machine, and enter the code.</Trans>
          </p>
          <p className={css.token}>
            <code>{address}</code>
            <CopyButton text={address} label={t`Copy the address`} />
          </p>
          <p className={css.token}>
            <code>{began.user_code}</code>
            <CopyButton text={began.user_code} label={t`Copy the code`} />
            <span className="muted" role="status">
              <Trans>
                Waiting; it ends <Moment at={began.expires_at} form="moment" />.
              </Trans>
            </span>
          </p>
        </>
      )}
      <Button onPress={onEnd} data-testid="hub-sign-in-cancel">
        <Trans>Cancel</Trans>
      </Button>
    </div>
  );
}

/** Who is signed in, and the way out; the way in where the hub says that it has a provider. */
export function Person({ person, offered }: { person: HubPerson | undefined; offered: boolean }) {
  const ofHub = useOfHub();
  const backend = useBackend();
  const atHub = useAtHub();
  const [began, setBegan] = useState<HubSignIn | null>(null);
  const begin = () =>
    void atHub(async () => {
      setBegan(await backend.call("hub_sign_in", {}));
    });
  const out = () =>
    void atHub(async () => {
      await backend.call("hub_sign_out", {});
    });
  if (began) return <Begun began={began} onEnd={() => setBegan(null)} />;
  return person ? (
    <div className={css.bar} data-testid="hub-person">
      <span>
        {ofHub ? (
          <Trans>
            The identity provider knows you as <strong>{person.name}</strong> ({person.person}) until{" "}
            <Moment at={person.ends_at} form="moment" />.
          </Trans>
        ) : (
          <Trans>
            <strong>{person.name}</strong> ({person.person}) is signed in on this machine until{" "}
            <Moment at={person.ends_at} form="moment" />.
          </Trans>
        )}
      </span>
      {!ofHub && (
        <Button onPress={out} data-testid="hub-sign-out">
          <Trans>Sign out</Trans>
        </Button>
      )}
    </div>
  ) : (
    <div className={css.bar} data-testid="hub-person">
      <span className="muted">
        {ofHub ? (
          <Trans>A token opened this window: others see the name that was given, and no provider vouches for it.</Trans>
        ) : (
          <Trans>Nobody is signed in on this machine: the hub knows people by what machines say.</Trans>
        )}
      </span>
      {offered && (
        <Button onPress={begin} data-testid="hub-sign-in">
          {ofHub ? <Trans>Sign in at the identity provider</Trans> : <Trans>Sign in</Trans>}
        </Button>
      )}
    </div>
  );
}
