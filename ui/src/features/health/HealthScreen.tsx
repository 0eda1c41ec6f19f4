/** The screen of health: how each store is doing, what is wrong, what could go, and the rules. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Health, StoreHealth } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Comma } from "@/shared/punctuation";
import { Await, Button, Empty, Failure, Segmented } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useHealth } from "@/state/health";
import { useRead } from "@/state/queries";
import { type HealthView, navigate, type Route } from "@/state/route";
import { ExpiryList } from "./ExpiryList";
import { FindingList } from "./FindingList";
import { RuleTable } from "./RuleTable";
import { StoreTable } from "./StoreTable";
import { WorthList } from "./WorthList";
import { classes } from "@/shared/classes";
import css from "./health.module.css";

type HealthRoute = Extract<Route, { screen: "health" }>;

function Views({ route, health, withLoads }: { route: HealthRoute; health: Health; withLoads: boolean }) {
  const { t } = useLingui();
  const view = route.view ?? "findings";
  const proposals = health.stores
    .filter(({ store_id }) => route.store === undefined || store_id === route.store)
    .reduce((sum, store) => sum + store.expiry, 0);
  const options: { value: HealthView; label: string }[] = [
    { value: "findings", label: t`Findings` },
    { value: "worth", label: t`What it costs` },
    { value: "expiry", label: t`Could be removed (${proposals})` },
    { value: "rules", label: t`Finding rules` },
  ];
  return (
    <section className={css.healthViews} aria-label={t`Findings, proposals and rules`}>
      <div className={css.healthViewSwitch}>
        <Segmented
          label={t`View of health`}
          value={view}
          options={options}
          onChange={(chosen) =>
            navigate({ screen: "health", store: route.store, view: chosen === "findings" ? undefined : chosen })
          }
        />
      </div>
      {view === "findings" && <FindingList health={health} store={route.store} />}
      {view === "worth" && <WorthList store={route.store} />}
      {view === "expiry" && <ExpiryList health={health} store={route.store} loads={withLoads} />}
      {view === "rules" && <RuleTable />}
    </section>
  );
}

/** What is wrong, in a line. */
function Summary({ stores }: { stores: readonly StoreHealth[] }) {
  const format = useFormat();
  const errors = stores.reduce((sum, store) => sum + store.errors, 0);
  const warnings = stores.reduce((sum, store) => sum + store.warnings, 0);
  const wrong = format.number(stores.filter((store) => store.errors + store.warnings > 0).length);
  return (
    <span className="muted num" data-testid="health-summary">
      {errors + warnings === 0 ? (
        <Trans>no errors and no warnings</Trans>
      ) : (
        <>
          <Plural value={errors} one="# error" other="# errors" />
          <Comma />
          <Plural value={warnings} one="# warning" other="# warnings" />
          {" · "}
          <Trans>
            {wrong} of {format.number(stores.length)} stores
          </Trans>
        </>
      )}
    </span>
  );
}

/** The screen of health. */
export function HealthScreen({ route }: { route: HealthRoute }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [wanted, setWanted] = useState(false);
  const quick = useHealth();
  const loaded = useRead("health", { store: null, loads: true }, { enabled: wanted, keepPrevious: true });
  const health = (wanted && loaded.data) || quick.data;
  const reading = wanted && loaded.isFetching;
  const telling = health?.sessions_telling ?? null;
  return (
    <main className={classes("screen", css.healthScreen)}>
      <header className="list-header">
        <h1>
          <Trans>Health</Trans>
        </h1>
        {health && health.stores.length > 0 && <Summary stores={health.stores} />}
        {telling !== null && (
          <span className="muted">
            {"· "}
            <Plural value={telling} one="# session tells what it loaded" other="# sessions tell what they loaded" />
          </span>
        )}
        <span className="spacer" />
        {reading ? (
          <Button onPress={() => void backend.call("cancel", { job: "health" })} data-testid="loads-cancel">
            <Trans>Stop reading transcripts</Trans>
          </Button>
        ) : (
          !wanted && (
            <Button onPress={() => setWanted(true)} data-testid="read-loads">
              <Trans>Find out what sessions load</Trans>
            </Button>
          )
        )}
      </header>
      {wanted && loaded.error && <Failure error={loaded.error} retry={() => void loaded.refetch()} />}
      <Await
        read={{ data: health, error: quick.error, refetch: () => quick.refetch() }}
        rows={10}
        doing={t`Checking the memories of every store.`}
      >
        {(known) =>
          known.stores.length === 0 ? (
            <Empty title={t`No store`}>
              <Trans>Nothing is recorded yet, so there is nothing to show.</Trans>
            </Empty>
          ) : (
            <>
              {/* Rules are set for all stores at once. */}
              {route.view !== "rules" && <StoreTable stores={known.stores} chosen={route.store} />}
              <Views route={route} health={known} withLoads={wanted && loaded.data !== undefined} />
            </>
          )
        }
      </Await>
    </main>
  );
}
