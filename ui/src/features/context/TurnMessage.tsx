/** A message of a request with its blocks; what a setting would have taken out is struck through. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { memo, useMemo, useState } from "react";
import type { MessageOrigin, MessageRole, TurnBlock, TurnBlockKind, TurnMessage } from "@/bindings";
import { useFormat } from "@/shared/format";
import { hiddenIn } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { LineText } from "@/shared/LineText";
import { Button, Chip, useWords } from "@/shared/ui";
import { Figure } from "./Figure";
import { markAt, useMarked } from "./marks";
import { classes } from "@/shared/classes";
import css from "./sheets.module.css";

/** So many lines of a block at first. */
const FIRST_LINES = 14;

const BLOCKS: Record<TurnBlockKind, MessageDescriptor> = {
  text: msg`text`,
  thinking: msg`thinking`,
  tool_use: msg`call`,
  tool_result: msg`result`,
  image: msg`image`,
  document: msg`document`,
  attachment: msg`attachment`,
  compaction: msg`compaction`,
  unknown: msg`not known`,
  tool: msg`tool`,
};
const ROLES: Record<MessageRole, MessageDescriptor> = {
  user: msg`user`,
  assistant: msg`assistant`,
  system: msg`system`,
};
const ORIGINS: Record<MessageOrigin, MessageDescriptor> = {
  typed: msg`typed`,
  model: msg`model`,
  tool_results: msg`tool results`,
  client: msg`added by the client`,
  summary: msg`summary`,
  synthetic: msg`made by the client`,
  unsaid: msg`origin not recorded`,
  system_prompt: msg`prompt`,
  tools: msg`tools`,
};

/** So many lines before one that was searched for. */
const LINES_BEFORE = 3;

/** The lines of a block that are shown at first: those around what is searched for or marked, else the beginning. */
export function firstLines(lines: readonly string[], block: string, find: string, mark = -1): readonly string[] {
  if (find !== "") {
    const at = lines.findIndex((line) => line.toLowerCase().includes(find.toLowerCase()));
    const from = Math.max(0, at - LINES_BEFORE);
    return at < 0 ? [] : lines.slice(from, from + FIRST_LINES);
  }
  if (mark >= 0) {
    const from = Math.max(0, mark - LINES_BEFORE);
    return lines.slice(from, from + FIRST_LINES);
  }
  // Definitions of tools are long and many: their names are enough at first.
  if (block === "tool") return [];
  return lines.length <= FIRST_LINES + 2 ? lines : lines.slice(0, FIRST_LINES);
}

const Block = memo(function Block({ block, pointed, find }: { block: TurnBlock; pointed: boolean; find: string }) {
  const say = useWords();
  const format = useFormat();
  const lines = useMemo(() => block.text.split("\n"), [block.text]);
  const [all, setAll] = useState(false);
  const marks = useMarked();
  const shown = all ? lines : firstLines(lines, block.block, find, markAt(lines, marks));
  const text = (
    <div className={css.turnText}>
      {shown.map((line, at) => (
        <div key={at} className={classes("line-text", marks?.has(line) && "is-marked")} data-marked={marks?.has(line)}>
          {line === "" ? " " : <LineText text={line} hidden={hiddenIn(line)} />}
        </div>
      ))}
    </div>
  );
  return (
    <div
      className={classes(css.turnBlock, block.cleared && "is-cleared", pointed && "is-pointed")}
      data-testid="turn-block"
      data-block={block.block}
      data-cleared={block.cleared}
      data-tool-use={block.tool_use_id ?? undefined}
    >
      <div className={css.turnBlockHead}>
        <b>{say(BLOCKS[block.block])}</b>
        {block.name && <span className="mono">{block.name}</span>}
        {block.is_error && (
          <Chip tone="del">
            <Trans>failed</Trans>
          </Chip>
        )}
        {block.cleared && (
          <Chip tone="warn" data-testid="gone-chip">
            <Trans>would be gone</Trans>
          </Chip>
        )}
        <span className="spacer" />
        <span className="muted">
          <Figure text={format.number(block.tokens)} kind="counted offline" /> <Trans>tokens</Trans>
        </span>
      </div>
      {shown.length > 0 && block.text !== "" && (block.cleared ? <del>{text}</del> : text)}
      {shown.length < lines.length && (
        <Button tone="quiet" onPress={() => setAll(true)}>
          <Trans>{lines.length - shown.length} more lines</Trans>
        </Button>
      )}
      {block.cut && (
        <p className="muted small">
          <Trans>Only the beginning of the block is shown.</Trans>
        </p>
      )}
    </div>
  );
});

/** A message. */
export function TurnMessageView({
  message,
  pointed,
  find,
}: {
  message: TurnMessage;
  pointed: string | null;
  find: string;
}) {
  const say = useWords();
  return (
    <article
      className={classes(css.turnMessage, css[`turn-${message.role}`], message.answer && "is-answer")}
      data-testid="turn-message"
      data-position={message.position}
    >
      <header>
        <strong>{say(ROLES[message.role])}</strong>
        <span className="muted">{say(ORIGINS[message.origin])}</span>
        {message.answer && (
          <Chip tone="accent">
            <Trans>answer to this request</Trans>
          </Chip>
        )}
        <span className="spacer" />
        <span className="muted num">
          {message.time && (
            <>
              <Moment at={message.time} form="moment" />
              {" · "}
            </>
          )}
          {message.line > 0 && <Trans>line {message.line}</Trans>}
        </span>
      </header>
      {message.blocks.map((block, at) => (
        <Block
          key={at}
          block={block}
          find={find}
          pointed={pointed !== null && block.tool_use_id === pointed && block.block === "tool_result"}
        />
      ))}
    </article>
  );
}
