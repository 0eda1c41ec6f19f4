/** Around memory text: secrets in it are out of sight until somebody asks for them. */
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useMemo, useState } from "react";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { SecretsShown, useKnownSecrets, useSecretsKnown } from "./known-secrets";
import { Skeleton } from "./ui";

/** The switch that shows secrets. */
export function ShowSecret({ open, onChange }: { open: boolean; onChange: (open: boolean) => void }) {
  return (
    <ToggleButton className="link-button" isSelected={open} onChange={onChange} data-testid="show-secrets">
      {open ? <Trans>Hide the secret</Trans> : <Trans>Show the secret</Trans>}
    </ToggleButton>
  );
}

/** True if lines hold a secret that is known. */
export function useHoldsSecret(lines: readonly { text: string }[]): boolean {
  const secrets = useKnownSecrets();
  return useMemo(
    () => secrets.length > 0 && lines.some(({ text }) => secrets.some((secret) => text.includes(secret))),
    [lines, secrets],
  );
}

/** A view of lines, with the switch above it where they hold a secret. */
export function Veil({ lines, children }: { lines: readonly { text: string }[]; children: ReactNode }) {
  const holds = useHoldsSecret(lines);
  const isKnown = useSecretsKnown();
  const [open, setOpen] = useState(false);
  // A secret is not shown for the moment in which nobody knows that it is one.
  if (!isKnown) return <Skeleton rows={8} />;
  return (
    <SecretsShown value={open}>
      {holds && (
        <div className="diff-caption">
          <ShowSecret open={open} onChange={setOpen} />
        </div>
      )}
      {children}
    </SecretsShown>
  );
}
