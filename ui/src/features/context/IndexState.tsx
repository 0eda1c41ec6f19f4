/** State of the index of runs, below their list. */
import { Plural, Trans } from "@lingui/react/macro";
import type { Transcripts } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import panelsCss from "./panels.module.css";

/** Progress of the index of runs, and the files that could not be read. */
export function IndexState({ index, problems }: Pick<Transcripts, "index" | "problems">) {
  const format = useFormat();
  const done = format.number(index.done);
  const total = index.total === null ? "…" : format.number(index.total);
  return (
    <div className={classes(panelsCss.indexState, "small muted")} data-testid="index-state">
      {index.running ? (
        <>
          <progress
            max={index.total || 1}
            {...(index.total === null ? {} : { value: index.done })}
            aria-label={`${done} / ${total}`}
          />
          <Trans>
            reading {done} / {total}
          </Trans>
        </>
      ) : (
        problems.length > 0 && (
          <details>
            <summary>
              <Plural value={problems.length} one="# file could not be read" other="# files could not be read" />
            </summary>
            <ul>
              {problems.slice(0, 50).map(({ path, reason }) => (
                <li key={path}>
                  <span className="mono">{path}</span>: <ProgramText text={reason} />
                </li>
              ))}
            </ul>
          </details>
        )
      )}
    </div>
  );
}
