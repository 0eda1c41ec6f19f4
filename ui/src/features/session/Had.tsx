/** What it had: instruction and memory files over the requests of the session, each with why it was loaded. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Session, SessionFile, SessionLoad } from "@/bindings";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { REASONS, RECALLED_FROM } from "@/shared/loads";
import { useStore } from "@/state/queries";
import { ShortPath } from "@/shared/ShortPath";
import { fileName, folderOf } from "@/shared/text";
import { Button, Chip, useWords } from "@/shared/ui";
import { formatRoute } from "@/state/route";
import { gaps, standing } from "./story";
import css from "./session.module.css";

/** Files of a kind that are shown before somebody asks for more. */
const FILES = 25;
/** Reasons of one file that are shown. */
const REASONS_SHOWN = 3;

function Lane({ file, requests }: { file: SessionFile; requests: number }) {
  return (
    <svg className={css.lane} viewBox={`0 0 ${Math.max(1, requests)} 10`} preserveAspectRatio="none" aria-hidden>
      <rect className={css.laneGround} x={0} y={4.5} width={requests} height={1} />
      {gaps(file.requests, requests).map(([from, to]) => (
        <rect key={`gap ${from}`} className={css.laneGap} x={from} y={1} width={to - from + 1} height={8} />
      ))}
      {file.requests.map(([from, to]) => (
        <rect key={from} className={css.laneSent} x={from} y={1} width={to - from + 1} height={8} />
      ))}
    </svg>
  );
}

/** In which requests, in words. */
function Standing({ file, requests }: { file: SessionFile; requests: number }) {
  const { t } = useLingui();
  const how = standing(file.requests, requests);
  switch (how.kind) {
    case "all":
      return <>{t`in every request`}</>;
    case "none":
      return <span className="muted">{requests > 0 ? t`in none of its requests` : t`not known`}</span>;
    case "from":
      return <>{t`from request ${how.request + 1}`}</>;
    case "until":
      return <span className={css.lacking}>{t`until request ${how.request + 1}`}</span>;
    case "part":
      return <span className={css.lacking}>{t`in ${how.requests} of ${how.of}`}</span>;
  }
}

/** Why it was loaded, in words, each reason once. */
function useReasons(): (loads: readonly SessionLoad[]) => string[] {
  const { t } = useLingui();
  const say = useWords();
  const one = ({ reason, told, scope, by, agent }: SessionLoad) => {
    const name = by === null ? null : spelled(fileName(by));
    const why = told !== null ? spelled(told) : say(REASONS[reason]);
    const words = scope === null ? why : `${why} · ${say(RECALLED_FROM[scope])}`;
    const whole =
      name === null
        ? words
        : reason === "include"
          ? t`imported by ${name}`
          : reason === "nested_traversal" || reason === "path_glob_match"
            ? t`${words}: ${name}`
            : words;
    return agent === null ? whole : t`${whole}, for a subagent`;
  };
  return (loads) => [...new Set(loads.map(one))];
}

/** The folder of a file, within the first of these directories that it lies in. */
export function folderIn(directories: readonly (string | null | undefined)[], path: string): string {
  const roots = directories.filter((one) => one != null).map((one) => `${one.replace(/\/+$/, "")}/`);
  const root = roots.find((one) => path.startsWith(one));
  return folderOf(root === undefined ? path : path.slice(root.length));
}

/** Where a file lies: in the project, in a store, as the changes above say it, or elsewhere on the machine. */
function Place({ file, project }: { file: SessionFile; project: string | null }) {
  const store = useStore(file.store_id);
  const folder = folderIn([store?.root, project], file.path);
  const name = store && file.path.startsWith(store.root) ? spelled(store.name) : null;
  return (
    <span className={css.fileFolder}>
      {name === null ? <ShortPath path={folder} /> : [spelled(folder), name].filter(Boolean).join(" · ")}
    </span>
  );
}

/** What all files of a session have in common. */
interface Run {
  /** Requests of its main conversation. */
  requests: number;
  /** Directory it ran in. */
  project: string | null;
}

function FileRow({ file, run: { requests, project } }: { file: SessionFile; run: Run }) {
  const { t } = useLingui();
  const format = useFormat();
  const reasons = useReasons()(file.loads);
  const shown = reasons.slice(0, REASONS_SHOWN);
  const name = spelled(fileName(file.path) || file.path);
  const tokens = format.number(file.tokens);
  const size = file.tokens === 0 ? "" : file.partial ? t`a part, ${tokens} tokens` : t`${tokens} tokens`;
  const page = file.store_id && formatRoute({ screen: "memories", store: file.store_id });
  return (
    <tr data-testid="session-file" data-key={file.path}>
      <th scope="row" title={spelled(file.path)}>
        <span className={css.fileName}>{page ? <a href={page}>{name}</a> : name}</span>
        <Place file={file} project={project} />
      </th>
      <td className={css.laneCell}>
        <Lane file={file} requests={requests} />
      </td>
      <td>
        <Standing file={file} requests={requests} />
        <span className={css.fileWhy} title={reasons.join("\n")} data-testid="session-why">
          {[...shown, reasons.length > shown.length && `+${reasons.length - shown.length}`, size]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </td>
    </tr>
  );
}

function Files({ title, files, run }: { title: string; files: readonly SessionFile[]; run: Run }) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const { requests } = run;
  if (files.length === 0) return null;
  const shown = all ? files : files.slice(0, FILES);
  return (
    <>
      <table className={css.files}>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" className={css.laneCell}>
              {requests > 0 && (
                <span className={css.axis}>
                  <span>1</span>
                  {requests > 1 && <span>{requests}</span>}
                </span>
              )}
              <span className="visually-hidden">{t`requests in which it was present`}</span>
            </th>
            <th scope="col">{t`when and why`}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((file) => (
            <FileRow key={file.path} file={file} run={run} />
          ))}
        </tbody>
      </table>
      {files.length > shown.length && (
        <Button tone="quiet" onPress={() => setAll(true)}>
          <Plural value={files.length - shown.length} one="Show # more file" other="Show # more files" />
        </Button>
      )}
    </>
  );
}

/** What its figures rest on. */
function Proved({ session }: { session: Session }) {
  const { t } = useLingui();
  const { proved_requests: proved, main_requests: all } = session;
  if (proved === 0) return null;
  return (
    <Chip tone="accent" title={t`Rebuilt from what the client recorded, and equal to its digest`}>
      {proved === all ? t`exact, proved by digest` : t`proved for ${proved} of ${all} requests`}
    </Chip>
  );
}

/** What a session had. */
export function Had({ session }: { session: Session }) {
  const { t } = useLingui();
  const of = (kind: string) => session.files.filter((file) => file.class === kind);
  const run = { requests: session.main_requests, project: session.project };
  return (
    <section aria-label={t`What it had`} className={css.had} data-testid="session-had">
      <h2 className={css.hadHead}>
        <Trans>What it had</Trans> <Proved session={session} />
      </h2>
      {session.files.length === 0 ? (
        <p className="muted">
          <Trans>No record says which instructions or memory it loaded.</Trans>
        </p>
      ) : (
        <>
          <Files title={t`Instructions`} files={of("instructions")} run={run} />
          <Files title={t`Memory`} files={of("memory")} run={run} />
          <p className={css.legend}>
            <span className={css.keySent} aria-hidden /> <Trans>present</Trans>
            <span className={css.keyGap} aria-hidden /> <Trans>no longer present</Trans>
            <span className="muted">
              <Trans>Present does not mean followed.</Trans>
            </span>
          </p>
        </>
      )}
    </section>
  );
}
