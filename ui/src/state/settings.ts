/** Choices of the person at this window, kept in the browser's storage. */
import { type Language, LANGUAGES, languageOf, switchLanguage } from "@/i18n";
import { observable, useObservable, type Observable } from "./observable";

/** View of differences. */
export type DiffMode = "words" | "lines" | "rendered";
/** Language; `system` follows the system. */
export type LanguageChoice = "system" | Language;
/** Theme; `system` follows the system. */
export type Theme = "system" | "light" | "dark";

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}

function stored<T extends string>(key: string, allowed: readonly T[], fallback: T): Observable<T> {
  const saved = read(key) as T | null;
  const source = observable<T>(saved !== null && allowed.includes(saved) ? saved : fallback);
  source.watch(() => write(key, source.get() === fallback ? null : source.get()));
  return source;
}

const theme = stored<Theme>("retrace.theme", ["system", "light", "dark"], "system");
const language = stored<LanguageChoice>("retrace.language", ["system", ...LANGUAGES], "system");
const diffMode = stored<DiffMode>("retrace.diff", ["words", "lines", "rendered"], "words");

/** The chosen theme and how to choose another. */
export function useTheme(): [Theme, (next: Theme) => void] {
  return [useObservable(theme), theme.set];
}

/** The chosen language and how to choose another. */
export function useLanguage(): [LanguageChoice, (next: LanguageChoice) => void] {
  return [useObservable(language), language.set];
}

/**
 * Speaks the chosen language now and whenever the choice or the system changes. Used once, before rendering: what is drawn
 * first is in the right language.
 */
export async function followLanguage(): Promise<void> {
  const apply = () => {
    const chosen = language.get();
    return switchLanguage(chosen === "system" ? languageOf(navigator.languages) : chosen);
  };
  language.watch(() => void apply());
  window.addEventListener("languagechange", () => void apply());
  await apply();
}

/** The chosen view of differences and how to choose another. */
export function useDiffMode(): [DiffMode, (next: DiffMode) => void] {
  return [useObservable(diffMode), diffMode.set];
}

/** Goes back to the plainest view of differences, after a view could not be drawn. */
export function showPlainly(): void {
  if (diffMode.get() === "rendered") diffMode.set("lines");
}

/** Applies the theme to the page now and whenever the choice or the system changes. Used once, before rendering. */
export function followTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const dark = theme.get() === "dark" || (theme.get() === "system" && system.matches);
    document.documentElement.setAttribute("data-theme", dark ? "dark" : "light");
  };
  theme.watch(apply);
  system.addEventListener("change", apply);
  apply();
}
