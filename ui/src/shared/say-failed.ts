/** The message about something that failed. */
import { i18n } from "@lingui/core";
import { say } from "@/state/toasts";
import { type Words, wordsFor } from "./failure";
import { together } from "./sentences";

/** Says what failed, why, and what to do next. Some failures have words of their own where they happen. */
export function sayFailed(
  cause: unknown,
  wordsOf: (cause: unknown) => Omit<Words, "subject" | "tone"> = wordsFor,
): void {
  say(() => {
    const { title, detail, next } = wordsOf(cause);
    const advice = typeof next === "string" ? next : i18n._(next);
    return { tone: "failure", title: i18n._(title), detail: together([detail, advice]) };
  });
}
