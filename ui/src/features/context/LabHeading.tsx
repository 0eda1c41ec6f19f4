/** Head of the lab: what run is shown. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useState } from "react";
import type { ContextShow, TranscriptRow } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button, Segmented } from "@/shared/ui";
import { navigate } from "@/state/route";
import { Proved } from "./Answer";
import { AtLeast } from "./AtLeast";
import { useProjectName, useTranscripts } from "@/shared/runs";
import { rowOf, useTitle } from "./transcripts";
import css from "./lab.module.css";

/** True if the file of a session has grown since it was first seen here. */
function useGrown(bytes: number | null): boolean {
  const [first, setFirst] = useState(bytes);
  if (first === null && bytes !== null) setFirst(bytes);
  return first !== null && bytes !== null && bytes > first;
}

function SubagentChoice({ transcript, session }: { transcript: string; session: TranscriptRow }) {
  const { t } = useLingui();
  return (
    <select
      aria-label={t`Main run or subagent`}
      value={transcript === session.id ? session.id : transcript}
      onChange={(event) => navigate({ screen: "context", transcript: event.target.value })}
      data-testid="subagent-select"
    >
      <option value={session.id}>{t`main run`}</option>
      {session.subagents.map((id, at) => (
        <option key={id} value={id}>
          {t`subagent ${at + 1}`}
        </option>
      ))}
    </select>
  );
}

/** Views of a run. */
export type LabView = "answer" | "settings";

/** Props of the heading. */
interface LabHeadingProps {
  show: ContextShow;
  view: LabView;
  onView: (view: LabView) => void;
  onReload: () => void;
}

/** Name, size and price of the run, how much of it is proved, and the choice among its subagents and views. */
export const LabHeading = memo(function LabHeading({ show, view, onView, onReload }: LabHeadingProps) {
  const { t } = useLingui();
  const format = useFormat();
  const transcripts = useTranscripts();
  const titleOf = useTitle();
  const projectOf = useProjectName();
  const session = rowOf(transcripts.data?.transcripts ?? [], show.transcript);
  const title = titleOf(session ?? show);
  const above = show.agent?.session ?? null;
  const parentRow = above === null ? null : rowOf(transcripts.data?.transcripts ?? [], above);
  const parent = parentRow ? titleOf(parentRow) : t`another run`;
  const grown = useGrown(session?.bytes ?? null);
  return (
    <header className={css.labHead} data-testid="lab-head">
      <h1 data-testid="lab-title" title={`${title}\n${show.path}`} data-name>
        {title}
      </h1>
      <p className="muted">
        {session?.project && <span title={session.project}>{projectOf(session.project)}</span>}
        {show.agent && (
          <span data-testid="lab-agent" title={show.agent.description ?? undefined}>
            {session?.project && " · "}
            {show.agent.session === null ? (
              <Trans>subagent {show.agent.agent_type}</Trans>
            ) : (
              <Trans>
                subagent {show.agent.agent_type} of {parent}
              </Trans>
            )}
          </span>
        )}
        {session?.project && " · "}
        <Plural value={show.requests.length} one="# request" other="# requests" />
        {show.model && ` · ${show.model}`}
        {show.cost_usd !== null && (
          <>
            {" · "}
            {show.cost_is_lower_bound ? (
              <span>
                <Trans>at least {format.dollars(show.cost_usd)} as recorded</Trans>
              </span>
            ) : (
              <span title={t`Recorded usage at the table of prices`}>
                <Trans>{format.dollars(show.cost_usd)} as recorded</Trans>
              </span>
            )}
          </>
        )}
        <RecordedCost value={show.client_cost_usd} />
      </p>
      {show.cost_usd !== null && (
        <AtLeast placeholders={show.requests_with_placeholder_output} fast={show.requests_fast_without_price} />
      )}
      {grown && (
        <Button tone="quiet" onPress={onReload} data-testid="transcript-grown">
          <Trans>It has grown: read again</Trans>
        </Button>
      )}
      <div className={css.labHeadActs}>
        <Proved show={show} />
        {session && session.subagents.length > 0 && <SubagentChoice transcript={show.transcript} session={session} />}
        <Segmented
          label={t`What is shown of the run`}
          value={view}
          options={[
            { value: "answer", label: t`Answer` },
            { value: "settings", label: t`Try settings` },
          ]}
          onChange={onView}
        />
      </div>
    </header>
  );
});

/** The price that the client wrote down itself. */
function RecordedCost({ value }: { value: number | null }) {
  const format = useFormat();
  if (value === null) return null;
  return (
    <span data-testid="lab-recorded-cost">
      {" · "}
      <Trans>{format.dollars(value)} by the client&apos;s own count</Trans>
    </span>
  );
}
