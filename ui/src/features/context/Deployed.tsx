/** After deployment: what the server said it edited, beside what the simulator forecasts for the setting in force. */
import { Trans, useLingui } from "@lingui/react/macro";
import { memo } from "react";
import type { DeployedRequest } from "@/bindings";
import { useFormat } from "@/shared/format";
import { TableHead, numbers } from "@/shared/TableHead";
import { Button } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { isObject } from "./setting";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import panelsCss from "./panels.module.css";

/** An entry of `applied_edits` in a few words: how many, how much. */
export function editWords(edit: unknown): string {
  if (!isObject(edit)) return JSON.stringify(edit);
  const { type, ...rest } = edit;
  const parts = Object.entries(rest).map(
    ([field, value]) => `${field.replace(/^cleared_/, "")} ${JSON.stringify(value)}`,
  );
  return [String(type), ...parts].join(", ");
}

function Edits({ edits }: { edits: readonly unknown[] }) {
  if (edits.length === 0)
    return (
      <span className="muted">
        <Trans>nothing</Trans>
      </span>
    );
  return (
    <ul>
      {edits.map((edit, at) => (
        <li key={at} className="mono">
          {editWords(edit)}
        </li>
      ))}
    </ul>
  );
}

function Row({ request, onOpen }: { request: DeployedRequest; onOpen: (index: number) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <tr data-testid="deployed-row">
      <th scope="row">
        <Button
          tone="quiet"
          onPress={() => onOpen(request.index)}
          aria-label={t`Messages of request ${request.index + 1}`}
        >
          {format.number(request.index + 1)}
        </Button>
      </th>
      <td>
        <Edits edits={request.forecast} />
      </td>
      <td>
        <Edits edits={request.reported} />
      </td>
      <td className="cell-end num">
        {request.error_percent === null ? t`not compared` : format.change(request.error_percent / 100)}
      </td>
    </tr>
  );
}

/** Rows that are shown; the terminal lists all. */
const MAX_ROWS = 200;

/** The panel; nothing where no response reported edits. */
export const DeployedPanel = memo(function DeployedPanel({
  transcript,
  onOpen,
}: {
  transcript: string;
  onOpen: (index: number) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const { data } = useRead("context_deployed", { transcript, variant: null });
  if (!data || data.reporting === 0) return null;
  return (
    <section
      className={classes(labCss.card, panelsCss.deployed)}
      aria-labelledby="deployed-title"
      data-testid="deployed"
    >
      <h2 id="deployed-title">
        <Trans>After deployment</Trans>
      </h2>
      <p className="muted">
        <Trans>
          {format.number(data.reporting)} requests of this run say what the server edited. Of these{" "}
          {format.number(data.agreeing)} agree with the forecast in what was cleared.
        </Trans>
      </p>
      {data.requests.length > 0 && (
        <div className="table-box">
          <table className="table">
            <TableHead columns={[t`request`, t`forecast`, t`reported`, numbers(t`error`)]} />
            <tbody>
              {data.requests.slice(0, MAX_ROWS).map((request) => (
                <Row key={request.index} request={request} onOpen={onOpen} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
});
