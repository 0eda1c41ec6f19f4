/** The language of the window. English is built in; further catalogues will be loaded when they exist. */
import { i18n } from "@lingui/core";
import { messages } from "./locales/en.po";

/** Switches to the built-in language. */
export function activateLanguage(): void {
  i18n.load("en", messages);
  i18n.activate("en");
}
