/**
 * Brings the focus back where it was lost: before a dialog or a menu was opened by key, or with what had it and is gone. Each
 * dialog brings it back itself where it was opened from a button that stays; this is for the others.
 */

/** What has the keyboard to itself while it is there. */
const BLOCKING = '[role="dialog"], [role="alertdialog"]:not([aria-modal="false"]), [role="menu"], .overlay';
/** What lies over the page. */
const OVER = `${BLOCKING}, .popover, .toasts`;
/** What is gone through one after the other: where one goes, the next takes its place. */
const ONE_OF_MANY = 'li, tr, article, [role="row"], [role="listitem"], [role="option"]';
/** Lists that the arrows walk. */
const LISTS = ["grid", "tree", "listbox"].map((role) => `main [role="${role}"]`).join(", ");
/** What can have the focus. */
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';
/** What changes or takes away: the focus never comes to it by itself. */
const GRAVE = ".button-danger, .button-redact";
/** Earlier places that are remembered. */
const EARLIER = 20;

/** Where the focus was outside of what lies over the page, the newest last. */
let before: HTMLElement[] = [];
/** The screen that was last in. */
let screen: Element | null = null;
/** The focus was on nothing: a person put it there with the pointer, or it was there before a dialog opened by key. */
let nowhere = false;
/** The pointer is down. */
let pressed = false;
/** What followed that which is gone. */
let following: Element | null = null;

/** The element that is in the place of one that was drawn anew. */
function inPlaceOf(element: HTMLElement): HTMLElement | null {
  if (element.isConnected) return element;
  const { testid, key } = element.dataset;
  if (testid === undefined) return null;
  const same = key === undefined ? "" : `[data-key="${CSS.escape(key)}"]`;
  const found = document.querySelector<HTMLElement>(`[data-testid="${CSS.escape(testid)}"]${same}`);
  return key === undefined && found?.matches(GRAVE) ? null : found;
}

function isLost(): boolean {
  const { activeElement } = document;
  return (activeElement === null || activeElement === document.body) && !document.querySelector(BLOCKING);
}

/** Gives an element the focus; false where it does not take it. */
function give(element: Element | null | undefined): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

/** Gives the focus to the title of the screen, from where Tab goes to its first control; false where there is none yet. */
export function toTitle(): boolean {
  const title = document.querySelector<HTMLElement>("main h1");
  if (title && !title.hasAttribute("tabindex")) title.tabIndex = -1;
  return give(title);
}

/** What may have the focus in the one that follows: the same control, or the first that takes nothing away. */
function inNext(): HTMLElement | null {
  if (!following?.isConnected) return null;
  const testid = before.at(-1)?.dataset.testid;
  const same = testid && following.querySelector<HTMLElement>(`[data-testid="${CSS.escape(testid)}"]`);
  if (same && !same.matches(GRAVE)) return same;
  return [...following.querySelectorAll<HTMLElement>(FOCUSABLE)].find((one) => !one.matches(GRAVE)) ?? null;
}

function bringBack(): void {
  if (!isLost() || before.length === 0) return;
  if (screen !== null && !screen.isConnected) {
    // Another screen: nothing of the one before is there. Where it is not there yet, the next change asks again.
    if (toTitle()) nowhere = false;
    return;
  }
  if (give(inNext())) return;
  for (const element of before.toReversed()) {
    const isHere = !element.isConnected || element === before.at(-1) || screen?.contains(element);
    const place = isHere ? inPlaceOf(element) : null;
    if (place && !(nowhere && place.matches(GRAVE)) && give(place)) return;
  }
  if (!give(document.querySelector(LISTS))) toTitle();
}

function onFocus({ target, relatedTarget }: FocusEvent): void {
  if (!(target instanceof HTMLElement)) return;
  if (target.closest(OVER)) {
    nowhere ||= relatedTarget === null;
    return;
  }
  nowhere = false;
  following = null;
  screen = target.closest("main") ?? screen;
  before = [...before.filter((one) => one !== target), target].slice(-EARLIER);
}

function onBlur({ relatedTarget }: FocusEvent): void {
  if (pressed && relatedTarget === null) nowhere = true;
}

/** What follows the part that is gone with the focus, where it was one of many. */
function followingOf({ removedNodes, nextSibling, previousSibling }: MutationRecord): Element | null {
  const last = before.at(-1);
  const gone = [...removedNodes].find(
    (node) => node instanceof Element && last && node.contains(last) && node.matches(ONE_OF_MANY),
  );
  if (!(gone instanceof Element)) return null;
  const beside = [nextSibling, previousSibling].filter((node) => node instanceof Element);
  return beside.find((node) => node.tagName === gone.tagName) ?? null;
}

function onChange(changes: readonly MutationRecord[]): void {
  if (!isLost()) return;
  const isClosed = changes.some(({ target, removedNodes }) => target === document.body && removedNodes.length > 0);
  const isGone = before.at(-1)?.isConnected === false && !nowhere;
  if (!isClosed && !isGone) return;
  for (const change of changes) following = followingOf(change) ?? following;
  // Two frames later whoever wanted the focus has it.
  requestAnimationFrame(() => requestAnimationFrame(bringBack));
}

/** Keeps it so. Used once; gives the function that ends it. */
export function returnFocus(): () => void {
  const gone = new MutationObserver(onChange);
  const end = new AbortController();
  const { signal } = end;
  const press = (down: boolean) => () => {
    pressed = down;
  };
  document.addEventListener("focusin", onFocus, { signal });
  document.addEventListener("focusout", onBlur, { signal });
  document.addEventListener("pointerdown", press(true), { signal, capture: true });
  document.addEventListener("pointerup", press(false), { signal, capture: true });
  document.addEventListener("pointercancel", press(false), { signal, capture: true });
  gone.observe(document.body, { childList: true, subtree: true });
  return () => {
    [before, screen, following, nowhere, pressed] = [[], null, null, false, false];
    end.abort();
    gone.disconnect();
  };
}
