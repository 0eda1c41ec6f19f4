/**
 * Who wrote a version and why: the session, the turn, the prompt before it, how sure that is, and on demand the call and the
 * messages around it. Everything here comes from transcripts and is shown as text alone.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Fragment, useState } from "react";
import type {
  ActorView,
  Origin,
  OriginBlockKind,
  OriginMessage,
  OriginNote,
  OriginRole,
  OriginWrite,
} from "@/bindings";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { ConfidenceChip } from "./confidence";
import { hiddenIn } from "./hidden";
import { LineText } from "./LineText";
import { Actor, Moment, ProgramText } from "./labels";
import { Comma, Quoted } from "./punctuation";
import { useSessionName } from "./session";
import { SessionLink } from "./SessionLink";
import { transcriptPlace } from "./transcript";
import { Button, Failure, useWords } from "./ui";
import { PutBackBy } from "./Writer";
import { classes } from "@/shared/classes";
import css from "./OriginPanel.module.css";

/** Who in a session wrote, where it was not the main run. */
const ROLES: Record<OriginRole, MessageDescriptor | null> = {
  main: null,
  subagent: msg`a subagent of it`,
  background: msg`the agent's own background run`,
};

/** A text of a transcript, which is anybody's: hidden characters are made visible. */
function Visible({ text }: { text: string }) {
  return text.split("\n").map((line, at) => (
    <Fragment key={at}>
      {at > 0 && "\n"}
      <LineText text={line} hidden={hiddenIn(line)} />
    </Fragment>
  ));
}

/** Opens the transcript of an answer at its turn. */
function openTranscript(note: OriginNote): void {
  const place = transcriptPlace(note);
  if (place) navigate(place);
}

/** “Written by session …, turn N, model”; where no session did, by whoever `otherwise` is known to. */
function Sentence({ note, otherwise = null }: { note: OriginNote; otherwise?: ActorView | null }) {
  const say = useWords();
  const unnamed = useSessionName()({});
  if (note.session_id === null && otherwise !== null)
    return (
      <span>
        <Trans>
          Written by <Actor actor={otherwise} />
        </Trans>
      </span>
    );
  if (note.session_id === null)
    return (
      <span>
        <Trans>Nobody knows who wrote this.</Trans>
      </span>
    );
  const name = note.title ?? note.prompt ?? unnamed;
  const role = note.role && ROLES[note.role];
  return (
    <span>
      <Trans>Written by session</Trans>{" "}
      <strong data-testid="origin-session">
        <SessionLink session={note.session_id} testId="origin-session-page">
          {name === note.prompt ? (
            <span data-testid="origin-prompt">
              <Quoted>
                <Visible text={name} />
              </Quoted>
            </span>
          ) : (
            <Quoted>
              <Visible text={name} />
            </Quoted>
          )}
        </SessionLink>
      </strong>
      {role && <> ({say(role)})</>}
      {note.turn !== null && (
        <>
          <Comma />
          <Trans>turn {note.turn}</Trans>
        </>
      )}
      {note.model && (
        <>
          <Comma />
          {note.model}
        </>
      )}
    </span>
  );
}

function Message({ message }: { message: OriginMessage }) {
  const { t } = useLingui();
  const kinds: Record<OriginBlockKind, string> = {
    text: message.role === "user" ? t`prompt` : t`answer`,
    thinking: t`thinking`,
    tool_use: t`call`,
    tool_result: t`result`,
    other: t`other`,
  };
  return (
    <li className={message.is_write ? classes(css.originMessage, "is-write") : css.originMessage}>
      <span className="muted small">
        {kinds[message.kind]}
        {message.turn !== null && (
          <>
            {" · "}
            <Trans>turn {message.turn}</Trans>
          </>
        )}
        {message.is_write && (
          <>
            {" · "}
            <Trans>the write itself</Trans>
          </>
        )}
      </span>
      <pre>
        <Visible text={message.text} />
      </pre>
    </li>
  );
}

function Call({ write }: { write: OriginWrite }) {
  return (
    <details>
      <summary>
        <Trans>Input of {write.tool}</Trans>
        {write.truncated && (
          <>
            {" "}
            (<Trans>cut</Trans>)
          </>
        )}
      </summary>
      <pre data-testid="origin-input">
        <Visible text={write.input} />
      </pre>
    </details>
  );
}

function Whole({ origin }: { origin: Origin }) {
  return (
    <div className={css.originWhole}>
      <ul className={css.originEvidence}>
        {origin.evidence.map((sentence) => (
          <li key={sentence.text}>
            <ProgramText text={sentence} />
          </li>
        ))}
      </ul>
      {origin.started_at !== null && (
        <p className="muted small">
          {origin.project !== null && (
            <>
              <Visible text={origin.project} />
              {" · "}
            </>
          )}
          <Moment at={origin.started_at} form="moment" />
        </p>
      )}
      {origin.write && <Call write={origin.write} />}
      {origin.around.length > 0 && (
        <details>
          <summary>
            <Plural value={origin.around.length} one="# message around it" other="# messages around it" />
          </summary>
          <ol className={css.originAround} data-testid="origin-around">
            {origin.around.map((message, at) => (
              <Message key={at} message={message} />
            ))}
          </ol>
        </details>
      )}
      {origin.candidates.length > 0 && (
        <>
          <p>
            <Trans>These sessions could have written it as well:</Trans>
          </p>
          <ul className={css.originCandidates}>
            {origin.candidates.map((note) => (
              <li key={`${note.session_id} ${note.turn}`}>
                <Sentence note={note} />
                {note.transcript && (
                  <Button tone="quiet" onPress={() => openTranscript(note)}>
                    <Trans>Open</Trans>
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Props of the panel. */
export interface OriginPanelProps {
  /** The version, `memver_…`. */
  versionId: string;
  /** Two lines, without what can be opened. */
  compact?: boolean;
  /** True where the writer and the prompt stand beside it: what speaks for it remains to be said. */
  isTold?: boolean;
}

/** Who wrote a version and why. */
export function OriginPanel({ versionId, compact = false, isTold = false }: OriginPanelProps) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const read = useRead("origin", { version: versionId, around: null });
  if (read.error) return <Failure error={read.error} retry={() => void read.refetch()} />;
  const origin = read.data;
  if (!origin)
    return (
      <section className={css.origin} aria-busy="true" aria-label={t`Who wrote it`} data-testid="origin">
        <p className="muted">
          <Trans>Looking through the transcripts…</Trans>
        </p>
      </section>
    );
  const { note } = origin;
  if (isTold)
    return (
      <section className={css.origin} aria-label={t`Who wrote it`} data-testid="origin">
        {note.session_id !== null && (
          <p>
            <ConfidenceChip confidence={note.confidence} />
          </p>
        )}
        <Whole origin={origin} />
      </section>
    );
  const asked = note.prompt ?? origin.prompt;
  // A session without a title is called by its prompt, which need not be said twice.
  const prompt = asked === (note.title ?? note.prompt) ? null : asked;
  return (
    <section className={css.origin} aria-label={t`Who wrote it`} data-testid="origin">
      <p className={css.originLine}>
        <span className={css.originWords}>
          <Sentence note={note} otherwise={origin.put_back?.written_by ?? null} />{" "}
          {note.session_id !== null && <ConfidenceChip confidence={note.confidence} />}
          {origin.put_back && (
            <>
              {" · "}
              <PutBackBy back={origin.put_back} />
            </>
          )}
        </span>
        <span className={css.originActs}>
          {note.transcript && (
            <Button tone="quiet" onPress={() => openTranscript(note)} data-testid="origin-open">
              <Trans>Open the transcript</Trans>
            </Button>
          )}
          {!compact && (
            <Button tone="quiet" aria-expanded={open} onPress={() => setOpen(!open)} data-testid="origin-more">
              {open ? t`Less` : t`Why`}
            </Button>
          )}
        </span>
      </p>
      {prompt && (
        <p className={css.originPrompt} data-testid="origin-prompt">
          <Trans>
            after the prompt “<Visible text={prompt} />”
          </Trans>
        </p>
      )}
      {!compact && open && <Whole origin={origin} />}
    </section>
  );
}
