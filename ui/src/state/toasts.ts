/** Short messages about what was done. */
import { UNSTABLE_ToastQueue as ToastQueue } from "react-aria-components/Toast";

/** Content of a message. */
export interface Message {
  /** Title. */
  title: string;
  /** More about it. */
  detail?: string;
  /** Tone: done, worth knowing, or failed. */
  tone: "done" | "notice" | "failure";
  /** Action that it offers. */
  action?: { label: string; keys?: string; run: () => void };
}

/** Messages on screen. Each is worded where it is shown, so that it speaks the language of the window at any time. */
export const toasts = new ToastQueue<() => Message>({ maxVisibleToasts: 3 });

/**
 * Time for which a message stays, in milliseconds; longer where it offers something. What it offers is also elsewhere.
 */
const STAY_MS = { plain: 8000, withAction: 30_000 };

/** Shows a message. All words of it are made within `worded`, which is asked again after the language changed. */
export function say(worded: () => Message): void {
  const { tone, action } = worded();
  const timeout = action ? STAY_MS.withAction : STAY_MS.plain;
  toasts.add(worded, tone === "failure" ? {} : { timeout });
}
