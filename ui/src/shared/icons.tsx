/** The few drawings. Each is decoration beside a word or a label, so none has a name of its own. */
import type { ReactNode } from "react";

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden focusable="false">
      {children}
    </svg>
  );
}

/** The mark of the program. */
export const BrandMark = () => (
  <svg className="brand-mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden focusable="false">
    <path d="M4 0h10.7L0 14.7V4a4 4 0 0 1 4-4Z" />
    <path d="M16 1.3V12a4 4 0 0 1-4 4H1.3Z" />
  </svg>
);
/** Copy. */
export const CopyIcon = () => (
  <Icon>
    <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
  </Icon>
);
/** Done. */
export const CheckIcon = () => (
  <Icon>
    <path d="m3 8.5 3.2 3.2L13 5" />
  </Icon>
);
/** Close. */
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8m0-8-8 8" />
  </Icon>
);
/** Something opens or closes; turned by the style sheet. */
export const ChevronIcon = () => (
  <Icon>
    <path d="m6 4 4 4-4 4" />
  </Icon>
);
/** More actions. */
export const MoreIcon = () => (
  <Icon>
    <path
      className="icon-filled"
      d="M3 6.8a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Zm5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Zm5 0a1.2 1.2 0 1 1 0 2.4 1.2 1.2 0 0 1 0-2.4Z"
    />
  </Icon>
);
/** Search. */
export const SearchIcon = () => (
  <Icon>
    <path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.4 7.9 3.1 3.1" />
  </Icon>
);
/** The side panel. */
export const PanelIcon = () => (
  <Icon>
    <path d="M2.5 3h11v10h-11zM6 3v10" />
  </Icon>
);
/** Settings. */
export const SettingsIcon = () => (
  <Icon>
    <path d="M2 5h5m4 0h3M2 11h3m4 0h5M9 3.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6ZM7 9.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z" />
  </Icon>
);
