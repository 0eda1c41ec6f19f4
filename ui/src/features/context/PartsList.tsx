/** The figures of the request under the cursor, in the order and the colours of the chart's stack. */
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useMemo } from "react";
import type { ContextShow } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import css from "./answer.module.css";
import { Figure } from "./Figure";
import { partKey, tonesOf, usePartName } from "./parts";
import partsCss from "./parts.module.css";

/** The list. */
export const PartsList = memo(function PartsList({ show, cursor }: { show: ContextShow; cursor: number }) {
  const { t } = useLingui();
  const format = useFormat();
  const nameOf = usePartName();
  const tones = useMemo(() => tonesOf(show.parts), [show.parts]);
  const request = show.requests[cursor];
  if (!request) return null;
  const shown = [...show.parts].reverse().filter(({ tokens }) => (tokens[cursor] ?? 0) > 0);
  const counted = show.family_range_percent === null ? "counted offline" : "estimated";
  return (
    <table className={css.list} data-testid="parts-list">
      <caption>
        <Trans>Request {format.number(cursor + 1)}, in tokens</Trans>
      </caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t`part`}</th>
          <th scope="col">{t`tokens`}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((part) => (
          <tr key={partKey(part)} data-testid="parts-row" data-part={partKey(part).trim()}>
            <th scope="row">
              <span>
                <span className={classes(partsCss.swatch, tones.get(partKey(part)))} aria-hidden />
                {nameOf(part, request.rests_on)}
              </span>
            </th>
            <td>
              <Figure
                text={format.number(part.tokens[cursor] ?? 0)}
                kind={part.class === "not_recorded" ? request.kind : counted}
              />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">
            <Trans>context</Trans>
          </th>
          <td>
            <Figure text={format.number(request.context)} kind={request.kind} />
          </td>
        </tr>
      </tfoot>
    </table>
  );
});
