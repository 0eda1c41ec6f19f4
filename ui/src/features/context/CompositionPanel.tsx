/** What the request under the cursor is made of. */
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useEffect, useMemo, useState } from "react";
import type { Composition, ContextShow, FigureKind, NamedTokens, Simulation } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { Figure } from "./Figure";
import type { Letter } from "./lab";
import { partKey, tonesOf, usePartName } from "./parts";
import { rangePercent, SafeText, shortLabel } from "./panels";
import { classes } from "@/shared/classes";
import panelsCss from "./panels.module.css";
import labCss from "./lab.module.css";

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
    <section className={panelsCss.partsOf}>
      <h3>{title}</h3>
      <ul className={panelsCss.parts}>
        {/* Two blocks may be called the same. */}
        {parts.slice(0, 8).map(({ name, count, tokens }, at) => (
          <li key={`${at} ${name}`}>
            <span className={panelsCss.partName} title={name}>
              <SafeText text={shortLabel(name)} />
              {count > 1 && <span className="muted num"> ×{format.number(count)}</span>}
            </span>
            <Figure text={format.number(tokens)} kind="counted offline" />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The system prompt and the definitions of tools, the largest first. */
function systemParts({ system_prompt: tokens, tools }: Composition, name: string): readonly NamedTokens[] {
  return tokens > 0 ? [...tools, { name, count: 1, tokens }].sort((a, b) => b.tokens - a.tokens) : tools;
}

type RequestSize = ContextShow["requests"][number];
type SimulatedSize = Simulation["requests"][number];

/** Parts of the context of a request as the chart draws them, and their sum. */
function Classes({
  show,
  request,
  after,
  letter,
  counted,
}: {
  show: ContextShow;
  request: RequestSize;
  after: SimulatedSize | undefined;
  letter: Letter;
  counted: FigureKind;
}) {
  const format = useFormat();
  const nameOf = usePartName();
  const tones = useMemo(() => tonesOf(show.parts), [show.parts]);
  const whole = Math.max(1, request.context);
  const parts = [...show.parts]
    .reverse()
    .map((part) => ({ part, tokens: part.tokens[request.index] ?? 0 }))
    .filter(({ tokens }) => tokens > 0);
  return (
    <table className={panelsCss.composition}>
      <tbody>
        {parts.map(({ part, tokens }) => (
          <tr key={partKey(part)} data-part={partKey(part).trim()}>
            <th scope="row">{nameOf(part, request.rests_on)}</th>
            <td className={panelsCss.share}>
              <span
                className={classes(panelsCss.shareBar, tones.get(partKey(part)))}
                style={{ width: `${Math.max(0, Math.min(1, tokens / whole)) * 100}%` }}
                aria-hidden
              />
            </td>
            <td className="cell-end">
              <Figure text={format.number(tokens)} kind={part.class === "not_recorded" ? request.kind : counted} />
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
  );
}

/** What the figures of a request rest on. */
function RestsOn({ request }: { request: RequestSize }) {
  const format = useFormat();
  const over = request.classes.over_counted;
  return (
    <>
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
          <Trans>
            The client recorded the request, but it is not proved. Rebuilt from the lines of the transcript.
          </Trans>
        ) : (
          <Trans>Rebuilt from the lines of the transcript.</Trans>
        )}
      </p>
    </>
  );
}

/** The request by name: tools, files, and the largest blocks. */
function CompositionDetail({ known }: { known: Composition }) {
  const { t } = useLingui();
  return (
    <div className="composition-detail">
      <Parts title={t`System prompt and tools`} parts={systemParts(known, t`system prompt`)} />
      <Parts title={t`Added by the client`} parts={known.attachments} />
      <Parts title={t`Results by tool`} parts={known.tool_results} />
      <Parts title={t`Inputs by tool`} parts={known.tool_inputs} />
      <Parts title={t`Files`} parts={known.files} />
      <Parts
        title={t`Largest blocks`}
        parts={known.largest.map(({ label, tokens, since_request }) => ({
          name: t`${label}, since request ${since_request + 1}`,
          count: 1,
          tokens,
        }))}
      />
    </div>
  );
}

/** The details of the request under the cursor, once the cursor stands still. */
function useDetail(show: ContextShow, cursor: number): Composition | null {
  const rested = useRested(cursor);
  const { data } = useRead(
    "context_composition",
    { transcript: show.transcript, request: rested },
    { keepPrevious: true },
  );
  return data && data.request === cursor ? data : null;
}

/** The request under the cursor by name, for who has its classes already. */
export const RequestDetail = memo(function RequestDetail({ show, cursor }: { show: ContextShow; cursor: number }) {
  const { t } = useLingui();
  const known = useDetail(show, cursor);
  const request = show.requests[cursor];
  if (!request) return null;
  return (
    <section className={labCss.card} aria-label={t`Request ${cursor + 1} by name`} data-testid="request-detail">
      <RestsOn request={request} />
      {known && (
        <div className={panelsCss.columns}>
          <CompositionDetail known={known} />
        </div>
      )}
    </section>
  );
});

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
  const known = useDetail(show, cursor);
  const request = show.requests[cursor];
  if (!request) return null;
  const counted: FigureKind = show.family_range_percent === null ? "counted offline" : "estimated";
  return (
    <section className={labCss.card} aria-label={t`Composition of request ${cursor + 1}`} data-testid="composition">
      <h2>
        <Trans>Request {cursor + 1} is made of, in tokens</Trans>
      </h2>
      <Classes show={show} request={request} after={simulation?.requests[cursor]} letter={letter} counted={counted} />
      <RestsOn request={request} />
      <Button onPress={() => onOpen(cursor)} keys="o" data-testid="open-turn">
        <Trans>Messages of this request</Trans>
      </Button>
      {known && <CompositionDetail known={known} />}
    </section>
  );
});
