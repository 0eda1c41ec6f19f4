/** Why a price is a lower bound, where it stands. */
import { Plural } from "@lingui/react/macro";
import { classes } from "@/shared/classes";
import css from "./lab.module.css";

/** The reasons, a line each; nothing where there is none. */
export function AtLeast({ placeholders = 0, fast = 0 }: { placeholders?: number; fast?: number }) {
  if (placeholders === 0 && fast === 0) return null;
  return (
    <p className={classes("muted small", css.atLeast)} data-testid="at-least">
      {placeholders > 0 && (
        <Plural
          value={placeholders}
          one="At least: for the output of # request the client recorded a placeholder. Simulations weigh the answer instead."
          other="At least: for the output of # requests the client recorded a placeholder. Simulations weigh the answers instead."
        />
      )}{" "}
      {fast > 0 && (
        <Plural
          value={fast}
          one="At least: # request ran in fast mode, whose price for the model is not known. It is at the standard price."
          other="At least: # requests ran in fast mode, whose price for the model is not known. They are at the standard price."
        />
      )}
    </p>
  );
}
