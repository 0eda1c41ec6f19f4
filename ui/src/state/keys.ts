/**
 * Keyboard commands. Components register what their keys do while they are on screen; one listener finds the command.
 * The newest registration of a key wins, so a panel can take a key over from the frame.
 */
import { useEffect, useRef } from "react";
import { observable, useObservable } from "./observable";

/** One keyboard command. */
export interface KeyBinding {
  /** The keys, lower case: `x`, `shift+a`, `mod+k` (Ctrl, or Cmd on a Mac), `g m` for one after the other. */
  keys: string;
  /** What it does, in the language of the window. */
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
/** A key that is a command and begins longer ones is the command when nothing follows for so many milliseconds. */
const AMBIGUOUS_MS = 600;

const openBindings = (): KeyBinding[] => layers.get().flatMap((layer) => layer.bindings);

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key event is written in [`KeyBinding.keys`]. */
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

/** Finds the command for a key after an optional first key of a sequence. */
export function findBinding(
  all: readonly KeyBinding[],
  prefix: string | null,
  key: string,
): { run: KeyBinding } | { prefix: string } | null {
  const wanted = prefix === null ? key : `${prefix} ${key}`;
  const open = all.filter((binding) => binding.enabled !== false);
  const run = open.findLast((binding) => binding.keys === wanted);
  if (run) return { run };
  return open.some((binding) => binding.keys.startsWith(`${wanted} `)) ? { prefix: wanted } : null;
}

/** Whether keys belong to a text. An editor in a shadow tree hides behind its host; the path of the event does not. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0] ?? event.target;
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A dialog or menu has the keyboard to itself; a message (aria-modal is false) does not. */
function blockedByDialog(): boolean {
  return (
    document.querySelector('[role="dialog"],[role="alertdialog"]:not([aria-modal="false"]),[role="menu"]') !== null
  );
}

let pending: { prefix: string; at: number } | null = null;
/** A command whose key also begins longer ones waits here whether another key follows. */
let waiting: { keys: string; timer: number } | null = null;

function runWaiting(): void {
  if (!waiting) return;
  window.clearTimeout(waiting.timer);
  const { keys } = waiting;
  [waiting, pending] = [null, null];
  const found = findBinding(openBindings(), null, keys);
  if (found && "run" in found && !blockedByDialog()) found.run.run();
}

function forgetWaiting(): void {
  if (waiting) window.clearTimeout(waiting.timer);
  waiting = null;
}

/** The first key of a sequence that `event` may continue; null when there is none. */
function openPrefix(event: KeyboardEvent): string | null {
  return pending && event.timeStamp - pending.at < SEQUENCE_MS ? pending.prefix : null;
}

/** Whether a key is a command at present, alone or after the one before it. A list leaves such a key alone. */
export function isCommandKey(event: KeyboardEvent): boolean {
  const all = openBindings();
  return [openPrefix(event), null].some((prefix) => findBinding(all, prefix, keyName(event)) !== null);
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  const prefix = openPrefix(event);
  pending = null;
  const key = keyName(event);
  const continued = prefix === null ? null : findBinding(openBindings(), prefix, key);
  // Another key than one that goes on: what waits was meant as it is, and comes first.
  if (continued) forgetWaiting();
  else runWaiting();
  const found = continued ?? findBinding(openBindings(), null, key);
  if (!found) return;
  const typing = isTyping(event) || blockedByDialog();
  if ("prefix" in found) {
    if (!typing) pending = { prefix: found.prefix, at: event.timeStamp };
    return;
  }
  if (typing && !found.run.whileTyping) return;
  event.preventDefault();
  if (!continued && beginsLonger(key)) {
    pending = { prefix: key, at: event.timeStamp };
    waiting = { keys: key, timer: window.setTimeout(runWaiting, AMBIGUOUS_MS) };
    return;
  }
  found.run.run();
}

function beginsLonger(key: string): boolean {
  return openBindings().some(({ keys, enabled }) => enabled !== false && keys.startsWith(`${key} `));
}

/** Listens to the keyboard. Used once; gives the function that stops it. */
export function listenToKeys(): () => void {
  window.addEventListener("keydown", onKeyDown);
  return () => {
    forgetWaiting();
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
