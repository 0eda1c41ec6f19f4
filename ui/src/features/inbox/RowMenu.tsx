/** The menu of a row of the inbox: at its button, or where the menu key or the pointer asks for it. */
import { useLingui } from "@lingui/react/macro";
import { type MouseEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { Menu } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import type { Stop } from "./rows";
import { nameOf } from "./words";

/** Row whose menu is open, and where that stands. */
export function useRowMenu(
  scroller: { readonly current: HTMLElement | null },
  stops: readonly Stop[],
  chosen: string | null,
) {
  const anchor = useRef<Element>(null);
  const [open, setOpen] = useState<string | null>(null);
  const openAt = (element: Element) => {
    // The menu key comes to the list, which has the focus: it means the chosen row.
    const row = element.closest("[data-key]") ?? scroller.current?.querySelector(`[data-key="${chosen}"]`);
    const key = row?.getAttribute("data-key") ?? null;
    if (!row || key === null) return false;
    anchor.current = row;
    setOpen(key);
    return true;
  };
  return {
    anchor,
    stop: stops.find(({ key }) => key === open) ?? null,
    close: () => setOpen(null),
    onContextMenu: (event: MouseEvent) => {
      if (openAt(event.target as Element)) event.preventDefault();
    },
    onClick: (event: MouseEvent) => {
      const target = event.target as Element;
      if (target.closest("[data-row-menu]")) openAt(target);
    },
  };
}

interface RowMenuProps {
  stop: Stop;
  anchor: RefObject<Element | null>;
  onClose: () => void;
  children: ReactNode;
}

/** The menu. */
export function RowMenu({ stop, anchor, onClose, children }: RowMenuProps) {
  const { t } = useLingui();
  const item = stop.kind === "item" ? stop.item : stop.row.items[0];
  const name = (item && nameOf(item)) ?? t`Redacted memory`;
  return (
    <Popover
      className="popover"
      placement="bottom end"
      aria-label={t`More for ${name}`}
      triggerRef={anchor}
      isOpen
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Menu className="menu" aria-label={t`More for ${name}`} autoFocus="first" onClose={onClose}>
        {children}
      </Menu>
    </Popover>
  );
}
