/** A one-time token of a hub: what is typed is not shown, and no browser keeps it. */
import { Trans } from "@lingui/react/macro";

export function TokenField(props: { value: string; onChange: (value: string) => void; testId: string }) {
  return (
    <label>
      <Trans>One-time token</Trans>
      <input
        type="password"
        required
        autoComplete="off"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
        data-testid={props.testId}
      />
    </label>
  );
}
