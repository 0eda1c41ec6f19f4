/** Where the messages of the window live. English is the source; every other language is a catalogue beside it. */
import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "ja", "ko", "zh-Hant"],
  // A catalogue that is behind shows English; a test keeps them complete.
  fallbackLocales: { default: "en" },
  catalogs: [
    {
      path: "<rootDir>/src/i18n/locales/{locale}",
      include: ["<rootDir>/src"],
      exclude: ["**/*.test.*", "**/bindings/sentences.ts"],
    },
    // Translations of the program's sentences stand apart: only another language than English loads it.
    { path: "<rootDir>/src/i18n/locales/program/{locale}", include: ["<rootDir>/src/bindings/sentences.ts"] },
  ],
  // Without line numbers a moved component does not change the catalogue.
  format: formatter({ lineNumbers: false }),
});
