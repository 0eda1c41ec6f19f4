/** What stands between parts of a text that are put together here, as each language writes it. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";

/** Languages that write no space after a full stop. */
const CLOSE: ReadonlySet<string> = new Set(["ja", "zh-Hant"]);

/** Between two sentences. */
export function Space() {
  const { i18n } = useLingui();
  return CLOSE.has(i18n.locale) ? null : " ";
}

/** What somebody said, in quotation marks. */
export function Quoted({ children }: { children: ReactNode }) {
  return <Trans>“{children}”</Trans>;
}

/** Between two facts of one line. */
export function Comma() {
  const { t } = useLingui();
  return t({ message: ", ", context: "between facts" });
}
