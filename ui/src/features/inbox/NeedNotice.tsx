/** Why the chosen row needs a person, with its first remedy: before anything else in the pane. */
import { Plural, useLingui } from "@lingui/react/macro";
import type { TriageRow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useProgramWords } from "@/shared/program";
import { Button, useWords } from "@/shared/ui";
import css from "./inbox.module.css";
import type { Primary } from "./primary";
import { REASONS } from "./reasons";
import { useFindingTitle } from "./titles";

/** The notice. */
export function NeedNotice({ row, primary }: { row: TriageRow; primary: Primary | null }) {
  const { t } = useLingui();
  const say = useWords();
  const title = useFindingTitle();
  const program = useProgramWords();
  const reason = row.reason && REASONS[row.reason];
  if (!reason) return null;
  const message = row.finding ? program.message(row.finding) : null;
  const heading = title(row.finding) || say(reason.word);
  // Of a secret, what is said names what it is.
  const isRepeated = message?.toLocaleLowerCase().includes(heading.toLocaleLowerCase()) ?? false;
  const remedy = row.finding ? program.remedy(row.finding) : null;
  return (
    <section
      className={classes(css.needNotice, css[`tone-${reason.tone}`])}
      aria-label={t`Why this needs you`}
      data-testid="need-notice"
      data-reason={row.reason}
    >
      <div>
        <strong className={css.inboxRuleName}>{isRepeated ? message : heading}</strong>
        {message && !isRepeated && <p>{message}</p>}
        {!message && row.reason === "deleted" && (
          <p>
            <Plural
              value={row.versions.length}
              one="It is gone from its directory. Putting it back writes it as it was."
              other="They are gone from their directory. Putting them back writes them as they were."
            />
          </p>
        )}
        {remedy && <p className="muted">{remedy}</p>}
      </div>
      {primary && (
        <Button
          tone={primary.tone === "redact" ? "redact" : "primary"}
          keys={primary.keys}
          onPress={primary.run}
          data-testid="primary-remedy"
        >
          {primary.label}
        </Button>
      )}
    </section>
  );
}
