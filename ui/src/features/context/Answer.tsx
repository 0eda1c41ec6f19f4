/** The sentence a run opens on: what its largest context was made of, the largest part first. The figures add up. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Fragment, useMemo } from "react";
import type { AnswerPart, ContextAnswer, ContextShow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { Chip } from "@/shared/ui";
import css from "./answer.module.css";
import { partKey, tonesOf, usePartName } from "./parts";
import partsCss from "./parts.module.css";

function Named({ part, name, tone }: { part: AnswerPart; name: string; tone: string | undefined }) {
  const format = useFormat();
  return (
    <span className={classes(partsCss.underlined, tone)} title={format.number(part.tokens)} data-testid="answer-part">
      {name} {format.compact(part.said)}
    </span>
  );
}

function Parts({ show, answer }: { show: ContextShow; answer: ContextAnswer }) {
  const { t } = useLingui();
  const format = useFormat();
  const nameOf = usePartName();
  const tones = useMemo(() => tonesOf(show.parts), [show.parts]);
  const restsOn = show.requests[answer.request]?.rests_on ?? "transcript";
  const rest = answer.rest && answer.rest.said > 0 ? answer.rest : null;
  const said = format.compact(rest?.said ?? 0);
  // What stands between two parts of a list, as the language writes it.
  const between = t({ message: ", ", comment: "between two parts of a list in a sentence" });
  return (
    <>
      {answer.parts.map((part, at) => (
        <Fragment key={partKey(part)}>
          {at > 0 && between}
          <Named part={part} name={nameOf(part, restsOn)} tone={tones.get(partKey(part))} />
        </Fragment>
      ))}
      {rest && (
        <>
          {between}
          <span title={format.number(rest.tokens)}>
            <Trans>the rest {said}</Trans>
          </span>
        </>
      )}
    </>
  );
}

/** The answer. */
export function Answer({ show }: { show: ContextShow }) {
  const format = useFormat();
  const { answer } = show;
  if (!answer) return null;
  const request = format.number(answer.request + 1);
  const tokens = format.compact(answer.said);
  return (
    <p className={css.answer} data-testid="answer" data-said={answer.said}>
      <Trans>
        At its peak (<b>request {request}</b>) this run held <b>{tokens} tokens</b>:{" "}
        <Parts show={show} answer={answer} />.
      </Trans>
    </p>
  );
}

/** How much of a run is proved; nothing where the client records no requests. */
export function Proved({ show }: { show: ContextShow }) {
  const { t } = useLingui();
  const format = useFormat();
  const all = show.requests.length;
  const proved = show.proved_requests;
  if (!show.requests.some((request) => request.proved !== null)) return null;
  const whole = proved === all;
  return (
    <Chip
      tone={whole ? "add" : "plain"}
      title={t`Each request was rebuilt from what the client recorded, and its digest compared with the recorded one.`}
      data-testid="proved"
    >
      {whole ? (
        <Trans>exact, proved by digest</Trans>
      ) : (
        <Trans>
          proved for {format.number(proved)} of {format.number(all)} requests
        </Trans>
      )}
    </Chip>
  );
}
