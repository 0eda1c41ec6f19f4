/** What a session is called, and where it is shown. */
import { useLingui } from "@lingui/react/macro";
import { useCallback } from "react";
import { useFormat } from "@/shared/format";
import { plainPrompt } from "@/shared/prompt";
import { spelled } from "@/shared/hidden";
import { useNow } from "@/state/now";
import type { Route } from "@/state/route";

/** The page of a session. */
export const sessionPlace = (session: string): Route => ({ screen: "session", session });

/** What is known of a session that may name it. */
export interface NamedSession {
  /** What a person asked, the first of it that is known. */
  prompt?: string | null | undefined;
  /** The title that the client gave it. */
  title?: string | null | undefined;
  /** When it began, or first wrote. */
  at?: string | null | undefined;
}

/** The name of a session: its prompt, else its title, else when it was. Never an id, which tells a person nothing. */
export function useSessionName(): (session: NamedSession) => string {
  const { t } = useLingui();
  const format = useFormat();
  const now = useNow();
  return useCallback(
    ({ prompt, title, at }) => {
      const words = plainPrompt(prompt ?? "").trim() || plainPrompt(title ?? "").trim();
      if (words) return spelled(words);
      return at ? t`Session of ${format.moment(at, now)}` : t`Session without a known prompt`;
    },
    [t, format, now],
  );
}
