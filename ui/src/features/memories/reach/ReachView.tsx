/** Reach of a memory: in which sessions a line was before a model, and why not in the others. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Document, Reach } from "@/bindings";
import { useFormat } from "@/shared/format";
import { useCauseWords } from "@/shared/presence";
import { Space } from "@/shared/punctuation";
import { Await, Empty } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { ReachLines } from "./ReachLines";
import { ReachSessions } from "./ReachSessions";
import css from "./reach.module.css";

/** Chosen lines; null for the whole memory. */
export interface Chosen {
  from: number;
  to: number;
}

/** The sentence about the chosen lines. */
function Sentence({ reach }: { reach: Reach }) {
  const format = useFormat();
  const causeOf = useCauseWords();
  const [present, sessions] = [format.number(reach.present), format.number(reach.sessions)];
  const [from, to] = [reach.from ?? 0, reach.to ?? 0];
  return (
    <p className={css.sentence} data-testid="reach-sentence">
      {reach.from === null ? (
        <Trans>
          This memory was before the model in{" "}
          <b>
            {present} of {sessions} sessions
          </b>
          .
        </Trans>
      ) : from === to ? (
        <Trans>
          <b>Line {from}</b> was before the model in{" "}
          <b>
            {present} of {sessions} sessions
          </b>
          .
        </Trans>
      ) : (
        <Trans>
          <b>
            Lines {from} to {to}
          </b>{" "}
          were before the model in{" "}
          <b>
            {present} of {sessions} sessions
          </b>
          .
        </Trans>
      )}
      <Space />
      {reach.subagents > 0 && (
        <>
          <Plural
            value={reach.subagents}
            one={`# of the ${sessions} is a subagent.`}
            other={`# of the ${sessions} are subagents.`}
          />
          <Space />
        </>
      )}
      {reach.absent.length > 0 && (
        <>
          <Trans>Where it was absent:</Trans>
          <Space />
          {reach.absent.map(({ cause, sessions, cut_after }) => (
            <span key={cause} className={css.cause}>
              {format.number(sessions)} <u>{causeOf(cause, cut_after)}</u>
            </span>
          ))}
        </>
      )}
      {reach.lost.length > 0 && (
        <>
          <Trans>Of those that had it:</Trans>
          <Space />
          {reach.lost.map(({ cause, sessions, cut_after }) => (
            <span key={cause} className={css.cause}>
              {format.number(sessions)} <u>{causeOf(cause, cut_after)}</u>
            </span>
          ))}
        </>
      )}
    </p>
  );
}

/** How well the requests behind it are known. */
function Known({ reach }: { reach: Reach }) {
  const { proved, recorded, inferred } = reach.requests;
  const known = [
    proved > 0 && plural(proved, { one: "# request proved", other: "# requests proved" }),
    recorded > 0 && plural(recorded, { one: "# request recorded", other: "# requests recorded" }),
    inferred > 0 && plural(inferred, { one: "# request inferred", other: "# requests inferred" }),
  ].filter(Boolean);
  return (
    <p className="muted small" data-testid="reach-known">
      {known.length > 0 ? known.join(" · ") : <Trans>No session has a request to look into.</Trans>}
      {reach.elsewhere > 0 && (
        <>
          {" · "}
          <Plural
            value={reach.elsewhere}
            one="# session ran in another directory or as another agent"
            other="# sessions ran in other directories or as other agents"
          />
        </>
      )}
    </p>
  );
}

/** The tab. */
export function ReachView({
  target,
  document,
  line,
  onLine,
  onVersion,
}: {
  target: string;
  document: Document | undefined;
  line: number | undefined;
  onLine: (line: number | undefined) => void;
  onVersion: (version: string) => void;
}) {
  const { t } = useLingui();
  const [end, setEnd] = useState<number | null>(null);
  const chosen: Chosen | null =
    line === undefined ? null : { from: Math.min(line, end ?? line), to: Math.max(line, end ?? line) };
  const read = useRead(
    "reach",
    { target, from: chosen?.from ?? null, to: chosen?.to ?? null, since: null },
    { keepPrevious: true },
  );
  const choose = (to: number | undefined, extend: boolean) => {
    if (extend && line !== undefined && to !== undefined) return setEnd(to);
    setEnd(null);
    onLine(to);
  };
  return (
    <Await read={read} rows={10} doing={t`Finding out which sessions had this memory. The first time takes longest.`}>
      {(reach) =>
        reach.rows.length === 0 ? (
          <Empty title={t`No sessions`}>
            <Trans>No transcript was found on this machine, so nobody knows what a model had before it.</Trans>
          </Empty>
        ) : reach.sessions === 0 ? (
          <Empty title={t`No session of this directory`}>
            <Plural
              value={reach.elsewhere}
              one="# session on this machine ran in another directory or as another agent, so it did not have this memory."
              other="The # sessions on this machine ran in other directories or as other agents, so none of them had this memory."
            />
          </Empty>
        ) : (
          <div className={css.reach} data-testid="reach">
            <Sentence reach={reach} />
            <Known reach={reach} />
            <div className={css.panes}>
              <ReachLines reach={reach} document={document} chosen={chosen} last={end} onChoose={choose} />
              <ReachSessions reach={reach} onVersion={onVersion} />
            </div>
          </div>
        )
      }
    </Await>
  );
}
