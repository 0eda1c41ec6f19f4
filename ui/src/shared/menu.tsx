/** The menu of what else can be done with something, behind a button with three dots. */
import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { MoreIcon } from "./icons";

/** Props of a menu. */
export interface MoreMenuProps {
  /** Name of its subject. */
  name: string;
  /** Name of its button for tests. */
  testId: string;
  /** Its entries. */
  children: ReactNode;
}

/** A button and the menu it opens. */
export function MoreMenu({ name, testId, children }: MoreMenuProps) {
  const { t } = useLingui();
  return (
    <MenuTrigger>
      <AriaButton className="icon-button" aria-label={t`More for ${name}`} data-testid={testId}>
        <MoreIcon />
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu">{children}</Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Props of an entry. */
export interface MenuEntryProps {
  /** Does it. */
  onAction: () => void;
  /** True if it ends something. */
  danger?: boolean;
  /** True if it cannot be done now. */
  isDisabled?: boolean;
  /** Name for tests. */
  testId?: string;
  /** Label. */
  children: ReactNode;
}

/** One entry of a menu. */
export function MenuEntry({ onAction, danger = false, isDisabled = false, testId, children }: MenuEntryProps) {
  return (
    <MenuItem
      className={danger ? "menu-item menu-danger" : "menu-item"}
      isDisabled={isDisabled}
      onAction={onAction}
      data-testid={testId}
    >
      {children}
    </MenuItem>
  );
}
