/** Says that a variant has no figures, and why. */
import { Trans } from "@lingui/react/macro";
import { isOfSetting } from "./simulations";

/** The words. Where the error is not of the setting, it is told beside the form. */
export function NotComputed({ error }: { error: unknown }) {
  return isOfSetting(error) ? <Trans>not computed: the setting has an error</Trans> : <Trans>not computed</Trans>;
}
