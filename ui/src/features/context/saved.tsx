/** Variants that were saved: kept in the program, put on the bench with one press. */
import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Variant } from "@/bindings";
import { CloseIcon } from "@/shared/icons";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import { Button as AriaButton } from "react-aria-components/Button";
import { put } from "./lab";
import css from "./transcripts.module.css";

/** Runs a change of the saved variants, and says when it failed. */
function useChange() {
  const queries = useQueryClient();
  return async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ["variants"] });
      return true;
    } catch (cause) {
      sayFailed(cause);
      return false;
    }
  };
}

/** Saves a variant under its name. */
export function useSaveVariant(): (variant: Variant) => Promise<void> {
  const { t } = useLingui();
  const backend = useBackend();
  const change = useChange();
  return async (variant) => {
    if (await change(() => backend.call("save_variant", variant)))
      say(() => ({ tone: "done", title: t`Saved: ${variant.name}` }));
  };
}

/** The saved variants, beside the transcripts. */
export function SavedVariants() {
  const { t } = useLingui();
  const backend = useBackend();
  const change = useChange();
  const { data } = useRead("variants", {});
  const removeSaved = async (variant: Variant) => {
    if (!(await change(() => backend.call("remove_variant", { name: variant.name })))) return;
    const undo = () => void change(() => backend.call("save_variant", variant));
    say(() => ({ tone: "done", title: t`Removed: ${variant.name}`, action: { label: t`Undo`, run: undo } }));
  };
  if (!data || data.variants.length === 0) return null;
  return (
    <section className={css.savedVariants} aria-labelledby="saved-variants-title">
      <h2 className="side-title" id="saved-variants-title">{t`Saved variants`}</h2>
      <ul>
        {data.variants.map((variant) => (
          <li key={variant.name} className={css.savedVariant}>
            <AriaButton className="side-link" onPress={() => put(variant)} data-testid="saved-variant">
              <span className="side-link-text">{variant.name}</span>
            </AriaButton>
            <AriaButton
              className="icon-button"
              aria-label={t`Remove the saved variant ${variant.name}`}
              onPress={() => void removeSaved(variant)}
              data-testid="remove-saved"
            >
              <CloseIcon />
            </AriaButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
