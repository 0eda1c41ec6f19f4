/** Says over everything that the program does not answer, for as long as it does not. */
import { Trans } from "@lingui/react/macro";
import { useFormat } from "@/shared/format";
import { Button } from "@/shared/ui";
import { tryNow } from "@/state/connection";
import css from "./frame.module.css";

/** The banner. */
export function ConnectionLost({ since }: { since: Date }) {
  const format = useFormat();
  const time = format.time(since.toISOString());
  return (
    <div className={css.connectionLost} role="alert" data-testid="connection-lost">
      <span>
        <strong>
          <Trans>The program has not answered since {time}.</Trans>
        </strong>{" "}
        <Trans>The page shows the last known state. Reconnecting…</Trans>
      </span>
      <Button onPress={tryNow} data-testid="connect-now">
        <Trans>Try now</Trans>
      </Button>
    </div>
  );
}
