/** Where the version of an agent was found: a session by its title, as its path tells a person nothing. */
import { Trans } from "@lingui/react/macro";
import type { Message } from "@/bindings";
import { hiddenIn } from "./hidden";
import { ProgramText } from "./labels";
import { LineText } from "./LineText";
import { useProgramWords } from "./program";
import { Quoted, Space } from "./punctuation";
import { useTranscripts } from "./runs";
import { SessionLink } from "./SessionLink";
import { shorten } from "./text";

/** Letters of a session's title. */
const TITLE_LETTERS = 80;

function OfSession({ text, path }: { text: Message; path: string }) {
  const program = useProgramWords();
  const { data } = useTranscripts();
  const row = data?.transcripts.find((known) => known.path === path);
  const title = row?.title ? shorten(row.title, TITLE_LETTERS) : null;
  return (
    <span title={program.sentence(text)}>
      <Trans>Read from the newest session.</Trans>
      {row && title !== null && (
        <>
          <Space />
          <SessionLink session={row.id} testId="version-session">
            <Quoted>
              <LineText text={title} hidden={hiddenIn(title)} />
            </Quoted>
          </SessionLink>
        </>
      )}
    </span>
  );
}

/** Where the version of an agent was found. */
export function VersionFrom({ text }: { text: Message }) {
  const path = text.id === "agents.of_session" ? text.args.path : undefined;
  return typeof path === "string" ? <OfSession text={text} path={path} /> : <ProgramText text={text} />;
}
