/** Question before something ends: what will be, and the one button that does it. */
import type { ReactNode } from "react";
import { Sheet } from "./overlay";
import { SheetActions } from "./SheetActions";

interface QuestionProps {
  title: string;
  /** Label of the button. */
  verb: string;
  /** Begins the test ids of the sheet and of its button. */
  testId: string;
  /** True if the button is drawn as one to think about. */
  danger?: boolean;
  onDone: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks. */
export function Question({ title, verb, testId, danger = false, onDone, onClose, children }: QuestionProps) {
  return (
    <Sheet
      title={title}
      onClose={onClose}
      testId={`${testId}-dialog`}
      footer={
        <SheetActions
          verb={verb}
          tone={danger ? "danger" : "primary"}
          focus="act"
          onAct={() => {
            onClose();
            onDone();
          }}
          onCancel={onClose}
          testId={`${testId}-confirm`}
        />
      }
    >
      {children}
    </Sheet>
  );
}
