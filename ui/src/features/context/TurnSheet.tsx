/**
 * The messages of one request, with what a setting would have taken out struck through and labelled. The texts are other
 * people's: they are only ever text, and what a reader would not see gets a mark.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useDeferredValue, useMemo, useState } from "react";
import type { Turn, TurnBlock, TurnMessage } from "@/bindings";
import { useFormat } from "@/shared/format";
import { hiddenIn } from "@/shared/hidden";
import { Moment, ProgramText } from "@/shared/labels";
import { LineText } from "@/shared/LineText";
import { Sheet } from "@/shared/overlay";
import { Await, Button, Chip, Empty, useWords } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useRead } from "@/state/queries";
import { Figure } from "./Figure";
import { type BenchVariant, plainVariant } from "./lab";
import { useVariantName } from "./VariantEditor";

/** So many messages at once. */
const PAGE = 400;
/** So many lines of a block at first. */
const FIRST_LINES = 14;

const BLOCKS: Record<string, MessageDescriptor> = {
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
const ROLES: Record<string, MessageDescriptor> = {
  user: msg`user`,
  assistant: msg`assistant`,
  system: msg`system`,
};
const ORIGINS: Record<string, MessageDescriptor> = {
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

const word = (table: Record<string, MessageDescriptor>, key: string) => table[key] ?? key;

/** So many lines before one that was searched for. */
const LINES_BEFORE = 3;

/** The lines of a block that are shown at first: those around what is searched for, else the beginning. */
export function firstLines(lines: readonly string[], block: string, find: string): readonly string[] {
  if (find !== "") {
    const at = lines.findIndex((line) => line.toLowerCase().includes(find.toLowerCase()));
    const from = Math.max(0, at - LINES_BEFORE);
    return at < 0 ? [] : lines.slice(from, from + FIRST_LINES);
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
  const shown = all ? lines : firstLines(lines, block.block, find);
  const text = (
    <div className="turn-text">
      {shown.map((line, at) => (
        <div key={at} className="line-text">
          {line === "" ? " " : <LineText text={line} hidden={hiddenIn(line)} />}
        </div>
      ))}
    </div>
  );
  return (
    <div
      className={`turn-block${block.cleared ? " is-cleared" : ""}${pointed ? " is-pointed" : ""}`}
      data-testid="turn-block"
      data-block={block.block}
      data-cleared={block.cleared}
      data-tool-use={block.tool_use_id ?? undefined}
    >
      <div className="turn-block-head">
        <b>{say(word(BLOCKS, block.block))}</b>
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

function Message({ message, pointed, find }: { message: TurnMessage; pointed: string | null; find: string }) {
  const say = useWords();
  return (
    <article
      className={`turn-message turn-${message.role}${message.answer ? " is-answer" : ""}`}
      data-testid="turn-message"
      data-position={message.position}
    >
      <header>
        <strong>{say(word(ROLES, message.role))}</strong>
        <span className="muted">{say(word(ORIGINS, message.origin))}</span>
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

/** Whether the request is known as it was sent. */
function Recorded({ turn }: { turn: Turn }) {
  if (turn.proved === null)
    return (
      <span className="muted" data-testid="turn-proof" data-proved="unknown">
        <Trans>from the lines of the transcript; the client did not record the request</Trans>
      </span>
    );
  return (
    <span data-testid="turn-proof" data-proved={turn.proved}>
      {turn.proved ? (
        <Chip tone="add">
          <Trans>as sent, proved by its digest</Trans>
        </Chip>
      ) : (
        <>
          <Chip tone="warn">
            <Trans>not proved</Trans>
          </Chip>{" "}
          {turn.reason && <ProgramText text={turn.reason} />}
        </>
      )}
      {turn.source && <span className="muted mono"> {turn.source}</span>}
    </span>
  );
}

/** Place in a page of the message that holds the result of a tool use; -1 where it is not in it. */
function resultAt(turn: Turn, toolUse: string): number {
  return turn.messages.findIndex(({ blocks }) =>
    blocks.some((block) => block.tool_use_id === toolUse && block.block === "tool_result"),
  );
}

/** Before the first message of a request stand its system prompt and tools. */
const before = (turn: Turn) => (turn.from === 0 ? turn.preamble.length : 0);

function partsOf(turn: Turn): readonly TurnMessage[] {
  return before(turn) > 0 ? [...turn.preamble, ...turn.messages] : turn.messages;
}

/** Content of the panel. */
export interface TurnView {
  /** The request. */
  request: number;
  /** The tool use whose result is searched for, when a regret was opened. */
  toolUse: string | null;
}

/** The panel. */
export function TurnSheet({
  transcript,
  view,
  count,
  variant,
  onView,
  onClose,
}: {
  transcript: string;
  view: TurnView;
  count: number;
  variant: BenchVariant;
  onView: (view: TurnView) => void;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const nameOf = useVariantName();
  const { request, toolUse } = view;
  const [from, setFrom] = useState<number | null>(null);
  // The result is searched for until it is found or the person goes elsewhere.
  const [seeking, setSeeking] = useState(toolUse !== null);
  const [place, setPlace] = useState(request);
  if (place !== request) {
    setPlace(request);
    setFrom(null);
    setSeeking(toolUse !== null);
  }
  const [query, setQuery] = useState("");
  const find = useDeferredValue(query.trim());
  const read = useRead(
    "context_turn",
    {
      transcript,
      request,
      variant: plainVariant(variant),
      from,
      limit: PAGE,
      find: find === "" ? null : find,
    },
    { keepPrevious: true },
  );
  const turn = read.data;
  const found = turn && toolUse !== null ? resultAt(turn, toolUse) : -1;
  const further = seeking && turn !== undefined && found < 0 && turn.from > 0;
  // Set while rendering: the page that does not hold it is never drawn.
  if (further) setFrom(Math.max(0, turn.from - PAGE));
  const go = (to: number | null) => {
    setSeeking(false);
    setFrom(to);
  };
  const step = (by: number) => onView({ request: Math.max(0, Math.min(count - 1, request + by)), toolUse: null });
  const atEnd = turn ? turn.from + turn.messages.length >= turn.total : true;
  const cleared = turn?.messages.reduce((sum, { blocks }) => sum + blocks.filter((b) => b.cleared).length, 0) ?? 0;
  return (
    <Sheet
      title={t`Request ${request + 1} under ${nameOf(variant)}`}
      onClose={onClose}
      size="large"
      testId="turn-sheet"
      footer={
        <>
          <Button onPress={() => step(-1)} isDisabled={request === 0}>
            <Trans>Request before</Trans>
          </Button>
          <Button onPress={() => step(1)} isDisabled={request >= count - 1}>
            <Trans>Next request</Trans>
          </Button>
          <span className="spacer" />
          {toolUse !== null && (
            <>
              <Button onPress={() => setSeeking(true)} data-testid="to-cleared">
                <Trans>Cleared blocks</Trans>
              </Button>
              <Button onPress={() => go(null)} data-testid="to-answer">
                <Trans>The answer that needed it</Trans>
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="turn-bar">
        {turn && <Recorded turn={turn} />}
        <span className="spacer" />
        <input
          type="text"
          aria-label={t`Search this request`}
          placeholder={t`Search this request`}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            go(null);
          }}
          data-testid="turn-search"
        />
      </div>
      <Await read={read} rows={10}>
        {(data) =>
          data.messages.length + data.preamble.length === 0 ? (
            <Empty title={find === "" ? t`No messages` : t`Nothing in this request holds this text`} />
          ) : (
            <>
              <div className="turn-bar">
                <span className="muted num">
                  <Trans>
                    messages {format.number(Math.min(data.total, data.from + 1))}–
                    {format.number(data.from + data.messages.length)} of {format.number(data.total)}
                  </Trans>
                  {cleared > 0 && (
                    <>
                      {" · "}
                      <Trans>{cleared} blocks of these would be gone</Trans>
                    </>
                  )}
                </span>
                <span className="spacer" />
                <Button tone="quiet" isDisabled={data.from === 0} onPress={() => go(Math.max(0, data.from - PAGE))}>
                  <Trans>Earlier</Trans>
                </Button>
                <Button
                  tone="quiet"
                  isDisabled={atEnd}
                  onPress={() => go(data.from + PAGE + PAGE >= data.total ? null : data.from + PAGE)}
                >
                  <Trans>Later</Trans>
                </Button>
              </div>
              <VirtualRows
                key={`${data.request} ${data.from} ${find}`}
                items={partsOf(data)}
                keyOf={(message) => `${message.origin} ${message.position}`}
                estimate={160}
                className="turn-messages"
                role="region"
                aria-label={t`Messages`}
                tabIndex={0}
                reveal={seeking && found >= 0 ? found + before(data) : find === "" ? partsOf(data).length - 1 : 0}
                revealAt={seeking && found >= 0 ? "center" : "auto"}
              >
                {(message) => <Message message={message} pointed={toolUse} find={find} />}
              </VirtualRows>
            </>
          )
        }
      </Await>
    </Sheet>
  );
}
