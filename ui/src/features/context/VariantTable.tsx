/** The variants side by side, each compared with "no editing". */
import { Trans, useLingui } from "@lingui/react/macro";
import { memo } from "react";
import { useFormat } from "@/shared/format";
import { TableHead, numbers } from "@/shared/TableHead";
import { Button } from "@/shared/ui";
import { Change, Figure } from "./Figure";
import { BASE, type Bench, choose } from "./lab";
import type { Forecasts } from "./simulations";
import { useVariantName } from "./VariantEditor";
import { classes } from "@/shared/classes";
import css from "./tables.module.css";

/** The table. */
export const VariantTable = memo(function VariantTable({ bench, forecasts }: { bench: Bench; forecasts: Forecasts }) {
  const { t } = useLingui();
  const format = useFormat();
  const nameOf = useVariantName();
  const base = forecasts[BASE]?.simulation?.totals ?? null;
  const priced = (value: number | null) => (value === null ? t`no price` : format.dollars(value));
  return (
    <div className={classes("table-box", css.variantTable)}>
      <table className="table" data-testid="variant-table">
        <caption className="visually-hidden">
          <Trans>The variants, with their difference to no editing</Trans>
        </caption>
        <TableHead
          columns={[
            t`variant`,
            numbers(t`peak`),
            numbers(t`input`),
            numbers(t`clears`),
            numbers(t`cache writes`),
            numbers(t`cost`),
            numbers(t`needed again`),
          ]}
        />
        <tbody>
          {bench.variants.map((variant) => {
            const forecast = forecasts[variant.letter];
            const totals = forecast?.simulation?.totals ?? null;
            const own = variant.letter !== BASE;
            const chosen = variant.letter === bench.chosen;
            return (
              <tr
                key={variant.letter}
                className={
                  [chosen && "is-chosen", forecast?.stale && "is-stale"].filter(Boolean).join(" ") || undefined
                }
                aria-current={chosen || undefined}
                data-testid="variant-row"
                data-key={variant.letter}
              >
                <th scope="row">
                  <Button tone="quiet" onPress={() => choose(variant.letter)}>
                    {nameOf(variant)}
                  </Button>
                </th>
                {totals ? (
                  <>
                    <td className="cell-end" data-testid="cell-peak">
                      <Figure text={format.number(totals.peak)} kind={totals.kind} range={totals.range_percent} />
                      {own && <Change value={totals.peak} base={base?.peak} />}
                    </td>
                    <td className="cell-end">
                      <Figure text={format.compact(totals.input)} kind={totals.kind} />
                      {own && <Change value={totals.input} base={base?.input} />}
                    </td>
                    <td className="cell-end num" data-testid="cell-clears">
                      {format.number(totals.clears)}
                      {totals.compactions > 0 && (
                        <span className="muted">
                          {" "}
                          <Trans>+ {totals.compactions} compacted</Trans>
                        </span>
                      )}
                    </td>
                    <td className="cell-end">
                      <Figure text={format.compact(totals.cache_writes)} kind={totals.kind} />
                      {own && <Change value={totals.cache_writes} base={base?.cache_writes} />}
                    </td>
                    <td className="cell-end" data-testid="cell-cost">
                      <strong className="num">{priced(totals.cost_usd)}</strong>
                      {own && <Change value={totals.cost_usd} base={base?.cost_usd} />}
                    </td>
                    <td className="cell-end num" data-testid="cell-regrets">
                      {own ? (
                        <span className={totals.regrets > 0 ? "text-del" : undefined}>
                          {format.number(totals.regrets)}
                        </span>
                      ) : (
                        <span className="muted" title={t`Nothing is cleared`}>
                          –
                        </span>
                      )}
                    </td>
                  </>
                ) : (
                  <td colSpan={6} className="muted">
                    {forecast?.error ? t`the setting is not valid` : t`simulating…`}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
});
