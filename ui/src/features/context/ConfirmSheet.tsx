/**
 * Checks forecasts with `count_tokens`. First the plan: how many calls, how much, where to, with which key. Nothing is
 * sent before it was agreed to.
 */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Confirmed, ConfirmedPoint, ConfirmPlan } from "@/bindings";
import { CounterKeyForm, KeySource } from "@/shared/CounterKey";
import { useFormat } from "@/shared/format";
import { ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { Await, Button, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { Figure } from "./Figure";
import { JobProgress } from "@/shared/JobProgress";
import { TableHead, numbers } from "@/shared/TableHead";
import { useJob } from "@/state/jobs";
import { type BenchVariant, plainVariant } from "./lab";
import { useVariantName } from "./VariantEditor";

/** Requests that are checked. */
const POINTS = 4;

function Plan({ plan }: { plan: ConfirmPlan }) {
  const format = useFormat();
  return (
    <>
      <dl className="facts facts-wide" data-testid="confirm-plan">
        <dt>
          <Trans>calls to make</Trans>
        </dt>
        <dd>
          <b className="num">{format.number(plan.calls)}</b>
          {plan.cached > 0 && (
            <span className="muted">
              {" "}
              <Plural value={plan.cached} one="# answer is known already" other="# answers are known already" />
            </span>
          )}
        </dd>
        <dt>
          <Trans>to send</Trans>
        </dt>
        <dd className="num">{format.bytes(plan.bytes)}</dd>
        <dt>
          <Trans>what</Trans>
        </dt>
        <dd>
          <ProgramText text={plan.what} />
        </dd>
        <dt>
          <Trans>to</Trans>
        </dt>
        <dd className="mono">{plan.base_url}</dd>
        <dt>
          <Trans>with</Trans>
        </dt>
        <dd>
          <KeySource source={plan.key_source} />
        </dd>
        <dt>
          <Trans>requests</Trans>
        </dt>
        <dd className="num">{plan.requests.map((index) => format.number(index + 1)).join(", ")}</dd>
      </dl>
      {plan.limits.length > 0 && (
        <div className="notice notice-warning">
          <ul>
            {plan.limits.map((limit) => (
              <li key={limit.text}>
                <ProgramText text={limit} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Point({ point }: { point: ConfirmedPoint }) {
  const format = useFormat();
  const exact = (value: number | null) =>
    value === null ? <span className="muted">–</span> : <Figure text={format.number(value)} kind="exact" />;
  return (
    <tr data-testid="confirmed-point">
      <th scope="row" className="num">
        {format.number(point.request + 1)}
      </th>
      <td className="cell-end">
        <Figure text={format.number(point.forecast_before)} kind="counted offline" />
      </td>
      <td className="cell-end">{exact(point.exact_before)}</td>
      <td className="cell-end">
        <Figure text={format.number(point.forecast_after)} kind="counted offline" />
      </td>
      <td className="cell-end">{exact(point.exact_after)}</td>
      <td className="cell-end num">
        {point.error_percent === null ? (
          <span className="text-del">{point.problem && <ProgramText text={point.problem} />}</span>
        ) : (
          format.change(point.error_percent / 100)
        )}
      </td>
    </tr>
  );
}

function Results({ confirmed }: { confirmed: Confirmed }) {
  const { t } = useLingui();
  return (
    <>
      {confirmed.cancelled && (
        <div className="notice notice-warning">
          <Trans>Stopped before its end. These are the answers so far.</Trans>
        </div>
      )}
      <div className="table-box">
        <table className="table" data-testid="confirmed">
          <TableHead
            columns={[
              t`request`,
              numbers(t`forecast before`),
              numbers(t`exact before`),
              numbers(t`forecast after`),
              numbers(t`exact after`),
              numbers(t`error`),
            ]}
          />
          <tbody>
            {confirmed.points.map((point) => (
              <Point key={point.request} point={point} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function KeyHere() {
  const read = useRead("counter_status", {});
  return read.data ? <CounterKeyForm status={read.data} /> : null;
}

/** Asking for the calls, once somebody agrees to them. */
function useConfirm(transcript: string, variant: BenchVariant) {
  const backend = useBackend();
  const queries = useQueryClient();
  const job = useJob("confirm");
  const [confirmed, setConfirmed] = useState<Confirmed | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const request = {
    transcript,
    variant: plainVariant(variant),
    points: POINTS,
  };
  // Asked anew each time: what is known already and where the key comes from may have changed.
  useEffect(() => () => queries.removeQueries({ queryKey: ["context_confirm"] }), [queries]);
  const plan = useRead("context_confirm", { ...request, agreed: false });
  const agree = () =>
    job.run(async (name) => {
      setFailure(null);
      try {
        setConfirmed(await backend.call("context_confirm", { ...request, agreed: true, job: name }));
      } catch (cause) {
        setFailure(cause);
      }
    });
  const ready = plan.data !== undefined && (plan.data.plan.key_source !== null || plan.data.plan.calls === 0);
  return { job, plan, ready, confirmed, failure, agree };
}

/** The dialog. */
export function ConfirmSheet({
  transcript,
  variant,
  onClose,
}: {
  transcript: string;
  variant: BenchVariant;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const { job, plan, ready, confirmed, failure, agree } = useConfirm(transcript, variant);
  return (
    <Sheet
      title={t`Confirm ${nameOf(variant)} with count_tokens`}
      onClose={onClose}
      size="medium"
      testId="confirm-sheet"
      footer={
        <>
          <span className="muted" data-testid="confirm-state">
            {confirmed ? (
              <Trans>The calls are listed in Settings.</Trans>
            ) : job.name ? (
              <Trans>Sending…</Trans>
            ) : (
              <Trans>Nothing has been sent.</Trans>
            )}
          </span>
          <span className="spacer" />
          {!confirmed && (
            <Button
              tone="primary"
              isDisabled={!ready}
              isPending={job.name !== null}
              onPress={() => void agree()}
              data-testid="confirm-agree"
            >
              {plan.data ? (
                <Plural value={plan.data.plan.calls} one="Agree and send # call" other="Agree and send # calls" />
              ) : (
                t`Agree and send`
              )}
            </Button>
          )}
          <Button onPress={onClose}>
            <Trans>Close</Trans>
          </Button>
        </>
      }
    >
      <Await read={plan} rows={7}>
        {(data) => (
          <>
            {!confirmed && job.name === null && (
              <div className="notice">
                <Trans>Nothing has been sent yet. This is what would be, once you agree:</Trans>
              </div>
            )}
            {!confirmed && <Plan plan={data.plan} />}
            {!confirmed && data.plan.key_source === null && data.plan.calls > 0 && <KeyHere />}
          </>
        )}
      </Await>
      {job.name !== null && <JobProgress job={job} label={t`asking`} />}
      {failure !== null && <Failure error={failure} />}
      {confirmed && <Results confirmed={confirmed} />}
    </Sheet>
  );
}
