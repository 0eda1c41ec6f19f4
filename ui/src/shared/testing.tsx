/** For tests: renders a part in the language of the window. */
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";

/** Renders a part in English. */
export function renderPart(part: ReactNode) {
  return render(<I18nProvider i18n={i18n}>{part}</I18nProvider>);
}
