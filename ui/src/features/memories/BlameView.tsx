/** Who wrote each line: beside every block of lines the version that brought it in. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "react-aria-components/Button";
import type { Blame, BlameLine, BlameVersion } from "@/bindings";
import { Actor, Moment } from "@/shared/labels";
import { hiddenIn } from "@/shared/hidden";
import { LineText } from "@/shared/LineText";
import { useProgramWords } from "@/shared/program";
import { useSessionName } from "@/shared/session";
import { SessionLink } from "@/shared/SessionLink";
import { shorten } from "@/shared/text";
import { Await, Empty } from "@/shared/ui";
import { Veil } from "@/shared/Veil";
import { VirtualRows } from "@/shared/VirtualRows";
import { cameBack } from "@/shared/Writer";
import { useRead } from "@/state/queries";
import { classes } from "@/shared/classes";
import { Quoted } from "@/shared/punctuation";
import css from "./memories.module.css";

/** Letters of a session's name beside a line. */
const NAME_LETTERS = 80;

/** Lines that follow each other and come from one version. */
interface Block {
  line: BlameLine;
  first: boolean;
}

function blocksOf(lines: readonly BlameLine[]): Block[] {
  return lines.map((line, at) => ({ line, first: at === 0 || lines[at - 1]?.version !== line.version }));
}

function Who({ version }: { version: BlameVersion }) {
  const { t } = useLingui();
  const { origin } = version;
  if (!origin?.session_id) return <Actor actor={version.created_by} />;
  const sure = origin.confidence === "stated" || origin.confidence === "exact_content";
  const title = [origin.title, origin.prompt].filter(Boolean).join(" · ");
  const name = title === "" ? "" : shorten(origin.title ?? origin.prompt ?? "", NAME_LETTERS);
  return (
    <span className="actor" title={title || undefined}>
      {!sure ? t`likely session` : name === "" && t`session`}
      {name !== "" && (
        <>
          {!sure && " "}
          <Quoted>
            <LineText text={name} hidden={hiddenIn(name)} />
          </Quoted>
        </>
      )}
      {origin.turn !== null && (
        <>
          {" "}
          <Trans>turn {origin.turn}</Trans>
        </>
      )}
    </span>
  );
}

function Gutter({
  version,
  orBefore,
  onOpen,
}: {
  version: BlameVersion | undefined;
  orBefore: boolean;
  onOpen: (version: string) => void;
}) {
  const { t } = useLingui();
  const program = useProgramWords();
  const name = useSessionName();
  if (!version)
    return (
      <span className={classes(css.blameWho, "muted")}>
        <Trans>not recorded yet</Trans>
      </span>
    );
  const from = version.moved_from;
  const hint = [
    orBefore && t`or before: what was there before is redacted`,
    from && t`moved here from ${from}`,
    program.sentence(version.note),
  ];
  const session = version.origin?.session_id ?? null;
  const shown = (
    <Button
      className={css.blameOpen}
      onPress={() => onOpen(version.version_id)}
      aria-label={t`Show the version that added this`}
      data-testid="blame-version"
    >
      <span title={hint.filter(Boolean).join(" · ") || undefined} data-name>
        <Moment at={version.created_at} /> <Who version={version} />
        {version.rebuilt && (
          <span className="muted">
            {" "}
            · <Trans>rebuilt</Trans>
          </span>
        )}
        {from && (
          <span className="muted">
            {" "}
            · <Trans>from {from}</Trans>
          </span>
        )}
        {version.put_back && (
          <span className="muted">
            {" "}
            · {cameBack(version.put_back) ? <Trans>came back</Trans> : <Trans>put back</Trans>}{" "}
            <Moment at={version.put_back.at} />
          </span>
        )}
      </span>
    </Button>
  );
  return (
    <span className={css.blameWho}>
      {shown}
      {session !== null && (
        <SessionLink
          session={session}
          label={t`Open session: ${name({ title: version.origin?.title, prompt: version.origin?.prompt, at: version.created_at })}`}
          testId="blame-session"
        >
          <Trans>Session</Trans>
        </SessionLink>
      )}
    </span>
  );
}

function Lines({ blame, onOpen }: { blame: Blame; onOpen: (version: string) => void }) {
  const { t } = useLingui();
  if (blame.kind !== "text" || blame.lines.length === 0)
    return (
      <Empty title={t`No lines`}>
        <Trans>Only text has lines that somebody wrote.</Trans>
      </Empty>
    );
  return (
    <VirtualRows
      className={classes("code-box", css.blame)}
      items={blocksOf(blame.lines)}
      keyOf={({ line }) => line.line}
      estimate={22}
      aria-label={t`Who wrote each line`}
      data-testid="blame"
    >
      {({ line, first }) => (
        <div className={classes(css.blameLine, first && line.line > 1 && "is-first")} data-testid="blame-line">
          {first ? (
            <Gutter
              version={line.version === null ? undefined : blame.versions[line.version]}
              orBefore={line.or_before}
              onOpen={onOpen}
            />
          ) : (
            <span className={css.blameWho} aria-hidden />
          )}
          <span className={classes(css.blameNumber, "num muted")}>{line.line}</span>
          <span className={classes(css.blameText, "mono")}>
            <LineText text={line.text} hidden={hiddenIn(line.text)} />
          </span>
        </div>
      )}
    </VirtualRows>
  );
}

/** Who wrote each line of a version. */
export function BlameView({ target, onOpen }: { target: string; onOpen: (version: string) => void }) {
  const read = useRead("blame", { target, job: null });
  return (
    <Await read={read} rows={10}>
      {(blame) => (
        <Veil lines={blame.lines}>
          <Lines blame={blame} onOpen={onOpen} />
        </Veil>
      )}
    </Await>
  );
}
