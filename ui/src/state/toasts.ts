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

/** Messages on screen. */
export const toasts = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/**
 * Time for which a message stays, in milliseconds; longer where it offers something. What it offers is also elsewhere.
 */
const STAY_MS = { plain: 8000, withAction: 30_000 };

/** Shows a message. */
export function say(message: Message): void {
  const timeout = message.action ? STAY_MS.withAction : STAY_MS.plain;
  toasts.add(message, message.tone === "failure" ? {} : { timeout });
}
