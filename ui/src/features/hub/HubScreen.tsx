/** The hub: what machines of one organisation recorded, reviewed together, and what they do to each other. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { HubStatus } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { hostName } from "@/shared/hosts";
import { Await, Segmented, useWords } from "@/shared/ui";
import { useHub, useOfHub } from "@/state/hub";
import { HUB_VIEWS, navigate, type HubRoute, type HubView } from "@/state/route";
import { AuditView } from "./AuditView";
import css from "./hub.module.css";
import { HubInboxView } from "./HubInbox";
import { useCounts } from "./inbox";
import { JoinHub } from "./JoinHub";
import { MachinesView } from "./MachinesView";
import { ProposalsView } from "./ProposalsView";
import { RedactionsView } from "./RedactionsView";
import { RestoredNotice } from "./RestoredNotice";
import { SessionsView } from "./SessionsView";
import { SyncBar } from "./SyncBar";
import { ROLES } from "./words";

function ViewOf({ route, status }: { route: HubRoute; status: HubStatus }) {
  switch (route.view ?? "inbox") {
    case "inbox":
      return <HubInboxView route={route} />;
    case "proposals":
      return <ProposalsView />;
    case "redactions":
      return <RedactionsView />;
    case "sessions":
      return <SessionsView status={status} />;
    case "machines":
      return <MachinesView status={status} />;
    case "audit":
      return <AuditView />;
  }
}

function Views({ route, status }: { route: HubRoute; status: HubStatus }) {
  const { t } = useLingui();
  const format = useFormat();
  const counts = useCounts(status);
  const names: Record<HubView, string> = {
    inbox: t`Inbox`,
    proposals: t`Proposals`,
    redactions: t`Redactions`,
    sessions: t`Sessions`,
    machines: t`Machines`,
    audit: t`Audit log`,
  };
  const more = (view: HubView) => (view === "inbox" && status.waiting?.unreviewed_is_least ? "+" : "");
  const labelOf = (view: HubView) =>
    counts[view] ? `${names[view]} ${format.number(counts[view])}${more(view)}` : names[view];
  return (
    <div className={css.views}>
      <Segmented
        label={t`View of the hub`}
        value={route.view ?? "inbox"}
        options={HUB_VIEWS.map((value) => ({ value, label: labelOf(value) }))}
        onChange={(view) => navigate({ screen: "hub", view: view === "inbox" ? undefined : view })}
      />
    </div>
  );
}

/** The screen of the hub. */
export function HubScreen({ route }: { route: HubRoute }) {
  const read = useHub();
  const ofHub = useOfHub();
  const words = useWords();
  const url = read.data?.url ?? null;
  return (
    <main className={classes("screen", css.hubScreen)} data-testid="hub-screen">
      <header className={classes("list-header", css.header)}>
        <h1>
          <Trans>Hub</Trans>
        </h1>
        {url !== null && !ofHub && <span className="mono muted">{hostName(url)}</span>}
        {ofHub && read.data?.role && (
          <span className="muted" data-testid="hub-role">
            {words(ROLES[read.data.role])}
          </span>
        )}
        {read.data && url !== null && !ofHub && <SyncBar status={read.data} />}
      </header>
      <Await read={read} rows={6}>
        {(status) =>
          status.url === null ? (
            <JoinHub />
          ) : (
            <>
              <RestoredNotice restored={status.waiting?.restored} />
              <Views route={route} status={status} />
              <ViewOf route={route} status={status} />
            </>
          )
        }
      </Await>
    </main>
  );
}
