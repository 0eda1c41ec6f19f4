/** How the window looks, and in which language: what is chosen at this window, of whatever it shows. */
import { Trans, useLingui } from "@lingui/react/macro";
import { LANGUAGES, NAMES } from "@/i18n";
import { Button, Segmented } from "@/shared/ui";
import { setKeyHelpOpen } from "@/state/palette";
import { type LanguageChoice, type Theme, useDiffMode, useLanguage, useTheme } from "@/state/settings";
import css from "./settings.module.css";

/** The choices. */
export function Appearance() {
  const { t } = useLingui();
  const [theme, setTheme] = useTheme();
  const [language, setLanguage] = useLanguage();
  const [mode, setMode] = useDiffMode();
  const themes: { value: Theme; label: string }[] = [
    { value: "system", label: t`As the system` },
    { value: "light", label: t`Light` },
    { value: "dark", label: t`Dark` },
  ];
  return (
    <section className={css.settingsSection} aria-label={t`Appearance`}>
      <h2>
        <Trans>Appearance</Trans>
      </h2>
      <div className={css.setting}>
        <span>
          <Trans>Theme</Trans>
        </span>
        <Segmented label={t`Theme`} value={theme} options={themes} onChange={setTheme} />
      </div>
      <div className={css.setting}>
        <label htmlFor="language">
          <Trans>Language</Trans>
        </label>
        <select
          id="language"
          value={language}
          onChange={(event) => setLanguage(event.target.value as LanguageChoice)}
          data-testid="language"
        >
          <option value="system">{t`As the system`}</option>
          {LANGUAGES.map((tag) => (
            <option key={tag} value={tag} lang={tag}>
              {NAMES[tag]}
            </option>
          ))}
        </select>
      </div>
      <div className={css.setting}>
        <span>
          <Trans>Differences</Trans>
        </span>
        <Segmented
          label={t`Differences`}
          value={mode}
          options={[
            { value: "words", label: t`Words` },
            { value: "lines", label: t`Lines` },
            { value: "rendered", label: t`Rendered` },
          ]}
          onChange={setMode}
        />
      </div>
      <div className={css.setting}>
        <span>
          <Trans>Keyboard</Trans>
        </span>
        <Button keys="?" onPress={() => setKeyHelpOpen(true)}>
          <Trans>All keys</Trans>
        </Button>
      </div>
    </section>
  );
}
