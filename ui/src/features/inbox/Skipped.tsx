/** Items that an approval of several left as they are. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { SkippedItem } from "@/bindings";
import { Button, useWords } from "@/shared/ui";
import { skippedWords } from "./words";
import { classes } from "@/shared/classes";
import css from "./inbox.module.css";

/** The notice. */
export function Skipped({ skipped, onClose }: { skipped: readonly SkippedItem[]; onClose: () => void }) {
  const { t } = useLingui();
  const words = useWords();
  return (
    <div className={classes("notice notice-warning", css.inboxSkipped)} role="status" data-testid="skipped">
      <div>
        <strong>
          <Plural value={skipped.length} one="# was left as it is:" other="# were left as they are:" />
        </strong>
        <ul>
          {skipped.map((item) => (
            <li key={item.version_id}>
              <a href={`#/inbox?memory=${item.memory_id}`} className="mono">
                {item.path ?? t`a redacted memory`}
              </a>{" "}
              {words(skippedWords(item))}
            </li>
          ))}
        </ul>
      </div>
      <Button tone="quiet" onPress={onClose}>
        <Trans>Close</Trans>
      </Button>
    </div>
  );
}
