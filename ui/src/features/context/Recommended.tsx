/** One recommended setting with its price, from a sweep over the run. It comes after the answer, which does not wait for it. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Recommendation, SweepPoint } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Button, Failure } from "@/shared/ui";
import { useObservable } from "@/state/observable";
import { useRead } from "@/state/queries";
import css from "./answer.module.css";
import { assumed } from "./assumed";
import { AtLeast } from "./AtLeast";

/** What it would have saved, and what would be read again. */
function Saved({ found, best, recorded }: { found: Recommendation; best: SweepPoint; recorded: number | null }) {
  const { t } = useLingui();
  const format = useFormat();
  const { input_change: input, cost_change_usd: cost, baseline } = found;
  const again = found.read_again;
  return (
    <dl className={css.recommendedFigures}>
      {input !== null && (
        <div>
          <dt>{t`input`}</dt>
          <dd className={input < 0 ? "text-add" : undefined} data-testid="recommended-input">
            {format.wholeChange(input)}
          </dd>
        </div>
      )}
      {cost !== null && baseline.cost_usd !== null && (
        <div>
          <dt>
            {format.dollars(baseline.cost_usd) === format.dollars(recorded ?? baseline.cost_usd) ? (
              <Trans>of {format.dollars(baseline.cost_usd)}</Trans>
            ) : (
              <Trans>of {format.dollars(baseline.cost_usd)} simulated</Trans>
            )}
          </dt>
          <dd className={cost < 0 ? "text-add" : undefined} data-testid="recommended-cost">
            {format.dollarChange(cost)}
          </dd>
        </div>
      )}
      <div title={t`Results that ${best.variant.name} clears and that the run needed later`}>
        <dt>
          <Plural value={again} one="result read again" other="results read again" />
        </dt>
        <dd data-testid="recommended-again">{format.number(again)}</dd>
      </div>
    </dl>
  );
}

function Why({ found }: { found: Recommendation }) {
  return (
    <ul className={css.why} id="recommended-why" data-testid="recommended-why">
      {found.why.map((reason) => (
        <li key={reason.text}>
          <ProgramText text={reason} />
        </li>
      ))}
      {found.warnings.map(({ code, message }) => (
        <li key={`${code} ${message.text}`}>
          <ProgramText text={message} />
        </li>
      ))}
      <li>
        <AtLeast fast={found.requests_fast_without_price} />
      </li>
    </ul>
  );
}

/** Props of the card. */
interface RecommendedProps {
  transcript: string;
  /** Price of the run as recorded; null where it has none. */
  recorded: number | null;
  /** Takes the setting along. */
  onTry: (point: SweepPoint) => void;
}

/** What was found. */
function Found({ found, recorded, onTry }: { found: Recommendation } & Omit<RecommendedProps, "transcript">) {
  const [open, setOpen] = useState(false);
  const { best } = found;
  const tried = found.tried;
  return (
    <>
      <div>
        <h2 id="recommended-title" data-testid="recommended-what">
          {best ? (
            <Trans>
              Recommended: <ProgramText text={best.what} />
            </Trans>
          ) : (
            <Trans>No setting is recommended</Trans>
          )}
        </h2>
        {tried > 0 && (
          <p className="small muted">
            {best ? (
              <Plural
                value={tried}
                one="the best of # setting tried on this run"
                other="the best of # settings tried on this run"
              />
            ) : (
              <Plural value={tried} one="# setting tried on this run" other="# settings tried on this run" />
            )}
          </p>
        )}
      </div>
      {best && <Saved found={found} best={best} recorded={recorded} />}
      <div className={css.recommendedActs}>
        {best && (
          <Button
            aria-expanded={open}
            aria-controls="recommended-why"
            onPress={() => setOpen(!open)}
            data-testid="why-recommended"
          >
            <Trans>Why</Trans>
          </Button>
        )}
        {best && (
          <Button tone="primary" onPress={() => onTry(best)} data-testid="try-recommended">
            <Trans>Try</Trans>
          </Button>
        )}
      </div>
      {(open || !best) && <Why found={found} />}
    </>
  );
}

/** Reads the recommendation for a run under what is assumed. */
export function useRecommendation(transcript: string) {
  const { model, cache_ttl } = useObservable(assumed);
  return useRead("context_recommend", { transcript, job: null, model, cache_ttl });
}

/** The card. While settings are tried it says so in its place. */
export function Recommended({ transcript, recorded, onTry }: RecommendedProps) {
  const { data, error } = useRecommendation(transcript);
  return (
    <section
      className={css.recommended}
      aria-labelledby="recommended-title"
      aria-busy={!data && !error}
      data-testid="recommended"
    >
      {data ? (
        <Found key={transcript} found={data} recorded={recorded} onTry={onTry} />
      ) : error ? (
        <Failure error={error} />
      ) : (
        <h2 id="recommended-title" className="muted" role="status">
          <span className="spinner" aria-hidden /> <Trans>Trying settings on this run…</Trans>
        </h2>
      )}
    </section>
  );
}
