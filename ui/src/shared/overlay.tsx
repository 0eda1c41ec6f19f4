/** Dialogs. */
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { CloseIcon } from "./icons";
import { Kbd } from "./ui";

/** Props of a dialog. */
export interface SheetProps {
  /** Its title. */
  title: string;
  /** Called when it is closed by key, by its cross or by a click outside. */
  onClose: () => void;
  /** Content. */
  children: ReactNode;
  /** Footer: the next steps. */
  footer?: ReactNode;
  /** Greatest width. */
  size?: "small" | "medium" | "large";
  /** `alertdialog` when it asks before something that cannot be taken back. */
  role?: "dialog" | "alertdialog";
  /** Name for tests. */
  testId: string;
}

/** A dialog over the window. */
export function Sheet({ title, onClose, children, footer, size = "small", role = "dialog", testId }: SheetProps) {
  const { t } = useLingui();
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={role === "dialog"}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={`sheet sheet-${size}`}>
        <Dialog role={role} className="sheet-dialog" data-testid={testId}>
          <header className="sheet-header">
            <Heading slot="title">{title}</Heading>
            <span aria-hidden>
              <Kbd keys="Esc" />
            </span>
            <Button className="icon-button" aria-label={t`Close`} onPress={onClose}>
              <CloseIcon />
            </Button>
          </header>
          <div className="sheet-body">{children}</div>
          {footer && <footer className="sheet-footer">{footer}</footer>}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
