/** Panels beside the chart: the figures of a variant, what it is regretted for, what a request is made of. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type {
  Composition,
  ContextClasses,
  ContextFile,
  ContextShow,
  NamedTokens,
  Regret,
  Simulation,
} from "@/bindings";
import { useFormat } from "@/shared/format";
import { LineText } from "@/shared/LineText";
import { hiddenIn } from "@/shared/hidden";
import { Button, useWords } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { AtLeast } from "./AtLeast";
import { Change, Figure } from "./Figure";
import { BASE, type Letter } from "./lab";
import { PartialTokens } from "./PartialTokens";

/** Peak, price, and when a clearing has paid for itself. */
export const Figures = memo(function Figures({
  simulation,
  base,
  letter,
}: {
  simulation: Simulation;
  base: Simulation | null;
  letter: Letter;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const { totals } = simulation;
  const own = letter !== BASE;
  const payback = totals.pays_back_after;
  return (
    <section className="card figures" aria-label={t`Figures of variant ${letter}`} data-testid="figures">
      <p className="muted">
        <Trans>Peak context</Trans>
      </p>
      <p className="big">
        <Figure text={format.compact(totals.peak)} kind={totals.kind} range={totals.range_percent} />
        {own && <Change value={totals.peak} base={base?.totals.peak} />}
      </p>
      <p className="muted">
        <Trans>Cost of the run</Trans>
      </p>
      <p className="big">
        {totals.cost_usd === null ? (
          <span className="muted unknown-price">
            <Trans>no price for this model</Trans>
          </span>
        ) : (
          <span className="num">
            {totals.requests_fast_without_price > 0 && "≥\u202f"}
            {format.dollars(totals.cost_usd)}
          </span>
        )}
        {own && <Change value={totals.cost_usd} base={base?.totals.cost_usd} />}
      </p>
      <AtLeast fast={totals.requests_fast_without_price} />
      {own && (
        <>
          <p className="muted">
            <Trans>Each clearing pays back after</Trans>
          </p>
          <p className="big">
            {totals.clears === 0 ? (
              <span className="unknown-price muted">
                <Trans>nothing is cleared</Trans>
              </span>
            ) : payback === null ? (
              <span className="unknown-price text-del">
                <Trans>not within this run</Trans>
              </span>
            ) : (
              t`${format.decimal(payback)} requests`
            )}
          </p>
        </>
      )}
    </section>
  );
});

const RULES: Record<string, MessageDescriptor> = {
  read_again: msg`read again`,
  run_again: msg`run again`,
  quoted: msg`quoted`,
  edited_against: msg`edited against`,
};

/** Untrusted text on one line: only ever text, hidden characters visible. */
export function SafeText({ text, most = 160 }: { text: string; most?: number }) {
  const line = text.replace(/\s+/g, " ").trim();
  const shown = line.length > most ? `${line.slice(0, most)}…` : line;
  return <LineText text={shown} hidden={hiddenIn(shown)} />;
}

/** A label with long paths cut from the front: their ends are what people know them by. */
export function shortLabel(label: string): string {
  return label.replace(/(?:[^\s/]*\/){3,}([^\s/]+\/[^\s/]+)/g, "…/$1");
}

/** So many regrets are listed at first. */
const FIRST_REGRETS = 3;

/** Results that were cleared and needed later. */
export const Regrets = memo(function Regrets({
  regrets,
  onOpen,
}: {
  regrets: readonly Regret[];
  onOpen: (regret: Regret) => void;
}) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const shown = all ? regrets : regrets.slice(0, FIRST_REGRETS);
  return (
    <section className="card" aria-label={t`Cleared, then needed`} data-testid="regrets">
      <h2>
        <Trans>Cleared, then needed</Trans>
        {regrets.length > 0 && <span className="muted num"> {format.number(regrets.length)}</span>}
      </h2>
      {regrets.length === 0 && (
        <p className="muted">
          <Trans>Nothing that this setting clears was needed again in this run.</Trans>
        </p>
      )}
      <ul className="regret-list">
        {shown.map((regret) => {
          const rule = RULES[regret.rule];
          const word = rule ? say(rule) : regret.rule;
          return (
            <li key={`${regret.tool_use_id} ${regret.needed_at}`}>
              <AriaButton
                className="regret"
                onPress={() => onOpen(regret)}
                data-testid="regret"
                data-needed={regret.needed_at}
              >
                <span className="mono regret-label" title={regret.label}>
                  <SafeText text={shortLabel(regret.label)} most={80} />
                </span>
                <span className="muted">
                  <Trans>
                    cleared at request {regret.cleared_at + 1}, {word} at {regret.needed_at + 1}
                  </Trans>
                  {" · "}
                  <Figure text={format.number(regret.tokens)} kind="counted offline" /> <Trans>tokens</Trans>
                </span>
              </AriaButton>
            </li>
          );
        })}
      </ul>
      {regrets.length > shown.length && (
        <Button tone="quiet" onPress={() => setAll(true)}>
          <Trans>All {regrets.length}</Trans>
        </Button>
      )}
    </section>
  );
});

const CLASSES: readonly [keyof ContextClasses, MessageDescriptor][] = [
  ["system", msg`system + tools`],
  ["instructions", msg`instructions`],
  ["memory", msg`memory`],
  ["tool_results", msg`tool results`],
  ["tool_inputs", msg`tool inputs`],
  ["text", msg`text`],
  ["thinking", msg`thinking`],
  ["attachments", msg`attachments`],
  ["not_recorded", msg`not recorded`],
];

/** A request's details are asked for when the cursor has stood still so long, in milliseconds. */
const REST_MS = 140;

/** The value, once it has stopped changing. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), REST_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return rested;
}

function Parts({ title, parts }: { title: string; parts: readonly NamedTokens[] }) {
  const format = useFormat();
  if (parts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="parts">
        {parts.slice(0, 8).map(({ name, count, tokens }) => (
          <li key={name}>
            <span className="part-name" title={name}>
              <SafeText text={shortLabel(name)} />
              {count > 1 && <span className="muted num"> ×{format.number(count)}</span>}
            </span>
            <Figure text={format.number(tokens)} kind="counted offline" />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The system prompt and the definitions of tools, the largest first. */
function systemParts({ system_prompt: tokens, tools }: Composition, name: string): readonly NamedTokens[] {
  return tokens > 0 ? [...tools, { name, count: 1, tokens }].sort((a, b) => b.tokens - a.tokens) : tools;
}

/** Composition of the request under the cursor. */
export const CompositionPanel = memo(function CompositionPanel({
  show,
  cursor,
  simulation,
  letter,
  onOpen,
}: {
  show: ContextShow;
  cursor: number;
  simulation: Simulation | null;
  letter: Letter;
  onOpen: (index: number) => void;
}) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const rested = useRested(cursor);
  const detail = useRead(
    "context_composition",
    { transcript: show.transcript, request: rested },
    { keepPrevious: true },
  );
  const request = show.requests[cursor];
  if (!request) return null;
  const after = simulation?.requests[cursor];
  const known = detail.data && detail.data.request === cursor ? detail.data : null;
  const whole = Math.max(1, request.context);
  const counted = show.family_range_percent === null ? "counted offline" : "estimated";
  const over = request.classes.over_counted;
  return (
    <section className="card" aria-label={t`Composition of request ${cursor + 1}`} data-testid="composition">
      <h2>
        <Trans>Request {cursor + 1} is made of</Trans>
      </h2>
      <table className="composition">
        <tbody>
          {CLASSES.filter(([field]) => request.classes[field] !== 0).map(([field, word]) => (
            <tr key={field} data-class={field}>
              <th scope="row">
                {field === "not_recorded" && request.rests_on === "request" ? <Trans>framing</Trans> : say(word)}
              </th>
              <td className="share">
                <span
                  className={`share-bar share-${field}`}
                  style={{ width: `${Math.max(0, Math.min(1, request.classes[field] / whole)) * 100}%` }}
                  aria-hidden
                />
              </td>
              <td className="cell-end">
                <Figure
                  text={format.number(request.classes[field])}
                  kind={field === "not_recorded" ? request.kind : counted}
                />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              <Trans>context</Trans>
            </th>
            <td className="cell-end">
              <Figure text={format.number(request.context)} kind={request.kind} />
            </td>
          </tr>
          {after && after.after !== request.context && (
            <tr>
              <th scope="row" colSpan={2}>
                <Trans>with {letter}</Trans>
              </th>
              <td className="cell-end">
                <Figure text={format.number(after.after)} kind={after.kind} range={rangePercent(after)} />
              </td>
            </tr>
          )}
        </tfoot>
      </table>
      {over > 0 && (
        <p className="muted small" data-testid="over-counted">
          <Trans>
            The counts came out {format.number(over)} tokens higher than what was recorded, and were brought down to it.
          </Trans>
        </p>
      )}
      <p className="muted small" data-testid="rests-on" data-rests-on={request.rests_on}>
        {request.rests_on === "request" ? (
          <Trans>Made of the request as it was sent, proved by its digest. Framing is what the API adds.</Trans>
        ) : request.proved === false ? (
          <Trans>The client recorded the request, but it is not proved. Made of the lines of the transcript.</Trans>
        ) : (
          <Trans>Made of the lines of the transcript.</Trans>
        )}
      </p>
      <Button onPress={() => onOpen(cursor)} keys="o" data-testid="open-turn">
        <Trans>Messages of this request</Trans>
      </Button>
      {known && (
        <div className="composition-detail">
          <Parts title={t`System prompt and tools`} parts={systemParts(known, t`system prompt`)} />
          <Parts title={t`Added by the client`} parts={known.attachments} />
          <Parts title={t`Results by tool`} parts={known.tool_results} />
          <Parts title={t`Inputs by tool`} parts={known.tool_inputs} />
          <Parts title={t`Files`} parts={known.files} />
          <Parts
            title={t`Largest blocks`}
            parts={known.largest.map(({ label, tokens, since_request }) => ({
              name: t`${label}, since ${since_request + 1}`,
              count: 1,
              tokens,
            }))}
          />
        </div>
      )}
    </section>
  );
});

/** Half the width of an estimate's range in percent; null where it has none. */
export function rangePercent({ after, range }: Simulation["requests"][number]): number | null {
  return range && after > 0 ? ((range[1] - range[0]) / 2 / after) * 100 : null;
}

/** The memory and instruction files of the run, with what carrying them cost. */
export const MemoryFiles = memo(function MemoryFiles({
  files,
  onAll,
}: {
  files: readonly ContextFile[];
  onAll: () => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <section className="card" aria-label={t`Memory files`} data-testid="memory-files">
      <h2>
        <Trans>Memory and instructions</Trans>
      </h2>
      {files.length === 0 && (
        <p className="muted">
          <Trans>This transcript does not record what was loaded.</Trans>
        </p>
      )}
      <ul className="file-prices">
        {files.slice(0, 8).map((file) => (
          <li key={file.path}>
            <span className="part-name mono" title={file.path}>
              <bdi>{file.path}</bdi>
            </span>
            <span className="muted">
              <PartialTokens tokens={file.tokens} partial={file.partial} /> <Trans>tokens</Trans> ·{" "}
              <Plural value={file.requests} one="# request" other="# requests" />
              {file.cost_usd !== null && (
                <>
                  {" "}
                  · <span className="num">{format.dollars(file.cost_usd)}</span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <Button tone="quiet" onPress={onAll} data-testid="all-memory-prices">
        <Trans>Over all sessions…</Trans>
      </Button>
    </section>
  );
});
