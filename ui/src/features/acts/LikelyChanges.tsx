/** What a session is only likely to have written: offered with its rollback, and taken back where it is ticked. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { LikelyChange } from "@/bindings";
import { ConfidenceChip } from "@/shared/confidence";
import { Moment } from "@/shared/labels";
import { Checkbox } from "@/shared/ui";

/** What the list needs. */
export interface LikelyChangesProps {
  /** The changes, oldest first. */
  changes: readonly LikelyChange[];
  /** Versions that are ticked. */
  ticked: readonly string[];
  /** Ticks versions, and no others. */
  onTick: (versions: string[]) => void;
}

/** The changes, each with a tick of its own. */
export function LikelyChanges({ changes, ticked, onTick }: LikelyChangesProps) {
  const { t } = useLingui();
  const tick = (version: string, on: boolean) =>
    onTick(on ? [...ticked, version] : ticked.filter((known) => known !== version));
  const all = changes.every((change) => ticked.includes(change.version_id));
  return (
    <section className="act-likely" aria-label={t`Likely changes of the session`} data-testid="act-likely">
      <p>
        <strong>
          <Plural
            value={changes.length}
            one="# change is only likely to be this session's."
            other="# changes are only likely to be this session's."
          />
        </strong>{" "}
        <Trans>They stay as they are unless you tick them.</Trans>
      </p>
      {changes.length > 1 && (
        <Checkbox
          label={t`All of them`}
          isSelected={all}
          onChange={(on) => onTick(on ? changes.map((change) => change.version_id) : [])}
        />
      )}
      <ul>
        {changes.map((change) => (
          <li key={change.version_id}>
            <Checkbox
              label={
                <>
                  <span className="mono">{change.path ?? t`Redacted memory`}</span> <Moment at={change.created_at} />{" "}
                  <ConfidenceChip confidence={change.confidence} />
                </>
              }
              isSelected={ticked.includes(change.version_id)}
              onChange={(on) => tick(change.version_id, on)}
              data-testid="act-likely-change"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
