/** The words of the log as parts of a screen: who, what, when, in which state. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { ActorView, ChangeSource, Message, OriginNote, Version } from "@/bindings";
import { useNow } from "@/state/now";
import { useLineCounts } from "@/state/queries";
import { useFormat } from "./format";
import { hiddenIn } from "./hidden";
import { LineText } from "./LineText";
import { useProgramWords } from "./program";
import { Quoted, Space } from "./punctuation";
import { useTranscripts } from "./runs";
import { shorten } from "./text";
import { Dot, useWords } from "./ui";
import { actorWords, operationOf, OPERATIONS, sourceWords, STATES } from "./vocabulary";

/** Letters of a session's title: in a sentence, and where there is room for a few words. */
const TITLE_LETTERS = 120;
const BRIEF_LETTERS = 48;

/** Who made a change, with how that is known in its title; a session by its title where its transcript is there. */
export function Actor({
  actor,
  origin = null,
  brief = false,
}: {
  actor: ActorView | null;
  origin?: OriginNote | null;
  /** True where there is room for a few words: what a session is named by says that it is one. */
  brief?: boolean;
}) {
  const say = useWords();
  const words = actorWords(actor);
  const title = [words.full, words.evidence && say(words.evidence), origin?.title, origin?.prompt]
    .filter(Boolean)
    .join(" · ");
  const name = origin?.title ?? origin?.prompt ?? null;
  const named = name === null ? null : shorten(name, brief ? BRIEF_LETTERS : TITLE_LETTERS);
  return (
    <span className="actor" title={title || undefined}>
      {(named === null || !brief) && say(words.sort)}
      {named !== null ? (
        <>
          {!brief && <Space />}
          <Quoted>
            <LineText text={named} hidden={hiddenIn(named)} />
          </Quoted>
        </>
      ) : (
        words.id && <span className="mono"> {words.id}</span>
      )}
      {words.doubt && <> ({say(words.doubt)})</>}
    </span>
  );
}

/** Cause of something. `by` is who did it: what a person wrote, as in this window, is no call of an API to them. */
export function Source({ source, by = null }: { source: ChangeSource; by?: ActorView | null }) {
  const say = useWords();
  if (source === "api" && by?.type === "user_actor")
    return (
      <span>
        <Trans>edited</Trans>
      </span>
    );
  return <span>{say(sourceWords(source))}</span>;
}

/** The sign of what a version did; its word is its name and title. */
export function OperationSign({ version }: { version: Pick<Version, "operation" | "previous_path"> }) {
  const say = useWords();
  const operation = operationOf(version);
  const known = OPERATIONS[operation];
  const word = say(known.word);
  return (
    <span className={`operation-sign operation-${operation}`} role="img" aria-label={word} title={word}>
      {known.sign}
    </span>
  );
}

/** The word of what a version did. */
export function OperationWord({ version }: { version: Pick<Version, "operation" | "previous_path"> }) {
  const say = useWords();
  const operation = operationOf(version);
  const known = OPERATIONS[operation];
  return <span>{say(known.word)}</span>;
}

/** A sentence of the program, in the language of the window. */
export function ProgramText({ text }: { text: Message }) {
  const { sentence } = useProgramWords();
  return <>{sentence(text)}</>;
}

/** The note of a session's rollback: it names the session by its id, which tells a person nothing. */
function SessionRollback({ session }: { session: string }) {
  const { data } = useTranscripts();
  const title = data?.transcripts.find(({ id }) => id === session)?.title;
  return (
    <span title={session}>
      {title ? (
        <Trans>
          rollback of session “
          <LineText text={shorten(title, BRIEF_LETTERS)} hidden={hiddenIn(shorten(title, BRIEF_LETTERS))} />”
        </Trans>
      ) : (
        <Trans>rollback of a session</Trans>
      )}
    </span>
  );
}

/** The note of an operation, of the program or of a person. */
export function Note({ text }: { text: Message }) {
  const session = text.id === "session_rollback.rollback_session" ? text.args.session : undefined;
  return typeof session === "string" ? <SessionRollback session={session} /> : <ProgramText text={text} />;
}

/** A store's state: mark, word, and more in the title. */
export function StoreState({ state, detail }: { state: keyof typeof STATES; detail: Message | null }) {
  const say = useWords();
  const { sentence } = useProgramWords();
  const known = STATES[state];
  return (
    <span className="store-state" title={detail === null ? undefined : sentence(detail)}>
      <Dot tone={known.dot} />
      <span>{say(known.word)}</span>
    </span>
  );
}

/** A time, short, with the whole of it in its title. */
export function Moment({ at, form = "short" }: { at: string; form?: "short" | "moment" | "time" | "ago" }) {
  const format = useFormat();
  const now = useNow();
  const text = {
    short: () => format.short(at, now),
    moment: () => format.moment(at, now),
    time: () => format.time(at),
    ago: () => format.ago(at, now),
  }[form]();
  return (
    <time className="num" dateTime={at} title={format.exact(at)}>
      {text}
    </time>
  );
}

/** Lines added and removed. */
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <span className="line-counts num" role="img" aria-label={t`${added} lines added, ${removed} removed`}>
      <span className="line-added">+{format.number(added)}</span>{" "}
      <span className="line-removed">−{format.number(removed)}</span>
    </span>
  );
}

/** Lines added and removed by a version, once they are known. */
export function VersionCounts({ version }: { version: Version }) {
  const counts = useLineCounts(version);
  return counts && <LineCounts {...counts} />;
}
