/**
 * The context lab: the runs, and what filled the context of one. It opens on the answer; settings are tried in a view of
 * their own.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useCallback, useState } from "react";
import type { ContextShow } from "@/bindings";
import { classes } from "@/shared/classes";
import { ProgramText } from "@/shared/labels";
import { Await, Empty } from "@/shared/ui";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { type ContextRoute, navigate } from "@/state/route";
import { AnswerView } from "./AnswerView";
import answerCss from "./answer.module.css";
import { CountedWith, useTokenizer } from "./counted";
import { LabHeading, type LabView } from "./LabHeading";
import type { OpenSheet } from "./LabSheets";
import panelsCss from "./panels.module.css";
import { RunList } from "./RunList";
import { SettingsView, Sheets } from "./SettingsView";
import { useTranscripts } from "@/shared/runs";
import { useFirst } from "./transcripts";
import { useTurns } from "./turns";
import { Unanswered } from "./Unanswered";

/** What is said of the file. */
function Remarks({ remarks }: { remarks: ContextShow["remarks"] }) {
  if (remarks.length === 0) return null;
  return (
    <details className={classes(panelsCss.remarks, "small muted")}>
      <summary>
        <Plural value={remarks.length} one="# remark on the file" other="# remarks on the file" />
      </summary>
      <ul>
        {remarks.map((remark) => (
          <li key={remark.text}>
            <ProgramText text={remark} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The lab over one run. */
function Lab({ show, route, onReload }: { show: ContextShow; route: ContextRoute; onReload: () => void }) {
  const turns = useTurns(show, route);
  const [open, setOpen] = useState<OpenSheet>(null);
  const view = route.view ?? "answer";
  const setView = useCallback(
    (next: LabView) =>
      navigate({ screen: "context", transcript: show.transcript, view: next === "settings" ? next : undefined }),
    [show.transcript],
  );
  const onSettings = useCallback(() => setView("settings"), [setView]);
  const { t } = useLingui();
  useKeys([
    {
      keys: "s",
      label: view === "answer" ? t`Try settings` : t`Back to the answer`,
      run: () => setView(view === "answer" ? "settings" : "answer"),
    },
  ]);
  const tokenizer = useTokenizer(show);
  const heading = <LabHeading show={show} view={view} onView={setView} onReload={onReload} />;
  const over = { show, turns, open, onOpen: setOpen, onSettings, trying: view === "settings" };
  if (view === "settings")
    return (
      <CountedWith value={tokenizer}>
        <div className={answerCss.bench} data-testid="lab">
          {heading}
          <SettingsView {...over} />
        </div>
      </CountedWith>
    );
  return (
    <CountedWith value={tokenizer}>
      <div className={answerCss.body} data-testid="lab">
        {heading}
        <AnswerView show={show} turns={turns} onOpen={setOpen} onSettings={onSettings} />
        <Unanswered requests={show.unanswered} />
        <Remarks remarks={show.remarks} />
        <Sheets {...over} />
      </div>
    </CountedWith>
  );
}

function Opened({ transcript, route }: { transcript: string; route: ContextRoute }) {
  const { t } = useLingui();
  const read = useRead("context_show", { transcript });
  const { refetch } = read;
  const reload = useCallback(() => void refetch(), [refetch]);
  return (
    <Await read={read} rows={12} doing={t`Reading the run, and weighing what each request held.`}>
      {(show) =>
        show.requests.length === 0 ? (
          <Empty whole title={t`No call of a model in it`}>
            <Trans>This run holds messages but no answer of a model, so there is no context to show.</Trans>
          </Empty>
        ) : (
          <Lab key={`${show.transcript} ${read.dataUpdatedAt}`} show={show} route={route} onReload={reload} />
        )
      }
    </Await>
  );
}

function NoRuns() {
  const { t } = useLingui();
  const read = useTranscripts();
  return (
    <Await read={read} rows={12}>
      {({ index }) =>
        index.running ? (
          <Empty whole title={t`Looking for runs`}>
            <Trans>The first scan reads them all; later scans read only what is new.</Trans>
          </Empty>
        ) : (
          <Empty whole title={t`No runs yet`}>
            <Trans>
              The lab shows what filled the context of runs of Claude Code, Codex, Copilot and others, from the
              transcripts that they leave on this machine. None was found.
            </Trans>
          </Empty>
        )
      }
    </Await>
  );
}

/** The screen of the context lab. */
export function ContextLab({ route }: { route: ContextRoute }) {
  const first = useFirst();
  const transcript = route.transcript ?? first;
  return (
    <main className={classes("screen", answerCss.screen, route.view === "settings" && answerCss.alone)}>
      {route.view !== "settings" && <RunList chosen={transcript ?? undefined} />}
      {transcript === null ? <NoRuns /> : <Opened transcript={transcript} route={route} />}
    </main>
  );
}
