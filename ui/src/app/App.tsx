/** Puts the features together: which screen, what stands beside it, and what lies over all. */
import { Trans } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Acts } from "@/features/acts/ActDialog";
import { TranscriptList } from "@/features/context/TranscriptList";
import { InboxScreen } from "@/features/inbox/InboxScreen";
import { MemoriesScreen } from "@/features/memories/MemoriesScreen";
import { MemoryTree } from "@/features/memories/MemoryTree";
import { ReceiptList } from "@/features/redactions/ReceiptList";
import { Palette } from "@/features/search/Palette";
import { KeyHelp } from "@/features/settings/KeyHelp";
import { StoreList } from "@/features/stores/StoreList";
import { Unauthorized } from "@/host";
import { BrandMark } from "@/shared/icons";
import { Toasts } from "@/shared/Toasts";
import { Failure, Skeleton } from "@/shared/ui";
import { listenToKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { type Route, useRoute } from "@/state/route";
import { Frame } from "./Frame";

const TimelineScreen = lazy(() =>
  import("@/features/timeline/TimelineScreen").then((m) => ({ default: m.TimelineScreen })),
);
const ContextLab = lazy(() => import("@/features/context/ContextLab").then((m) => ({ default: m.ContextLab })));
const HealthScreen = lazy(() => import("@/features/health/HealthScreen").then((m) => ({ default: m.HealthScreen })));
const RedactionsScreen = lazy(() =>
  import("@/features/redactions/RedactionsScreen").then((m) => ({ default: m.RedactionsScreen })),
);
const StoresScreen = lazy(() => import("@/features/stores/StoresScreen").then((m) => ({ default: m.StoresScreen })));
const SettingsScreen = lazy(() =>
  import("@/features/settings/SettingsScreen").then((m) => ({ default: m.SettingsScreen })),
);
const FirstRun = lazy(() => import("@/features/stores/FirstRun").then((m) => ({ default: m.FirstRun })));

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
    case "redactions":
      return <RedactionsScreen route={route} />;
    case "stores":
      return <StoresScreen route={route} />;
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
    case "context":
      return <TranscriptList chosen={route.transcript} />;
    case "health":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "health", store, view: route.view })} />;
    case "redactions":
      return <ReceiptList chosen={route.receipt} />;
    case "timeline":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "timeline", store })} />;
    case "stores":
      return <StoreList chosen={route.store} routeFor={(store) => ({ screen: "stores", store })} />;
    case "settings":
      return <StoreList chosen={undefined} routeFor={(store) => ({ screen: "memories", store })} />;
  }
}

/** In place of everything, when nothing can be shown. */
function WholeWindow({ children }: { children: ReactNode }) {
  return (
    <main className="whole-window">
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

/** The window. */
export function App() {
  const route = useRoute();
  const status = useRead("status", {}, { refetchInterval: STATUS_MS });
  const [firstRun, setFirstRun] = useState<boolean | null>(null);
  useEffect(listenToKeys, []);
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
  return (
    <>
      {firstRun ? (
        <Suspense fallback={wait}>
          <FirstRun onLeave={() => setFirstRun(false)} />
        </Suspense>
      ) : (
        <Frame route={route} status={status.data} reachable={!status.error} context={<ContextOf route={route} />}>
          <div className="screen-box">
            <Suspense fallback={wait}>{firstRun === null ? wait : <ScreenOf route={route} />}</Suspense>
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
