/** What happened: prompts in order, and what each wrote in every store. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Fragment, type ReactNode, useState } from "react";
import type {
  ContextEventKind,
  InboxItem,
  Session,
  SessionAgent,
  SessionEvent,
  SessionPrompt,
  SessionWrite,
} from "@/bindings";
import { useFormat } from "@/shared/format";
import { hiddenIn, spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { LineText } from "@/shared/LineText";
import { readPrompt } from "@/shared/prompt";
import { Quoted } from "@/shared/punctuation";
import { fileName } from "@/shared/text";
import { Button } from "@/shared/ui";
import { formatRoute } from "@/state/route";
import { useNow } from "@/state/now";
import { useItems } from "@/state/triage";
import { ChangeList } from "./ChangeList";
import { type Chapter, chapters, dayHeads, startOf } from "./story";
import css from "./session.module.css";

/** Prompts that are shown before somebody asks for more. */
const PROMPTS = 100;
/** Lines of a prompt that are shown before somebody asks for more. */
const LINES = 4;

/** Words are quoted; a command is what was typed. */
function Said({ code, children }: { code: boolean; children: ReactNode }) {
  return code ? <code className={css.promptCode}>{children}</code> : <Quoted>{children}</Quoted>;
}

function Text({ text: raw, truncated }: { text: string; truncated: boolean }) {
  const { t } = useLingui();
  const [all, setAll] = useState(false);
  const { text, code } = readPrompt(raw);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = all ? lines : lines.slice(0, LINES);
  if (lines.length === 0) return <p className={css.promptText}>{t`A prompt without text`}</p>;
  return (
    <>
      <p className={css.promptText} data-testid="prompt-text">
        <Said code={code}>
          {shown.map((line, at) => (
            <span key={at}>
              {at > 0 && <br />}
              <LineText text={line} hidden={hiddenIn(line)} />
            </span>
          ))}
          {(truncated && all) || lines.length > shown.length ? "…" : ""}
        </Said>
      </p>
      {lines.length > LINES && (
        <Button tone="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
          {all ? (
            <Trans>Show less</Trans>
          ) : (
            <Plural value={lines.length - LINES} one="Show # more line" other="Show # more lines" />
          )}
        </Button>
      )}
    </>
  );
}

function PromptHead({ prompt }: { prompt: SessionPrompt }) {
  const format = useFormat();
  const { t } = useLingui();
  const { requests, cost_usd } = prompt;
  const cost = cost_usd === null ? "" : format.dollars(cost_usd);
  return (
    <div className={css.promptHead}>
      <div className={css.promptWords}>
        <Text text={prompt.text} truncated={prompt.truncated} />
      </div>
      <span className={css.promptFigures}>
        <Plural value={requests} one="# request" other="# requests" />
        {cost_usd !== null && ` · ${prompt.cost_is_lower_bound ? t`at least ${cost}` : cost}`}
      </span>
    </div>
  );
}

function AgentLine({ agent }: { agent: SessionAgent }) {
  const { t } = useLingui();
  const name = agent.description ?? agent.agent_type;
  const page = formatRoute({ screen: "context", transcript: agent.transcript });
  return (
    <p className={css.aside} data-testid="session-agent">
      {name === null ? (
        <a href={page}>{t`Subagent`}</a>
      ) : (
        <Trans>
          Subagent <a href={page}>{spelled(name)}</a>
        </Trans>
      )}
      {" · "}
      <Plural value={agent.requests} one="# request" other="# requests" />
      {agent.memories === 0 && (
        <span className={css.lacking}>
          {" · "}
          {agent.instructions === 0 ? t`had no instructions and no memory` : t`had no memory`}
        </span>
      )}
    </p>
  );
}

function EventLine({ event }: { event: SessionEvent }) {
  const { t } = useLingui();
  const format = useFormat();
  const { tokens_before: before, tokens_after: after, before_request } = event;
  const request = before_request + 1;
  const words: Record<ContextEventKind, string> = {
    compaction: t`Compacted before request ${request}`,
    microcompaction: t`Old tool results dropped before request ${request}`,
    rewind: t`A person went back before request ${request}`,
    server_edit: t`Cleared by the server before request ${request}`,
    replaced: t`Another history from request ${request}`,
  };
  return (
    <p className={css.aside} data-testid="session-event">
      {words[event.event]}
      {before !== null && after !== null && `: ${t`${format.compact(before)} to ${format.compact(after)}`}`}
      {event.lost.length > 0 && (
        <span className={css.lacking}>
          {" · "}
          <span title={event.lost.map(spelled).join("\n")}>
            {event.lost.length === 1 ? (
              <Trans>{spelled(fileName(event.lost[0] ?? ""))} was lost</Trans>
            ) : (
              <Plural value={event.lost.length} one="# file was lost" other="# files were lost" />
            )}
          </span>
        </span>
      )}
    </p>
  );
}

/** The head of a day, in a story that goes over several. */
function Day({ at }: { at: string }) {
  const format = useFormat();
  const now = useNow();
  return (
    <li className={css.day} data-testid="session-day">
      <h3>{format.dayHeading(at, now)}</h3>
    </li>
  );
}

function ChapterItem({ chapter, items }: { chapter: Chapter; items: ReadonlyMap<string, InboxItem> }) {
  const { prompt, changes, agents, events } = chapter;
  const at = startOf(chapter);
  return (
    <li className={css.chapter} data-testid="session-prompt">
      <span className={css.when}>{at && <Moment at={at} form="time" />}</span>
      <div className={css.told}>
        {prompt ? (
          <PromptHead prompt={prompt} />
        ) : (
          <p className="muted">
            <Trans>After a prompt that is not known</Trans>
          </p>
        )}
        <ChangeList changes={changes} items={items} />
        {agents.map((agent) => (
          <AgentLine key={agent.transcript} agent={agent} />
        ))}
        {events.map((event) => (
          <EventLine key={`${event.event} ${event.before_request}`} event={event} />
        ))}
      </div>
    </li>
  );
}

/** Calls that wrote and left no version. */
function Unrecorded({ writes }: { writes: readonly SessionWrite[] }) {
  if (writes.length === 0) return null;
  return (
    <details className={css.unrecorded} data-testid="session-unrecorded">
      <summary>
        <Plural
          value={writes.length}
          one="# more call wrote and left no version"
          other="# more calls wrote and left no version"
        />
      </summary>
      <p className="muted">
        <Trans>They came before recording, were overwritten at once, or wrote where nothing is recorded.</Trans>
      </p>
      <ul>
        {writes.map(({ write }, at) => (
          <li key={at} className="mono" title={spelled(write.path)}>
            {write.tool} {spelled(write.path)}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Section({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className={css.story} data-testid="session-story">
      <h2>
        {title} <span className={css.note}>{note}</span>
      </h2>
      {children}
    </section>
  );
}

/** What happened in a session. */
export function Story({ session }: { session: Session }) {
  const { t } = useLingui();
  const [most, setMost] = useState(PROMPTS);
  const told = chapters(session);
  const found = useItems(session.unreviewed);
  const items = new Map(found.map((item) => [item.version_id, item]));
  const days = dayHeads(told);
  const prompts = session.prompts.length;
  const note = prompts > 0 && <Plural value={prompts} one="# prompt" other="# prompts" />;
  return (
    <Section title={t`What happened`} note={note}>
      {told.length === 0 ? (
        <p className="muted">
          <Trans>No prompt of it is known, and nothing it wrote is recorded.</Trans>
        </p>
      ) : (
        <ol className={css.chapters}>
          {told.slice(0, most).map((chapter) => (
            <Fragment key={chapter.key}>
              {days.has(chapter.key) && <Day at={days.get(chapter.key)!} />}
              <ChapterItem chapter={chapter} items={items} />
            </Fragment>
          ))}
        </ol>
      )}
      {told.length > most && (
        <Button onPress={() => setMost(most + PROMPTS)}>
          <Plural value={told.length - most} one="Show # more prompt" other="Show # more prompts" />
        </Button>
      )}
      <Unrecorded writes={session.unrecorded} />
    </Section>
  );
}
