/**
 * The changes of a session, each with a tick. What it is known to have written is taken back unless its tick is taken away;
 * what it is only likely to have written is taken back where it is ticked.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { ActResult, LikelyChange } from "@/bindings";
import { ConfidenceChip } from "@/shared/confidence";
import { Moment } from "@/shared/labels";
import { Checkbox } from "@/shared/ui";
import css from "./acts.module.css";

/** Choice among the changes, by version. */
export interface Choice {
  /** Likely ones that are ticked. */
  include: string[];
  /** Known ones without their tick. */
  except: string[];
}

function Ticks({
  changes,
  isTicked,
  onTick,
  label,
  testId,
  children,
}: {
  changes: readonly LikelyChange[];
  isTicked: (version: string) => boolean;
  onTick: (versions: string[], on: boolean) => void;
  label: string;
  testId: string;
  children: ReactNode;
}) {
  const { t } = useLingui();
  if (changes.length === 0) return null;
  const all = changes.map((change) => change.version_id);
  return (
    <section className={css.actLikely} aria-label={label} data-testid={testId}>
      <p>{children}</p>
      {changes.length > 1 && (
        <Checkbox label={t`All of them`} isSelected={all.every(isTicked)} onChange={(on) => onTick(all, on)} />
      )}
      <ul>
        {changes.map((change) => (
          <li key={change.version_id}>
            <Checkbox
              label={
                <>
                  <span className="mono">{change.path ?? t`Redacted memory`}</span> <Moment at={change.created_at} />{" "}
                  {change.first_sight ? (
                    <span className="muted">
                      <Trans>older than the recording: it would be deleted whole</Trans>
                    </span>
                  ) : (
                    <ConfidenceChip confidence={change.confidence} />
                  )}
                </>
              }
              isSelected={isTicked(change.version_id)}
              onChange={(on) => onTick([change.version_id], on)}
              data-testid={`${testId}-change`}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The changes of a session's rollback. A single known change is all of it, and has no tick. */
export function SessionChanges({
  result: { sure, likely },
  choice: { include, except },
  onChoose,
}: {
  result: ActResult;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}) {
  const { t } = useLingui();
  const known = new Set(sure.map((change) => change.version_id));
  const unsure = likely.filter((change) => !known.has(change.version_id));
  const without = (list: string[], versions: string[]) => list.filter((version) => !versions.includes(version));
  return (
    <>
      {sure.length + unsure.length > 1 && (
        <Ticks
          changes={sure}
          isTicked={(version) => !except.includes(version)}
          onTick={(versions, on) => {
            const rest = without(except, versions);
            onChoose({ include, except: on ? rest : [...rest, ...versions] });
          }}
          label={t`Known changes of the session`}
          testId="act-sure"
        >
          <strong>
            <Plural
              value={sure.length}
              one="# change is known to be this session's."
              other="# changes are known to be this session's."
            />
          </strong>{" "}
          <Trans>Untick items to keep them.</Trans>
        </Ticks>
      )}
      <Ticks
        changes={unsure}
        isTicked={(version) => include.includes(version)}
        onTick={(versions, on) => {
          const rest = without(include, versions);
          onChoose({ include: on ? [...rest, ...versions] : rest, except });
        }}
        label={t`Likely changes of the session`}
        testId="act-likely"
      >
        <strong>
          <Plural
            value={unsure.length}
            one="# change is only likely to be this session's."
            other="# changes are only likely to be this session's."
          />
        </strong>{" "}
        <Trans>They stay as they are unless you tick them.</Trans>
      </Ticks>
    </>
  );
}
