/** The transcripts beside the lab: found by words and project, the newest first. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { TranscriptRow, Transcripts } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment, ProgramText } from "@/shared/labels";
import { Picker } from "@/shared/Picker";
import { Await } from "@/shared/ui";
import { navigate } from "@/state/route";
import { SavedVariants } from "./saved";
import { listRows, matching, projectName, projectsOf, rowOf, titleOf, useFreshTranscripts } from "./transcripts";
import { classes } from "@/shared/classes";
import panelsCss from "./panels.module.css";
import transcriptsCss from "./transcripts.module.css";

function IndexState({ index, problems }: Pick<Transcripts, "index" | "problems">) {
  const format = useFormat();
  const done = format.number(index.done);
  const total = index.total === null ? "…" : format.number(index.total);
  return (
    <div className={classes(panelsCss.indexState, "small muted")} data-testid="index-state">
      {index.running ? (
        <>
          <progress
            max={index.total ?? 1}
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

/** True if the peak of a session is not recorded. */
const isCounted = ({ peak_kind }: TranscriptRow) => peak_kind !== null && peak_kind !== "recorded";

function List({ data, chosen }: { data: Transcripts; chosen: string | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const [query, setQuery] = useState("");
  const [project, setProject] = useState<string | null>(null);
  const projects = useMemo(() => projectsOf(data.transcripts), [data.transcripts]);
  const rows = useMemo(() => listRows(matching(data.transcripts, query, project)), [data.transcripts, query, project]);
  const current = rowOf(data.transcripts, chosen);
  if (data.transcripts.length === 0)
    return (
      <p className="side-note" data-testid="no-transcripts">
        {data.index.running ? (
          <Trans>Looking for transcripts…</Trans>
        ) : (
          <Trans>No transcripts found on this machine.</Trans>
        )}
      </p>
    );
  return (
    <>
      <div className={transcriptsCss.transcriptSearch}>
        <input
          type="text"
          aria-label={t`Search transcripts`}
          placeholder={t`Search transcripts`}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          data-testid="transcript-search"
        />
        {projects.length > 1 && (
          <select
            aria-label={t`Project`}
            value={project ?? ""}
            onChange={(event) => setProject(event.target.value || null)}
            data-testid="transcript-project"
          >
            <option value="">{t`all projects`}</option>
            {projects.map((path) => (
              <option key={path} value={path} title={path}>
                {projectName(path)}
              </option>
            ))}
          </select>
        )}
      </div>
      <Picker
        role="listbox"
        label={t`Transcripts`}
        rows={rows}
        chosen={current?.id ?? null}
        onChoose={(row) => navigate({ screen: "context", transcript: row.key })}
        estimate={44}
        className={transcriptsCss.transcriptList}
        rowTestId="transcript-row"
        footer={
          rows.length === 0 && (
            <p className="side-note">
              <Trans>No results.</Trans>
            </p>
          )
        }
      >
        {({ transcript }) => (
          <div className={transcriptsCss.transcriptRow} title={transcript.path}>
            <span className={transcriptsCss.transcriptTitle}>{titleOf(transcript)}</span>
            <span className={classes(transcriptsCss.transcriptFacts, "num")}>
              {transcript.ended_at && <Moment at={transcript.ended_at} />}
              <span>
                <Plural value={transcript.requests} one="# request" other="# requests" />
                {transcript.subagents.length > 0 && (
                  <>
                    {" "}
                    <Plural value={transcript.subagents.length} one="with # subagent" other="with # subagents" />
                  </>
                )}
              </span>
              {transcript.peak !== null && (
                <span
                  title={isCounted(transcript) ? t`peak context, counted offline: none is recorded` : t`peak context`}
                >
                  {isCounted(transcript)
                    ? t`peak ~ ${format.compact(transcript.peak)}`
                    : t`peak ${format.compact(transcript.peak)}`}
                </span>
              )}
            </span>
          </div>
        )}
      </Picker>
    </>
  );
}

/** The side panel of the lab. */
export function TranscriptList({ chosen }: { chosen: string | undefined }) {
  const read = useFreshTranscripts();
  return (
    <section className={classes("memory-side", transcriptsCss.labSide)} aria-labelledby="transcripts-title">
      <h2 className="side-title" id="transcripts-title">
        <Trans>Transcripts</Trans>
      </h2>
      <Await read={read} rows={6}>
        {(data) => (
          <>
            <List data={data} chosen={chosen} />
            <IndexState index={data.index} problems={data.problems} />
          </>
        )}
      </Await>
      <SavedVariants />
    </section>
  );
}
