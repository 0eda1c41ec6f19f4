/** The side panel with the stores: how each is doing, and the way to it. */
import { Trans, useLingui } from "@lingui/react/macro";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { useProgramWords } from "@/shared/program";
import { spelled } from "@/shared/hidden";
import { Dot, useWords } from "@/shared/ui";
import { STATES } from "@/shared/vocabulary";
import { useRead } from "@/state/queries";
import { formatRoute, type Route } from "@/state/route";
import css from "./stores.module.css";

/** Props of the list. */
export interface StoreListProps {
  /** The chosen store. */
  chosen: string | undefined;
  /** Where a store leads from the present screen. */
  routeFor: (store: string) => Route;
  /** Count beside each. */
  count?: "memories" | "unreviewed";
}

/** The stores. */
export function StoreList({ chosen, routeFor, count = "memories" }: StoreListProps) {
  const { t } = useLingui();
  const say = useWords();
  const program = useProgramWords();
  const format = useFormat();
  const { data } = useRead("stores", {});
  return (
    <section className="side-section" aria-labelledby="store-list-title">
      <h2 className="side-title" id="store-list-title">
        <Trans>Stores</Trans>
      </h2>
      <ul className="side-list">
        {data?.stores.map((store) => {
          const state = STATES[store.state];
          const word = state ? say(state.word) : store.state;
          return (
            <li key={store.id}>
              <a
                href={formatRoute(routeFor(store.id))}
                aria-current={store.id === chosen ? "true" : undefined}
                className={classes("side-link", css.sideStore)}
                title={[spelled(store.name), store.root, word, program.sentence(store.state_detail)]
                  .filter(Boolean)
                  .join(" · ")}
                data-testid="side-store"
              >
                <Dot tone={state?.dot ?? "warn"} />
                <span className="side-link-text">{spelled(store.name)}</span>
                {count === "unreviewed" && store.unreviewed > 0 ? (
                  <span className="num" aria-label={t`${store.unreviewed} to review`}>
                    {format.number(store.unreviewed)}
                  </span>
                ) : store.state === "recording" && count === "unreviewed" ? null : store.state === "recording" ? (
                  <span className="num muted" aria-label={t`${store.memories} memories`}>
                    {format.number(store.memories)}
                  </span>
                ) : (
                  <span className={css.sideState}>{word}</span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
