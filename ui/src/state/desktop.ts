/** Keeps what the desktop app says beside its window in the language of the window. */
import { useLingui } from "@lingui/react";
import { useEffect } from "react";
import { useBackend } from "./backend";

/** Tells the shell the language, now and when it changes. Used once. */
export function useShellLanguage(): void {
  const { i18n } = useLingui();
  const { desktop } = useBackend().platform;
  const { locale } = i18n;
  useEffect(() => {
    if (!desktop) return;
    const tell = async () => {
      const { settings } = await desktop.state();
      if (settings.language !== locale) await desktop.set({ ...settings, language: locale });
    };
    // Where it cannot be kept, the tray speaks the language of the system.
    tell().catch(() => undefined);
  }, [desktop, locale]);
}
