/** Puts the features together: which screen, what stands beside it, and what lies over all. */
import { Trans } from "@lingui/react/macro";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { Acts } from "@/features/acts/ActDialog";
import { InboxScreen } from "@/features/inbox/InboxScreen";
import { MemoriesScreen } from "@/features/memories/MemoriesScreen";
import { MemoryTree } from "@/features/memories/MemoryTree";
import { ReceiptList } from "@/features/redactions/ReceiptList";
import { Palette } from "@/features/search/Palette";
import { KeyHelp } from "@/features/settings/KeyHelp";
import { StoreList } from "@/features/stores/StoreList";
import { Unauthorized } from "@/host";
import { Boundary } from "@/shared/Boundary";
import { BrandMark } from "@/shared/icons";
import { lazily } from "@/shared/lazily";
import { Toasts } from "@/shared/Toasts";
import { Failure, Skeleton } from "@/shared/ui";
import { showWholeTexts } from "@/shared/whole-text";
import { useFoundAgain, useLostSince } from "@/state/connection";
import { useOfHub } from "@/state/hub";
import { listenToKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { type Route, useRoute } from "@/state/route";
import { showPlainly } from "@/state/settings";
import { ConnectionLost } from "./ConnectionLost";
import { ScreenFailed } from "./Failed";
import { Frame } from "./Frame";
import css from "./frame.module.css";
import { HubWindow } from "./HubWindow";

const TimelineScreen = lazily(() => import("@/features/timeline/TimelineScreen"), "TimelineScreen");
const ContextLab = lazily(() => import("@/features/context/ContextLab"), "ContextLab");
const HealthScreen = lazily(() => import("@/features/health/HealthScreen"), "HealthScreen");
const RulesScreen = lazily(() => import("@/features/rules/RulesScreen"), "RulesScreen");
const RedactionsScreen = lazily(() => import("@/features/redactions/RedactionsScreen"), "RedactionsScreen");
const StoresScreen = lazily(() => import("@/features/stores/StoresScreen"), "StoresScreen");
const HubScreen = lazily(() => import("@/features/hub/HubScreen"), "HubScreen");
const SessionScreen = lazily(() => import("@/features/session/SessionScreen"), "SessionScreen");
const SettingsScreen = lazily(() => import("@/features/settings/SettingsScreen"), "SettingsScreen");
const FirstRun = lazily(() => import("@/features/stores/FirstRun"), "FirstRun");

/** The log's size and the age of the last write change without an event of their own; asked so often, in milliseconds. */
const STATUS_MS = 10_000;

function ScreenOf({ route }: { route: Route }) {
  switch (route.screen) {
    case "inbox":
      return <InboxScreen route={route} />;
    case "memories":
      return <MemoriesScreen route={route} />;
    case "timeline":
      return <TimelineScreen route={route} />;
    case "context":
      return <ContextLab route={route} />;
    case "health":
      return <HealthScreen route={route} />;
    case "rules":
      return <RulesScreen route={route} />;
    case "redactions":
      return <RedactionsScreen route={route} />;
    case "session":
      return <SessionScreen key={route.session} route={route} />;
    case "stores":
      return <StoresScreen route={route} />;
    case "hub":
      return <HubScreen route={route} />;
    case "settings":
      return <SettingsScreen />;
  }
}

function ContextOf({ route }: { route: Route }) {
  switch (route.screen) {
    case "inbox":
      return (
        <StoreList
          chosen={route.store}
          routeFor={(store) => ({ screen: "inbox", store, kind: route.kind })}
          count="unreviewed"
        />
      );
    case "memories":
      return <MemoryTree route={route} />;
    case "health":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "health", store, view: route.view })} />;
    case "redactions":
      return <ReceiptList chosen={route.receipt} />;
    case "session":
      return <StoreList chosen={undefined} routeFor={(store) => ({ screen: "timeline", store })} />;
    case "timeline":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "timeline", store })} />;
    case "stores":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "stores", store })} />;
    case "context":
    case "hub":
    case "rules":
    case "settings":
      return <StoreList chosen={undefined} routeFor={(store) => ({ screen: "memories", store })} />;
  }
}

/** In place of everything, when nothing can be shown. */
function WholeWindow({ children }: { children: ReactNode }) {
  return (
    <main className={css.wholeWindow}>
      <BrandMark />
      {children}
    </main>
  );
}

function NoKey() {
  return (
    <WholeWindow>
      <h1>
        <Trans>This page has no key to the program</Trans>
      </h1>
      <p>
        <Trans>
          Open the address that <code>retrace serve</code> printed; it carries the key. A key is good for one run of the
          program and one browser tab.
        </Trans>
      </p>
      <p className="muted">
        <Trans>No address at hand? Stop the program and start it again: retrace serve --open</Trans>
      </p>
    </WholeWindow>
  );
}

/** The window: of a machine, or of the hub that serves it. */
export function App() {
  return useOfHub() ? <HubWindow /> : <MachineWindow />;
}

function MachineWindow() {
  const route = useRoute();
  const status = useRead("status", {}, { refetchInterval: STATUS_MS });
  const lost = useLostSince();
  const foundAgain = useFoundAgain();
  const [firstRun, setFirstRun] = useState<boolean | null>(null);
  useEffect(listenToKeys, []);
  useEffect(showWholeTexts, []);
  // Decided once: while the first stores are added the screen stays until it is left.
  if (firstRun === null && status.data) setFirstRun(status.data.first_run || status.data.stores === 0);

  if (status.error instanceof Unauthorized) return <NoKey />;
  if (!status.data && status.error)
    return (
      <WholeWindow>
        <Failure error={status.error} retry={() => void status.refetch()} />
      </WholeWindow>
    );
  const wait = <Skeleton rows={10} />;
  const banner = lost && <ConnectionLost since={lost} />;
  // A failed part is drawn again where something else is shown, and when the program answers again.
  const about = `${route.screen} ${firstRun} ${foundAgain}`;
  return (
    <>
      {firstRun ? (
        <>
          {banner}
          <Boundary about={about} fallback={(failed) => <ScreenFailed {...failed} />}>
            <Suspense fallback={wait}>
              <FirstRun onLeave={() => setFirstRun(false)} />
            </Suspense>
          </Boundary>
        </>
      ) : (
        <Frame
          banner={banner}
          route={route}
          status={status.data}
          reachable={!status.error && lost === null}
          context={
            <Boundary about={about} fallback={() => null}>
              <ContextOf route={route} />
            </Boundary>
          }
        >
          <div className={css.screenBox}>
            {/* What is remembered of how things are shown must not keep the screen away the next time. */}
            <Boundary about={about} fallback={(failed) => <ScreenFailed {...failed} />} onFail={showPlainly}>
              <Suspense fallback={wait}>{firstRun === null ? wait : <ScreenOf route={route} />}</Suspense>
            </Boundary>
          </div>
          <Palette />
          <KeyHelp />
        </Frame>
      )}
      <Acts />
      <Toasts />
    </>
  );
}
