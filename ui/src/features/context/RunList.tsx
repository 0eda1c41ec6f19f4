/** The runs beside the lab: told apart by prompt and project, in the order of cost, peak or date. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { TranscriptRow, Transcripts } from "@/bindings";
import { projectNames, projectsOf, useProjectName } from "@/shared/runs";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { ChevronIcon } from "@/shared/icons";
import { useMedia } from "@/shared/media";
import { Picker } from "@/shared/Picker";
import { Await, Button, Segmented } from "@/shared/ui";
import { useObservable } from "@/state/observable";
import { navigate } from "@/state/route";
import css from "./answer.module.css";
import { IndexState } from "./IndexState";
import { runOrder } from "./run-order";
import { costOf, inOrder, listRows, matching, rowOf, sharedNames, useFreshTranscripts, useTitle } from "./transcripts";

/** True if the peak of a session is not recorded. */
const isCounted = ({ peak_kind }: TranscriptRow) => peak_kind !== null && peak_kind !== "recorded";

/** A run. One of several of the same name says at what time of its day it was. */
function Run({ run, share, shared }: { run: TranscriptRow; share: number; shared: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const titleOf = useTitle();
  const projectOf = useProjectName();
  const cost = costOf(run);
  const peak = run.peak === null ? null : format.compact(run.peak);
  return (
    <div className={css.run} title={run.path}>
      <div className={css.runLine}>
        <b>{titleOf(run)}</b>
        {cost !== null && (
          <span
            className={css.runCost}
            title={run.cost_is_lower_bound ? t`At least: some of its prices are not known` : undefined}
          >
            {run.cost_is_lower_bound && "≥\u202f"}
            {format.dollars(cost)}
          </span>
        )}
      </div>
      <div className={css.runLine}>
        <small>
          {run.project && <span title={run.project}>{projectOf(run.project)}</span>}
          {run.project && run.ended_at && " · "}
          {run.ended_at && <Moment at={run.ended_at} form={shared ? "moment" : "short"} />}
        </small>
        <small>
          <Plural value={run.requests} one="# request" other="# requests" />
          {peak !== null && (
            <span title={isCounted(run) ? t`peak context, counted offline: none is recorded` : t`peak context`}>
              {" · "}
              {isCounted(run) && "~\u202f"}
              <Trans>{peak} tokens</Trans>
            </span>
          )}
        </small>
      </div>
      <div className={css.runBar} aria-hidden>
        <span style={{ width: `${Math.max(0.8, share * 100)}%` }} />
      </div>
    </div>
  );
}

/** Words and project that narrow the list. */
function Narrow({
  projects,
  query,
  project,
  onQuery,
  onProject,
}: {
  projects: readonly string[];
  query: string;
  project: string | null;
  onQuery: (query: string) => void;
  onProject: (project: string | null) => void;
}) {
  const { t } = useLingui();
  const names = useMemo(() => projectNames(projects), [projects]);
  return (
    <div className={css.runsLine}>
      <input
        type="text"
        aria-label={t`Search runs`}
        placeholder={t`Search runs`}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        data-testid="transcript-search"
      />
      {projects.length > 1 && (
        <select
          aria-label={t`Project`}
          value={project ?? ""}
          onChange={(event) => onProject(event.target.value || null)}
          data-testid="transcript-project"
        >
          <option value="">{t`all projects`}</option>
          {projects.map((path) => (
            <option key={path} value={path} title={path}>
              {names.get(path)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function Heading({ data }: { data: Transcripts }) {
  const { t } = useLingui();
  const format = useFormat();
  const by = useObservable(runOrder);
  const atLeast = data.transcripts.some((run) => run.cost_is_lower_bound);
  return (
    <div className={css.runsLine}>
      <h2 id="runs-title">
        <Trans>Runs</Trans>
      </h2>
      <span className="muted num" data-testid="runs-total">
        {format.number(data.totals.sessions)}
        {data.totals.cost_usd > 0 && (
          <span title={atLeast ? t`At least: some of its prices are not known` : undefined}>
            {`, ${atLeast ? "≥\u202f" : ""}${format.dollars(data.totals.cost_usd)}`}
          </span>
        )}
      </span>
      <span className="spacer" />
      <Segmented
        label={t`Order of the runs`}
        value={by}
        options={[
          { value: "cost", label: t`Cost` },
          { value: "peak", label: t`Peak` },
          { value: "date", label: t`Date` },
        ]}
        onChange={(next) => runOrder.set(next)}
      />
    </div>
  );
}

/** The runs of a list, in the order asked for, with the share of each in what the order is by. */
function useRuns(data: Transcripts, query: string, project: string | null) {
  const by = useObservable(runOrder);
  const titleOf = useTitle();
  return useMemo(() => {
    const sizeOf = (run: TranscriptRow) => (by === "peak" ? (run.peak ?? 0) : (costOf(run) ?? 0));
    const most = Math.max(...data.transcripts.map(sizeOf), 0);
    const found = inOrder(matching(data.transcripts, query, project), by);
    const shared = sharedNames(data.transcripts.map(titleOf));
    return {
      rows: listRows(found, titleOf),
      isShared: (run: TranscriptRow) => shared.has(titleOf(run)),
      shareOf: (run: TranscriptRow) => (most > 0 ? sizeOf(run) / most : 0),
    };
  }, [data.transcripts, query, project, by, titleOf]);
}

function List({ data, chosen }: { data: Transcripts; chosen: string | undefined }) {
  const { t } = useLingui();
  const [query, setQuery] = useState("");
  const [project, setProject] = useState<string | null>(null);
  const projects = useMemo(() => projectsOf(data.transcripts), [data.transcripts]);
  const { rows, isShared, shareOf } = useRuns(data, query, project);
  return (
    <>
      <header>
        <Heading data={data} />
        {data.transcripts.length > 0 && (
          <Narrow projects={projects} query={query} project={project} onQuery={setQuery} onProject={setProject} />
        )}
      </header>
      {data.transcripts.length === 0 ? (
        <p className="side-note" data-testid="no-transcripts">
          {data.index.running ? <Trans>Looking for runs…</Trans> : <Trans>No runs found on this machine.</Trans>}
        </p>
      ) : (
        <Picker
          role="listbox"
          label={t`Runs`}
          rows={rows}
          chosen={rowOf(data.transcripts, chosen)?.id ?? null}
          onChoose={(row) => navigate({ screen: "context", transcript: row.key })}
          estimate={63}
          className={classes(css.runList)}
          rowTestId="transcript-row"
          footer={
            rows.length === 0 && (
              <p className="side-note">
                <Trans>No results.</Trans>
              </p>
            )
          }
        >
          {({ transcript }) => <Run run={transcript} share={shareOf(transcript)} shared={isShared(transcript)} />}
        </Picker>
      )}
    </>
  );
}

/** Windows in which the list would leave no room for the answer; the sheet has the same. */
const SMALL = "(max-height: 560px) and (max-width: 860px)";

/** Opens the list and folds it, by the name of the run that is shown. */
function Fold({ run, open, onOpen }: { run: TranscriptRow | null; open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useLingui();
  const titleOf = useTitle();
  const name = run ? titleOf(run) : t`Runs`;
  return (
    <div className={css.fold}>
      <Button
        tone="quiet"
        aria-label={t`Runs: ${name}`}
        aria-expanded={open}
        aria-controls="runs"
        onPress={() => onOpen(!open)}
        data-testid="runs-fold"
      >
        <span className={classes("tree-chevron", open && "is-open")} aria-hidden>
          <ChevronIcon />
        </span>
        <span className={css.foldName} title={name} data-name>
          {name}
        </span>
      </Button>
    </div>
  );
}

/** The pane of the runs. In a small window it is folded to one line, so that the answer comes first. */
export function RunList({ chosen }: { chosen: string | undefined }) {
  const small = useMedia(SMALL);
  const [open, setOpen] = useState(false);
  const read = useFreshTranscripts();
  if (!small) return <Pane read={read} chosen={chosen} />;
  const run = rowOf(read.data?.transcripts ?? [], chosen);
  return (
    <div>
      <Fold run={run} open={open} onOpen={setOpen} />
      <div id="runs">{open && <Pane read={read} chosen={chosen} />}</div>
    </div>
  );
}

function Pane({ read, chosen }: { read: ReturnType<typeof useFreshTranscripts>; chosen: string | undefined }) {
  const { t } = useLingui();
  return (
    <section className={css.runs} aria-labelledby="runs-title">
      <Await read={read} rows={6} doing={t`Looking for transcripts on this machine.`}>
        {(data) => (
          <>
            <List data={data} chosen={chosen} />
            <IndexState index={data.index} problems={data.problems} />
          </>
        )}
      </Await>
    </section>
  );
}
