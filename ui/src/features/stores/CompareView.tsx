/** Two stores side by side: which two, and what differs between them. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { Store } from "@/bindings";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { Await, Button, Empty } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { navigate, type StoresRoute } from "@/state/route";
import { Comparison } from "./Comparison";
import { storeOf, timeOf } from "./compareRows";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

function TargetChoice({
  label,
  target,
  stores,
  testId,
  onChange,
}: {
  label: string;
  target: string | undefined;
  stores: readonly Store[];
  testId: string;
  onChange: (target: string | undefined) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const time = target === undefined ? null : timeOf(target);
  const past = target !== undefined && time !== null;
  const nameOf = (id: string) => stores.find((store) => store.id === id)?.name ?? id;
  const when = time === null ? "" : /^\d+$/.test(time) ? time : format.exact(time);
  return (
    <label className={css.compareSide}>
      <span className="muted">{label}</span>
      <select value={target ?? ""} onChange={(event) => onChange(event.target.value || undefined)} data-testid={testId}>
        <option value="">{t`Choose a store`}</option>
        {past && <option value={target}>{t`${nameOf(storeOf(target))} as of ${when}`}</option>}
        {stores.map((store) => (
          <option key={store.id} value={store.id}>
            {spelled(store.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Two stores side by side. */
export function CompareView({ route, stores }: { route: StoresRoute; stores: readonly Store[] }) {
  const { t } = useLingui();
  const { from, to } = route;
  const both = from !== undefined && to !== undefined && from !== to;
  const read = useRead("compare_stores", { from: from ?? "", to: to ?? "" }, { enabled: both });
  const nameOf = (id: string) => stores.find((store) => store.id === id)?.name ?? id;
  const go = (sides: Pick<StoresRoute, "from" | "to">) =>
    navigate({ screen: "stores", view: "compare", from, to, ...sides });
  return (
    <div className={classes(css.hostedView, "compare-view")} data-testid="compare-view">
      <div className={css.compareSides}>
        <TargetChoice
          label={t`As it is`}
          target={from}
          stores={stores}
          testId="compare-from"
          onChange={(target) => go({ from: target })}
        />
        <span aria-hidden className={css.compareArrow}>
          →
        </span>
        <TargetChoice
          label={t`As it might be`}
          target={to}
          stores={stores}
          testId="compare-to"
          onChange={(target) => go({ to: target })}
        />
        <Button
          keys="s"
          isDisabled={from === undefined && to === undefined}
          onPress={() => go({ from: to, to: from })}
          data-testid="compare-swap"
        >
          <Trans>Swap</Trans>
        </Button>
      </div>
      {both ? (
        <Await read={read} rows={8}>
          {(comparison) => (
            <Comparison key={`${from} ${to}`} from={from} to={to} comparison={comparison} nameOf={nameOf} />
          )}
        </Await>
      ) : (
        <Empty title={from !== undefined && from === to ? t`Both sides are the same store` : t`Choose two stores`}>
          <Trans>
            The memories of both are compared by path. What differs can be taken over into the store on the left: all of
            it, or one by one.
          </Trans>
        </Empty>
      )}
    </div>
  );
}
