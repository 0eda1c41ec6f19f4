/** The key for a host: where it comes from, and the field that puts one into the keyring. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { RemoteHost } from "@/bindings";
import { KeySource } from "@/shared/CounterKey";
import { useRead } from "@/state/queries";

/** Facts of a host's key; undefined until it is, null where the host is not known. */
export function useHost(baseUrl: string): RemoteHost | null | undefined {
  const { data } = useRead("remotes", {});
  if (!data) return undefined;
  const plain = (url: string) => url.replace(/\/+$/, "");
  return data.hosts.find(({ base_url }) => plain(base_url) === plain(baseUrl)) ?? null;
}

/** A field for a key. With a key that is kept already, an empty field keeps using it. */
export function HostKeyField({
  host,
  value,
  onChange,
}: {
  host: RemoteHost | null | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useLingui();
  const id = useId();
  const known = host?.key ?? null;
  return (
    <div className="field">
      <label htmlFor={id}>
        <Trans>API key</Trans>
      </label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        placeholder={known ? t`leave empty to use the saved one` : t`stored in the system's keyring`}
        onChange={(event) => onChange(event.target.value)}
        data-testid="host-key"
      />
      <span className="muted" data-testid="host-key-source">
        {known ? (
          <KeySource source={known} />
        ) : (
          <Trans>The key goes to the system's keyring and to this host, nowhere else.</Trans>
        )}
      </span>
    </div>
  );
}
