/** Failure at a host, and what to do next. */
import { Trans } from "@lingui/react/macro";
import { ApiFailure } from "@/host";
import { messagesOf } from "@/shared/failure";
import { ProgramText } from "@/shared/labels";
import { Button, Failure, useWords } from "@/shared/ui";
import { hostWords } from "./hostWords";

/** Failure at a host. Where another key may help, `onKey` leads to it. */
export function HostFailure({
  error,
  retry,
  onKey,
}: {
  error: unknown;
  retry?: (() => void) | undefined;
  onKey?: (() => void) | undefined;
}) {
  const say = useWords();
  const words = hostWords(error);
  if (!words || !(error instanceof ApiFailure)) return <Failure error={error} retry={retry} />;
  const { message, hint } = messagesOf(error.error);
  return (
    <div className="failure failure-warning" role="alert" data-testid="host-failure" data-code={error.error.code}>
      <strong>{say(words.title)}</strong>
      {message.text && (
        <p>
          <ProgramText text={message} />
        </p>
      )}
      <p>{hint.text ? <ProgramText text={hint} /> : say(words.next)}</p>
      <div className="form-actions">
        {words.key && onKey && (
          <Button onPress={onKey} data-testid="other-key">
            <Trans>Store another key</Trans>
          </Button>
        )}
        {retry && (
          <Button onPress={retry}>
            <Trans>Try again</Trans>
          </Button>
        )}
      </div>
    </div>
  );
}
