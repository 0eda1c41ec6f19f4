/** Counting: availability of exact counts, every call over the network, and the table of prices. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Price } from "@/bindings";
import { CounterKeyForm, KeySource } from "@/shared/CounterKey";
import { useFormat } from "@/shared/format";
import { Moment, ProgramText } from "@/shared/labels";
import { TableHead, numbers } from "@/shared/TableHead";
import { Await, CopyButton } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { classes } from "@/shared/classes";
import css from "./settings.module.css";

/** Availability of exact counts, and the calls that were made. */
export function Counter() {
  const { t } = useLingui();
  const format = useFormat();
  const read = useRead("counter_status", {}, { refetchInterval: 5000 });
  return (
    <section className={css.settingsSection} aria-label={t`Exact counts`} data-testid="counter-settings">
      <h2>
        <Trans>Exact counts</Trans>
      </h2>
      <p className="muted">
        <Trans>
          Everything is counted on this machine. With a key, single forecasts can be checked with count_tokens; each
          time the plan is shown first, and nothing is sent before it is agreed to.
        </Trans>
      </p>
      <Await read={read} rows={3}>
        {(status) => (
          <>
            <dl className="facts facts-wide">
              <dt>
                <Trans>key</Trans>
              </dt>
              <dd data-testid="key-source">
                <KeySource source={status.key_source} />
              </dd>
              <dt>
                <Trans>address</Trans>
              </dt>
              <dd className="mono">{status.base_url}</dd>
            </dl>
            <CounterKeyForm status={status} />
            <h3>
              <Trans>Network calls since the program started</Trans>
            </h3>
            {status.calls.length === 0 ? (
              <p className="muted">
                <Trans>None.</Trans>
              </p>
            ) : (
              <div className={classes("table-box", css.networkCalls)}>
                <table className="table" data-testid="network-calls">
                  <TableHead columns={[t`when`, t`what for`, t`address`, numbers(t`sent`), numbers(t`answer`)]} />
                  <tbody>
                    {status.calls.map((call, at) => (
                      <tr key={at} data-testid="network-call">
                        <td>
                          <Moment at={call.at} form="moment" />
                        </td>
                        <td>{call.purpose}</td>
                        <td className="mono">{call.url}</td>
                        <td className="cell-end num">{format.bytes(call.bytes)}</td>
                        <td className="cell-end num">{call.status ?? t`none`}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </>
        )}
      </Await>
    </section>
  );
}

function PriceRow({ price }: { price: Price }) {
  const { t } = useLingui();
  const format = useFormat();
  const conditions = [
    price.up_to !== null && t`up to ${format.compact(price.up_to)}`,
    price.from !== null && t`from ${price.from}`,
  ].filter(Boolean);
  return (
    <tr>
      <th scope="row" className="mono">
        {price.model}
        {conditions.length > 0 && <span className="muted"> {conditions.join(", ")}</span>}
      </th>
      <td className="cell-end num">{price.window === null ? t`not known` : format.compact(price.window)}</td>
      {[price.input, price.output, price.cache_write_5m, price.cache_write_1h, price.cache_read].map((amount, at) => (
        <td key={at} className="cell-end num">
          {format.dollars(amount)}
        </td>
      ))}
      <td className={css.priceSource}>{price.source}</td>
      <td className="num">{price.date}</td>
    </tr>
  );
}

/** The table of prices, with where each line comes from. */
export function PriceTable() {
  const { t } = useLingui();
  const format = useFormat();
  const read = useRead("prices", {});
  return (
    <section className={css.settingsSection} aria-label={t`Prices`} data-testid="price-settings">
      <h2>
        <Trans>Prices</Trans>
      </h2>
      <Await read={read} rows={4}>
        {({ prices, own_file, own_file_problem }) => (
          <>
            <p className="muted">
              <Trans>US dollars per million tokens. Your own prices come first; they are kept in</Trans>{" "}
              <span className="mono">{own_file}</span> <CopyButton text={own_file} label={t`Copy the path`} />
            </p>
            {own_file_problem && (
              <div className="notice notice-warning">
                <ProgramText text={own_file_problem} />
              </div>
            )}
            <details>
              <summary>
                <Plural value={prices.length} one="# price" other="# prices" />
              </summary>
              <div className="table-box">
                <table className="table" data-testid="prices">
                  <TableHead
                    columns={[
                      t`model`,
                      numbers(t`window`),
                      numbers(t`input`),
                      numbers(t`output`),
                      numbers(t`write ${format.number(5)} min`),
                      numbers(t`write ${format.number(1)} h`),
                      numbers(t`cache read`),
                      t`source`,
                      t`as of`,
                    ]}
                  />
                  <tbody>
                    {prices.map((price, at) => (
                      <PriceRow key={at} price={price} />
                    ))}
                  </tbody>
                </table>
              </div>
            </details>
          </>
        )}
      </Await>
    </section>
  );
}
