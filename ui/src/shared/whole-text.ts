/**
 * The whole of a text that is shortened with an ellipsis, as the title of its element. One listener does it for every list
 * and table: whether a text is shortened depends on the width of the window and on the language.
 */

/** A shortened text may stand in marks and spans of its own; so many parents are asked. */
const PARENTS = 4;
/** A title is read at a glance; what is longer has a place where it is shown in full. */
const LONGEST = 400;

/** Elements whose title was set here, and may be taken back here. */
const titled = new WeakSet<Element>();

function isShortened(element: HTMLElement): boolean {
  const style = getComputedStyle(element);
  if (style.overflow === "visible") return false;
  if (style.textOverflow === "ellipsis" && element.scrollWidth > element.clientWidth) return true;
  const clamp = style.getPropertyValue("-webkit-line-clamp");
  return clamp !== "" && clamp !== "none" && element.scrollHeight > element.clientHeight;
}

/** The text of an element that shows it shortened; null where it shows all. A field that offers choices cannot be asked. */
function wholeOf(element: HTMLElement): string | null {
  if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.text ?? null;
  return isShortened(element) ? element.innerText : null;
}

function onPointerOver({ target }: Event): void {
  let element = target instanceof Element ? target.closest<HTMLElement>("*") : null;
  for (let step = 0; element instanceof HTMLElement && step < PARENTS; step += 1, element = element.parentElement) {
    const own = titled.has(element);
    if (element.title !== "" && !own) return;
    const whole = wholeOf(element)?.replace(/\s+/g, " ").trim();
    if (whole) {
      element.title = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
      titled.add(element);
      return;
    }
    if (own) {
      element.removeAttribute("title");
      titled.delete(element);
    }
  }
}

/** Sets the titles while the window is open. Used once; gives the function that stops it. */
export function showWholeTexts(): () => void {
  window.addEventListener("pointerover", onPointerOver);
  return () => window.removeEventListener("pointerover", onPointerOver);
}
