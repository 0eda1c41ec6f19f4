/** Messages about what was done, with what can be done about it. */
import { useLingui } from "@lingui/react/macro";
import { Button as AriaButton } from "react-aria-components/Button";
import { Text } from "react-aria-components/Text";
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components/Toast";
import { toasts } from "@/state/toasts";
import { CloseIcon } from "./icons";
import { Button } from "./ui";

/** Where messages appear. Used once. */
export function Toasts() {
  const { t } = useLingui();
  return (
    <ToastRegion queue={toasts} className="toasts" aria-label={t`Messages`}>
      {({ toast }) => {
        const { title, detail, tone, action } = toast.content();
        const close = () => toasts.close(toast.key);
        return (
          <Toast toast={toast} className={`toast toast-${tone}`} data-testid="toast">
            <ToastContent className="toast-content">
              <Text slot="title">{title}</Text>
              {detail && <Text slot="description">{detail}</Text>}
            </ToastContent>
            {action && (
              <Button
                {...(action.keys ? { keys: action.keys } : {})}
                data-testid="toast-action"
                onPress={() => {
                  close();
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <AriaButton className="icon-button" aria-label={t`Close the message`} onPress={close}>
              <CloseIcon />
            </AriaButton>
          </Toast>
        );
      }}
    </ToastRegion>
  );
}
