/**
 * Brings the focus back to where it was before a dialog or a menu. Each brings it back itself where it was opened from a
 * button that stays; this is for the others: opened by key, one after the other, or from what is gone since.
 */

/** What has the keyboard to itself while it is there. */
const BLOCKING = '[role="dialog"], [role="alertdialog"]:not([aria-modal="false"]), [role="menu"], .overlay';
/** What lies over the page. */
const OVER = `${BLOCKING}, .popover, .toasts`;
/** What the keyboard may go on from where the place before is gone. */
const NEXT = 'main [role="listbox"], main [role="grid"], main [role="tree"], main button, main a[href]';

/** Where the focus was last outside of what lies over the page. */
let last: HTMLElement | null = null;

/** The element that is in the place of one that was drawn anew. */
function inPlaceOf(element: HTMLElement): HTMLElement | null {
  if (element.isConnected) return element;
  const { testid, key } = element.dataset;
  if (testid === undefined) return null;
  const same = key === undefined ? "" : `[data-key="${CSS.escape(key)}"]`;
  return document.querySelector(`[data-testid="${CSS.escape(testid)}"]${same}`);
}

function isLost(): boolean {
  const { activeElement } = document;
  return (activeElement === null || activeElement === document.body) && !document.querySelector(BLOCKING);
}

function bringBack(): void {
  if (!isLost() || !last) return;
  const before = inPlaceOf(last);
  before?.focus({ preventScroll: true });
  if (isLost()) document.querySelector<HTMLElement>(NEXT)?.focus({ preventScroll: true });
}

/** Keeps it so. Used once; gives the function that ends it. */
export function returnFocus(): () => void {
  const remember = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && !target.closest(OVER)) last = target;
  };
  // What lies over the page is a child of the body. Two frames later whoever wanted the focus has it.
  const gone = new MutationObserver((changes) => {
    if (changes.some(({ removedNodes }) => removedNodes.length > 0))
      requestAnimationFrame(() => requestAnimationFrame(bringBack));
  });
  document.addEventListener("focusin", remember);
  gone.observe(document.body, { childList: true });
  return () => {
    last = null;
    document.removeEventListener("focusin", remember);
    gone.disconnect();
  };
}
