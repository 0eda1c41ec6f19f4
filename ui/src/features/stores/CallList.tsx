/** The calls that were made to hosts: every one, with what went out and what came back. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { RemoteCall } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment } from "@/shared/labels";
import { TableHead, numbers } from "@/shared/TableHead";
import { Chip, Empty } from "@/shared/ui";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

/** The calls, newest first. */
export function CallList({ calls }: { calls: readonly RemoteCall[] }) {
  const { t } = useLingui();
  const format = useFormat();
  if (calls.length === 0)
    return (
      <Empty title={t`No calls`}>
        <Trans>No host was called since the program started.</Trans>
      </Empty>
    );
  return (
    <div className={classes("table-box", css.callList)}>
      <table className="table" aria-label={t`Calls to hosts`}>
        <TableHead
          columns={[t`when`, t`method`, t`address`, numbers(t`sent`), numbers(t`received`), numbers(t`answer`)]}
        />
        <tbody>
          {calls.map((call, at) => (
            <tr key={`${call.at} ${at}`} data-testid="remote-call">
              <td>
                <Moment at={call.at} form="time" />
              </td>
              <td className="mono">{call.method}</td>
              <td className={classes("mono", css.callAddress)}>{call.address}</td>
              <td className="cell-end num">{format.bytes(call.sent)}</td>
              <td className="cell-end num">{format.bytes(call.received)}</td>
              <td className="cell-end num">
                {call.status === null ? (
                  <Chip tone="warn">
                    <Trans>none</Trans>
                  </Chip>
                ) : call.status >= 400 ? (
                  <Chip tone="warn">{String(call.status)}</Chip>
                ) : (
                  call.status
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
