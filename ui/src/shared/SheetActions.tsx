/** The foot of a dialog that does one thing: a way back, and the button that does it. */
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button, type ButtonProps } from "./ui";

/** Props of the foot of a dialog. */
export interface SheetActionsProps {
  /** What the button does, in one or two words. */
  verb: ReactNode;
  /** How much there is to think about before. */
  tone?: NonNullable<ButtonProps["tone"]>;
  /** Stands before the buttons: what is sure to happen, or not to. */
  note?: ReactNode;
  /**
   * What has the focus when the dialog opens. `act` where there is only to agree: Enter does it, which the button says. `cancel`
   * before what cannot be taken back. Nothing where the dialog has fields of its own, of which Enter sends the last.
   */
  focus?: "act" | "cancel";
  /** With `focus="act"`, false for as long as there is nothing to agree to; the focus comes to the button once there is. */
  isReady?: boolean;
  /** True if the button cannot be pressed. */
  isDisabled?: boolean;
  /** True while it is done. */
  isBusy?: boolean;
  /** Does it. */
  onAct: () => void;
  /** Goes back, with nothing done. */
  onCancel: () => void;
  /** Name of the button for tests. */
  testId: string;
  /** Name of the way back for tests. */
  cancelTestId?: string;
}

/** The foot of such a dialog. */
export function SheetActions(props: SheetActionsProps) {
  const { verb, tone = "primary", note, focus, isReady = true, isDisabled = false, isBusy, testId } = props;
  return (
    <>
      {note && <span className="muted">{note}</span>}
      <span className="spacer" />
      <Button onPress={props.onCancel} autoFocus={focus === "cancel"} data-testid={props.cancelTestId}>
        <Trans>Cancel</Trans>
      </Button>
      <Button
        // Made anew once there is something to agree to, so that the focus comes to it.
        key={String(isReady)}
        tone={tone}
        isDisabled={!isReady || isDisabled}
        {...(isBusy === undefined ? {} : { isPending: isBusy })}
        {...(focus === "act" ? { autoFocus: true, keys: "Enter" } : {})}
        onPress={props.onAct}
        data-testid={testId}
      >
        {verb}
      </Button>
    </>
  );
}
