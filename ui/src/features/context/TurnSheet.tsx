/**
 * The messages of one request, with what a setting would have taken out struck through and labelled. The texts are other
 * people's: they are only ever text, and what a reader would not see gets a mark.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { useDeferredValue, useState } from "react";
import type { Turn, TurnMessage } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Await, Button, Chip, Empty } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useRead } from "@/state/queries";
import { type BenchVariant, plainVariant } from "./lab";
import { MarkChip, markedMessage, MarksProvider, useMarked, useMarks } from "./marks";
import { TurnMessageView } from "./TurnMessage";
import { useVariantName } from "./VariantEditor";
import css from "./sheets.module.css";

/** So many messages at once. */
const PAGE = 400;

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

/** Place of the result that is searched for; -1 where none is, or where it is not in this page. */
const foundIn = (turn: Turn, toolUse: string | null) => (toolUse === null ? -1 : resultAt(turn, toolUse));

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

/** Place in the messages of a request, page by page. */
interface TurnPages {
  /** The page that is read. */
  from: number | null;
  /** True while the result of the tool use is searched for. */
  seeking: boolean;
  /** Searches for the result of the tool use. */
  seek: () => void;
  /** Reads the page that begins there; null for the last. */
  go: (to: number | null) => void;
  /** Goes back by one page while the result is searched for and is not in this one. */
  lookIn: (turn: Turn | undefined) => void;
}

function useTurnPages({ request, toolUse }: TurnView): TurnPages {
  const [from, setFrom] = useState<number | null>(null);
  // The result is searched for until it is found or the person goes elsewhere.
  const [seeking, setSeeking] = useState(toolUse !== null);
  const [place, setPlace] = useState(request);
  if (place !== request) {
    setPlace(request);
    setFrom(null);
    setSeeking(toolUse !== null);
  }
  return {
    from,
    seeking,
    seek: () => setSeeking(true),
    go: (to) => {
      setSeeking(false);
      setFrom(to);
    },
    lookIn: (turn) => {
      const further = seeking && turn !== undefined && foundIn(turn, toolUse) < 0 && turn.from > 0;
      // Set while rendering: the page that does not hold it is never drawn.
      if (further) setFrom(Math.max(0, turn.from - PAGE));
    },
  };
}

/** Which messages of how many are shown, and the way to the others. */
function PageBar({ turn, go }: { turn: Turn; go: TurnPages["go"] }) {
  const format = useFormat();
  const atEnd = turn.from + turn.messages.length >= turn.total;
  const cleared = turn.messages.reduce((sum, { blocks }) => sum + blocks.filter((b) => b.cleared).length, 0);
  return (
    <div className={css.turnBar}>
      <span className="muted num">
        <Trans>
          messages {format.number(Math.min(turn.total, turn.from + 1))}–
          {format.number(turn.from + turn.messages.length)} of {format.number(turn.total)}
        </Trans>
        {cleared > 0 && (
          <>
            {" · "}
            <Trans>{cleared} of these blocks would be cleared</Trans>
          </>
        )}
      </span>
      <span className="spacer" />
      <Button tone="quiet" isDisabled={turn.from === 0} onPress={() => go(Math.max(0, turn.from - PAGE))}>
        <Trans>Earlier</Trans>
      </Button>
      <Button
        tone="quiet"
        isDisabled={atEnd}
        onPress={() => go(turn.from + PAGE + PAGE >= turn.total ? null : turn.from + PAGE)}
      >
        <Trans>Later</Trans>
      </Button>
    </div>
  );
}

/** The messages of one page. */
function Messages({
  turn,
  toolUse,
  seeking,
  find,
}: {
  turn: Turn;
  toolUse: string | null;
  seeking: boolean;
  find: string;
}) {
  const { t } = useLingui();
  const parts = partsOf(turn);
  const found = foundIn(turn, toolUse);
  const sought = seeking && found >= 0;
  const marked = markedMessage(parts, useMarked());
  const place = sought ? found + before(turn) : marked >= 0 ? marked : find === "" ? parts.length - 1 : 0;
  return (
    <VirtualRows
      items={parts}
      keyOf={(message) => `${message.origin} ${message.position}`}
      estimate={160}
      className={css.turnMessages}
      role="region"
      aria-label={t`Messages`}
      tabIndex={0}
      reveal={place}
      revealAt={sought ? "center" : "auto"}
    >
      {(message) => <TurnMessageView message={message} pointed={toolUse} find={find} />}
    </VirtualRows>
  );
}

/** The search in the request, beside how it is known. */
function TurnSearch({
  turn,
  query,
  onQuery,
}: {
  turn: Turn | undefined;
  query: string;
  onQuery: (query: string) => void;
}) {
  const { t } = useLingui();
  const marks = useMarked();
  return (
    <div className={css.turnBar}>
      {turn && <Recorded turn={turn} />}
      {turn && <MarkChip marks={marks} messages={partsOf(turn)} />}
      <span className="spacer" />
      <input
        type="text"
        aria-label={t`Search this request`}
        placeholder={t`Search this request`}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        data-testid="turn-search"
      />
    </div>
  );
}

/** Neighbours of the request, and the two places that a regret is about. */
function TurnFooter({
  view,
  count,
  pages,
  onView,
}: {
  view: TurnView;
  count: number;
  pages: TurnPages;
  onView: (view: TurnView) => void;
}) {
  const { request, toolUse } = view;
  const step = (by: number) => onView({ request: Math.max(0, Math.min(count - 1, request + by)), toolUse: null });
  return (
    <>
      <Button onPress={() => step(-1)} isDisabled={request === 0}>
        <Trans>Previous request</Trans>
      </Button>
      <Button onPress={() => step(1)} isDisabled={request >= count - 1}>
        <Trans>Next request</Trans>
      </Button>
      <span className="spacer" />
      {toolUse !== null && (
        <>
          <Button onPress={pages.seek} data-testid="to-cleared">
            <Trans>Cleared blocks</Trans>
          </Button>
          <Button onPress={() => pages.go(null)} data-testid="to-answer">
            <Trans>The answer that needed it</Trans>
          </Button>
        </>
      )}
    </>
  );
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
  const nameOf = useVariantName();
  const { request, toolUse } = view;
  const pages = useTurnPages(view);
  const marks = useMarks();
  const [query, setQuery] = useState("");
  const find = useDeferredValue(query.trim());
  const read = useRead(
    "context_turn",
    {
      transcript,
      request,
      variant: plainVariant(variant),
      from: pages.from ?? (marks ? 0 : null),
      limit: PAGE,
      find: find === "" ? null : find,
    },
    { keepPrevious: true },
  );
  pages.lookIn(read.data);
  return (
    <Sheet
      title={marks ? t`What the model saw: request ${request + 1}` : t`Request ${request + 1} under ${nameOf(variant)}`}
      onClose={onClose}
      size="large"
      testId="turn-sheet"
      footer={<TurnFooter view={view} count={count} pages={pages} onView={onView} />}
    >
      <MarksProvider value={marks}>
        <TurnSearch
          turn={read.data}
          query={query}
          onQuery={(text) => {
            setQuery(text);
            pages.go(null);
          }}
        />
        <Await read={read} rows={10} doing={t`Rebuilding the request.`}>
          {(data) =>
            data.messages.length + data.preamble.length === 0 ? (
              <Empty title={find === "" ? t`No messages` : t`This text is nowhere in this request`} />
            ) : (
              <>
                <PageBar turn={data} go={pages.go} />
                <Messages
                  key={`${data.request} ${data.from} ${find}`}
                  turn={data}
                  toolUse={toolUse}
                  seeking={pages.seeking}
                  find={find}
                />
              </>
            )
          }
        </Await>
      </MarksProvider>
    </Sheet>
  );
}
