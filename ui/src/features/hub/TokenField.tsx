/** A one-time token of a hub: what is typed is not shown, and no browser keeps it. */
import { Trans } from "@lingui/react/macro";

/** Props of the field. */
export interface TokenFieldProps {
  value: string;
  onChange: (value: string) => void;
  testId: string;
  /** What is wrong with it; nothing where all is well. */
  problem?: string | null;
}

export function TokenField({ value, onChange, testId, problem = null }: TokenFieldProps) {
  return (
    <label>
      <Trans>One-time token</Trans>
      <input
        type="password"
        required
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${testId}-problem`}
        data-testid={testId}
      />
      {problem !== null && (
        <span id={`${testId}-problem`} className="field-problem">
          {problem}
        </span>
      )}
    </label>
  );
}
