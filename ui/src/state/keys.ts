/**
 * Keyboard commands. Components register what their keys do while they are on screen; one listener finds the command.
 * The newest registration of a key wins, so a panel can take a key over from the frame.
 *
 * No command lies on a key that begins longer ones: who stops after the first key of a sequence has done nothing. Whatever is
 * registered, the longer one wins, and `app/keys.test.tsx` searches every key of the window for such a pair.
 */
import { useEffect, useRef } from "react";
import { observable, useObservable } from "./observable";

/** One keyboard command. */
export interface KeyBinding {
  /** The keys, lower case: `x`, `shift+a`, `mod+k` (Ctrl, or Cmd on a Mac), `g m` for one after the other. */
  keys: string;
  /** Effect, in the language of the window. */
  label: string;
  /** Does it. */
  run: () => void;
  /** Works also while a text field has the focus. */
  whileTyping?: boolean;
  /** False: listed nowhere and without effect. */
  enabled?: boolean;
}

type Layer = { bindings: readonly KeyBinding[] };

const layers = observable<readonly Layer[]>([]);
/** The first key of a sequence is forgotten after so many milliseconds. */
const SEQUENCE_MS = 1200;
/** Commands that walk a list go on while their key is held. Anything else is done once a press. */
const WALKS = new Set(["j", "k", "shift+j", "shift+k"]);

/** Every command that is registered at present, those without effect included. */
export const openBindings = (): KeyBinding[] => layers.get().flatMap((layer) => layer.bindings);

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** Name of a key event in [`KeyBinding.keys`]. */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
  mac = isMac(),
): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const mod = mac ? event.metaKey : event.ctrlKey;
  // A sign such as ? or / carries its shift in itself.
  const shift = event.shiftKey && (key.length > 1 || /[a-z]/.test(key));
  return [mod && "mod", event.altKey && "alt", shift && "shift", key].filter(Boolean).join("+");
}

/** Keys of which one begins the other, as pairs: the shorter one could never be pressed for itself. */
export function prefixesAmong(keys: readonly string[]): [string, string][] {
  const known = [...new Set(keys)];
  return known.flatMap((short) =>
    known.filter((long) => long.startsWith(`${short} `)).map((long): [string, string] => [short, long]),
  );
}

/** Finds the command for a key after an optional first key of a sequence. A longer sequence wins over a command. */
export function findBinding(
  all: readonly KeyBinding[],
  prefix: string | null,
  key: string,
): { run: KeyBinding } | { prefix: string } | null {
  const wanted = prefix === null ? key : `${prefix} ${key}`;
  const open = all.filter((binding) => binding.enabled !== false);
  if (open.some((binding) => binding.keys.startsWith(`${wanted} `))) return { prefix: wanted };
  const run = open.findLast((binding) => binding.keys === wanted);
  return run ? { run } : null;
}

/** True if keys belong to a text. An editor in a shadow tree hides behind its host; the path of the event does not. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] ?? event.target;
  if (target instanceof HTMLInputElement) return !PRESSED.has(target.type);
  if (target instanceof HTMLSelectElement) return OF_SELECT.has(event.key) || isOpen(target);
  return target instanceof HTMLElement && (target.isContentEditable || target.tagName === "TEXTAREA");
}

/** Keys of a list of choices that is closed: it changes its choice, or opens. Letters are commands there, too. */
const OF_SELECT = new Set([
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageDown",
  "PageUp",
  " ",
  "Enter",
  "F4",
]);

/** True while a list of choices is open, where the page is told so; then letters search in it. */
function isOpen(list: HTMLSelectElement): boolean {
  try {
    return list.matches(":open");
  } catch {
    // Where the selector is not known, an open list has the keyboard to itself.
    return false;
  }
}

/** Fields that take no text: after a box was ticked the keys work as before. */
const PRESSED = new Set(["checkbox", "radio", "range", "button", "submit", "reset", "color", "file"]);
/** Parts whose own keys are the arrows. */
const OWN_ARROWS =
  'input, textarea, select, [contenteditable], [role="listbox"], [role="tree"], [role="grid"], [role="slider"], ' +
  '[role="tablist"], [role="radiogroup"], [role="menu"], [role="combobox"], [role="separator"]';

/**
 * The key that walks the list of the screen in place of an arrow, and with Shift extends the range, where the focus is on
 * nothing that has arrows itself.
 */
function walkOf(event: KeyboardEvent): string | null {
  const walk = { ArrowDown: "j", ArrowUp: "k" }[event.key];
  if (!walk || event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.composedPath()[0] ?? event.target;
  if (target instanceof Element && target.closest(OWN_ARROWS)) return null;
  return event.shiftKey ? `shift+${walk}` : walk;
}

/** The arrow that does the same as a key which walks a list; null for other keys. */
export function arrowOf(keys: string): string | null {
  return { j: "↓", k: "↑", "shift+j": "shift+↓", "shift+k": "shift+↑" }[keys] ?? null;
}

/** A dialog or menu has the keyboard to itself; a message (aria-modal is false) does not. */
function blockedByDialog(): boolean {
  return (
    document.querySelector('[role="dialog"],[role="alertdialog"]:not([aria-modal="false"]),[role="menu"]') !== null
  );
}

let pending: { prefix: string; at: number } | null = null;
/** The first key of a sequence that `event` may continue; null when there is none. */
function openPrefix(event: KeyboardEvent): string | null {
  return pending && event.timeStamp - pending.at < SEQUENCE_MS ? pending.prefix : null;
}

/** True if a key is a command at present, alone or after the one before it. A list leaves such a key alone. */
export function isCommandKey(event: KeyboardEvent): boolean {
  const all = openBindings();
  return [openPrefix(event), null].some((prefix) => findBinding(all, prefix, keyName(event)) !== null);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  const prefix = openPrefix(event);
  pending = null;
  const key = walkOf(event) ?? keyName(event);
  // A key that does not go on with a sequence ends it and does nothing: who meant `g i` must not have approved with `g a`.
  const from = key.includes("mod+") ? null : prefix;
  const found = findBinding(openBindings(), from, key);
  if (!found) return;
  const typing = isTyping(event) || blockedByDialog();
  if ("prefix" in found) {
    if (!typing) pending = { prefix: found.prefix, at: event.timeStamp };
    return;
  }
  if (typing && !found.run.whileTyping) return;
  event.preventDefault();
  if (event.repeat && !WALKS.has(key)) return;
  found.run.run();
}

/** Listens to the keyboard. Used once; gives the function that stops it. */
export function listenToKeys(): () => void {
  window.addEventListener("keydown", onKeyDown);
  return () => {
    pending = null;
    window.removeEventListener("keydown", onKeyDown);
  };
}

/** Registers keyboard commands while the calling component is on screen. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  // The list changes with every render, the commands rarely: registering again only when keys or labels do keeps the
  // order of layers stable.
  const signature = bindings
    .map(({ keys, label, enabled }) => `${keys}\u0000${label}\u0000${enabled !== false}`)
    .join("\u0001");
  useEffect(() => {
    const layer: Layer = {
      bindings: latest.current.map((binding, at) => ({ ...binding, run: () => latest.current[at]?.run() })),
    };
    layers.set([...layers.get(), layer]);
    return () => layers.set(layers.get().filter((known) => known !== layer));
  }, [signature]);
}

/** Every command that works at present, one for each key. */
export function useAllKeys(): KeyBinding[] {
  const byKeys = new Map<string, KeyBinding>();
  for (const layer of useObservable(layers))
    for (const binding of layer.bindings) if (binding.enabled !== false) byKeys.set(binding.keys, binding);
  return [...byKeys.values()];
}
