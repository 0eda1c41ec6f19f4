/**
 * The variants below each other, each compared with what ran. A name has a line of its own: it may be a sentence, and beside
 * it seven figures of a long run find no room.
 */
import { Trans, useLingui } from "@lingui/react/macro";
import { Fragment, type HTMLAttributes, memo, type ReactNode } from "react";
import type { Simulation } from "@/bindings";
import { useFormat } from "@/shared/format";
import { TableHead, numbers } from "@/shared/TableHead";
import { Button } from "@/shared/ui";
import { Change, Figure } from "./Figure";
import { BASE, type Bench, type BenchVariant, choose } from "./lab";
import { NotComputed } from "./NotComputed";
import type { Forecast, Forecasts } from "./simulations";
import { useVariantName } from "./VariantEditor";
import { classes } from "@/shared/classes";
import css from "./tables.module.css";

type Totals = Simulation["totals"];

/** Columns of figures. */
const COLUMNS = 6;

interface CellsProps {
  totals: Totals;
  base: Totals | null;
  own: boolean;
  /** Price of the run as recorded; null where it has none. */
  recorded: number | null;
}

/** Figures of a simulation, compared with what ran. */
function Cells({ totals, base, own, recorded }: CellsProps) {
  const { t } = useLingui();
  const format = useFormat();
  // What ran has a recorded price: where the forecast of it is another, the row says which it shows.
  const isOther =
    !own &&
    recorded !== null &&
    totals.cost_usd !== null &&
    format.dollars(totals.cost_usd) !== format.dollars(recorded);
  return (
    <>
      <td className="cell-end" data-testid="cell-peak">
        <Figure text={format.number(totals.peak)} kind={totals.kind} range={totals.range_percent} />
        {own && <Change value={totals.peak} base={base?.peak} />}
      </td>
      <td className="cell-end">
        <Figure text={format.number(totals.input)} short={format.compact(totals.input)} kind={totals.kind} />
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
        <Figure
          text={format.number(totals.cache_writes)}
          short={format.compact(totals.cache_writes)}
          kind={totals.kind}
        />
        {own && <Change value={totals.cache_writes} base={base?.cache_writes} />}
      </td>
      <td className="cell-end" data-testid="cell-cost">
        <strong className="num">{totals.cost_usd === null ? t`no price` : format.dollars(totals.cost_usd)}</strong>
        {own && <Change value={totals.cost_usd} base={base?.cost_usd} />}
        {isOther && (
          <span
            className={classes("muted", "small", css.below)}
            title={t`${format.dollars(recorded ?? 0)} as recorded`}
          >
            <Trans>simulated</Trans>
          </span>
        )}
      </td>
      <td className="cell-end num" data-testid="cell-regrets">
        {own ? (
          <span className={totals.regrets > 0 ? "text-del" : undefined}>{format.number(totals.regrets)}</span>
        ) : (
          <span className="muted" title={t`What ran is what the others are compared with`}>
            –
          </span>
        )}
      </td>
    </>
  );
}

/** Figures below their name. */
function Group({ name, children, ...rest }: GroupProps) {
  return (
    <tbody {...rest}>
      <tr>
        <th scope="rowgroup" colSpan={COLUMNS}>
          {name}
        </th>
      </tr>
      <tr>{children}</tr>
    </tbody>
  );
}

interface GroupProps extends HTMLAttributes<HTMLTableSectionElement> {
  name: ReactNode;
  "data-testid": string;
  "data-key"?: string;
}

/** A variant, chosen by its name. */
function VariantRow({ variant, forecast, base, chosen, recorded }: RowProps) {
  const { t } = useLingui();
  const nameOf = useVariantName();
  const totals = forecast?.simulation?.totals ?? null;
  const error = forecast?.error ?? null;
  return (
    <Group
      className={classes(chosen && "is-chosen", forecast?.stale && "is-stale")}
      aria-current={chosen || undefined}
      data-testid="variant-row"
      data-key={variant.letter}
      name={
        <Button tone="quiet" onPress={() => choose(variant.letter)}>
          {nameOf(variant)}
        </Button>
      }
    >
      {totals ? (
        <Cells totals={totals} base={base} own={variant.letter !== BASE} recorded={recorded} />
      ) : (
        <td colSpan={COLUMNS} className="muted">
          {error !== null ? <NotComputed error={error} /> : t`simulating…`}
        </td>
      )}
    </Group>
  );
}

interface RowProps {
  variant: BenchVariant;
  forecast: Forecast | undefined;
  base: Totals | null;
  chosen: boolean;
  recorded: number | null;
}

/** The table. */
export const VariantTable = memo(function VariantTable({
  bench,
  forecasts,
  recorded,
}: {
  bench: Bench;
  forecasts: Forecasts;
  recorded: number | null;
}) {
  const { t } = useLingui();
  const base = forecasts[BASE]?.simulation?.totals ?? null;
  const without = forecasts[BASE]?.without?.totals ?? null;
  return (
    <div className={classes("table-box", css.variantTable)}>
      <table className="table" data-testid="variant-table" data-whole>
        <caption className="visually-hidden">
          <Trans>The variants, with their difference to what ran</Trans>
        </caption>
        <TableHead
          columns={[
            numbers(t`peak`),
            numbers(t`input`),
            numbers(t`clears`),
            numbers(t`cache writes`),
            numbers(t`cost`),
            numbers(t`needed again`),
          ]}
        />
        {bench.variants.map((variant) => (
          <Fragment key={variant.letter}>
            <VariantRow
              variant={variant}
              forecast={forecasts[variant.letter]}
              base={base}
              chosen={variant.letter === bench.chosen}
              recorded={recorded}
            />
            {variant.letter === BASE && without && (
              <Group data-testid="row-without" name={<span className={css.without}>{t`no editing`}</span>}>
                <Cells totals={without} base={base} own recorded={recorded} />
              </Group>
            )}
          </Fragment>
        ))}
      </table>
      <p className="muted small">
        <Trans>Peak, input and cache writes in tokens, cost in US dollars.</Trans>
      </p>
    </div>
  );
});
