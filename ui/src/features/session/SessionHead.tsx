/** Title, acts and facts of a session. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Session } from "@/bindings";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { Moment, ProgramText } from "@/shared/labels";
import { useSessionName } from "@/shared/session";
import { fileName } from "@/shared/text";
import { Button } from "@/shared/ui";
import { startAct } from "@/state/acts";
import { useKeys } from "@/state/keys";
import { formatRoute, navigate } from "@/state/route";
import { memoriesOf, storesOf, sureVersions } from "./story";
import { AGENTS, took } from "./words";
import css from "./session.module.css";

/** A shorter run took no time worth naming. */
const SECOND_MS = 1000;

const nameOf = (session: Session, name: ReturnType<typeof useSessionName>) =>
  name({ prompt: session.first_prompt, title: session.title, at: session.started_at ?? firstWrite(session) });

const firstWrite = ({ versions }: Session) => versions.at(-1)?.version.created_at;

function useActs(session: Session) {
  const { t } = useLingui();
  const title = nameOf(session, useSessionName());
  const sure = sureVersions(session);
  const left = session.versions.find(({ version }) => session.unreviewed.includes(version.id))?.version ?? null;
  return {
    memories: memoriesOf(sure),
    rollback:
      session.versions.length > 0
        ? () =>
            startAct({
              command: "rollback",
              request: { session: session.session_id },
              subject: t`session “${title}”`,
            })
        : null,
    review: left && (() => navigate({ screen: "inbox", memory: left.memory_id })),
    transcript:
      session.transcript === null
        ? null
        : () => navigate({ screen: "context", transcript: session.transcript ?? undefined }),
  };
}

function Acts({ session }: { session: Session }) {
  const { t } = useLingui();
  const acts = useActs(session);
  const left = session.unreviewed.length;
  useKeys([
    { keys: "t", label: t`Open the transcript`, run: () => acts.transcript?.(), enabled: acts.transcript !== null },
    { keys: "o", label: t`Review its changes in the inbox`, run: () => acts.review?.(), enabled: acts.review !== null },
    { keys: "x", label: t`Roll back session…`, run: () => acts.rollback?.(), enabled: acts.rollback !== null },
  ]);
  return (
    <div className={css.acts} role="toolbar" aria-label={t`Acts on this session`}>
      {acts.transcript && (
        <Button keys="t" onPress={acts.transcript} data-testid="session-transcript">
          <Trans>Open the transcript</Trans>
        </Button>
      )}
      {acts.review && (
        <Button keys="o" onPress={acts.review} data-testid="session-review">
          <Plural value={left} one="Review # change" other="Review # changes" />
        </Button>
      )}
      {acts.rollback && (
        <Button tone="danger" keys="x" onPress={acts.rollback} data-testid="session-rollback">
          {acts.memories > 0
            ? t`Roll back session… ${plural(acts.memories, { one: "# memory", other: "# memories" })}`
            : t`Roll back session…`}
        </Button>
      )}
    </div>
  );
}

function Fact({ name, title, children }: { name: string; title?: string | undefined; children: ReactNode }) {
  return (
    <div className={css.fact} title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Who ran where, and when. */
function RunFacts({ session }: { session: Session }) {
  const { t, i18n } = useLingui();
  const { agent, project, models, started_at, ended_at } = session;
  const length = started_at && ended_at ? Date.parse(ended_at) - Date.parse(started_at) : null;
  return (
    <>
      {project && (
        <Fact name={t`project`} title={spelled(project)}>
          {spelled(fileName(project.replace(/\/+$/, "")) || project)}
        </Fact>
      )}
      {agent && (
        <Fact name={t`agent`}>
          {AGENTS[agent] ?? agent} {session.client_version && spelled(session.client_version)}
        </Fact>
      )}
      {models.length > 0 && (
        <Fact name={t`model`} title={models.map(spelled).join(", ")}>
          {spelled(models[0] ?? "")}
          {models.length > 1 && ` +${models.length - 1}`}
        </Fact>
      )}
      {started_at && (
        <Fact name={t`started`}>
          <Moment at={started_at} form="moment" />
        </Fact>
      )}
      {length !== null && length >= SECOND_MS && <Fact name={t`took`}>{took(i18n.locale, length)}</Fact>}
    </>
  );
}

/** What it came to. */
function Figures({ session }: { session: Session }) {
  const { t } = useLingui();
  const format = useFormat();
  const { requests, cost_usd, versions } = session;
  const peak = session.peak === null ? null : format.compact(session.peak);
  const cost = cost_usd === null ? "" : format.dollars(cost_usd);
  const wrote = plural(versions.length, { one: "# change", other: "# changes" });
  const stores = plural(storesOf(versions), { one: "# store", other: "# stores" });
  return (
    <>
      {requests > 0 && <Fact name={t`requests`}>{format.number(requests)}</Fact>}
      {peak !== null && (
        <Fact name={t`peak`} title={t`${format.number(session.peak ?? 0)} tokens, ${session.peak_kind ?? ""}`}>
          <Trans>{peak} tokens</Trans>
        </Fact>
      )}
      {cost_usd !== null && (
        <Fact name={t`cost`} title={t`Recorded usage at the table of prices`}>
          {session.cost_is_lower_bound ? t`at least ${cost}` : cost}
        </Fact>
      )}
      <Fact name={t`wrote`}>{versions.length > 0 ? t`${wrote} in ${stores}` : t`nothing`}</Fact>
    </>
  );
}

/** The head of the page. */
export function SessionHead({ session }: { session: Session }) {
  const { t } = useLingui();
  const title = nameOf(session, useSessionName());
  const other = session.title?.trim();
  return (
    <header className={css.head}>
      <div className={css.headTitle}>
        <nav aria-label={t`Where this page is`} className={css.crumbs}>
          <a href={formatRoute({ screen: "timeline" })}>
            <Trans>Timeline</Trans>
          </a>{" "}
          › <Trans>Session</Trans>
        </nav>
        <h1 data-testid="session-title" title={title}>
          {title}
        </h1>
        {other && other !== session.first_prompt && session.first_prompt !== null && (
          <p className="muted">
            <Trans>called “{spelled(other)}” by the agent</Trans>
          </p>
        )}
      </div>
      <Acts session={session} />
      <div className={css.factsBox}>
        <dl className={css.facts} data-testid="session-facts">
          <RunFacts session={session} />
          <Figures session={session} />
        </dl>
      </div>
      {session.problem && (
        <p className="muted" data-testid="session-problem">
          <ProgramText text={session.problem} />
        </p>
      )}
    </header>
  );
}
