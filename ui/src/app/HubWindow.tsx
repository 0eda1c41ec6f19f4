/** The window that a hub serves: signing in, then the screen of the hub as the whole of it. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { HubStatus } from "@/bindings";
import { Appearance } from "@/features/settings/Appearance";
import { KeyHelp } from "@/features/settings/KeyHelp";
import { Boundary } from "@/shared/Boundary";
import { hostName } from "@/shared/hosts";
import { BrandMark, SettingsIcon } from "@/shared/icons";
import { lazily } from "@/shared/lazily";
import { Sheet } from "@/shared/overlay";
import { Toasts } from "@/shared/Toasts";
import { Button, Failure, Skeleton } from "@/shared/ui";
import { showWholeTexts } from "@/shared/whole-text";
import { useBackend } from "@/state/backend";
import { useFoundAgain, useLostSince } from "@/state/connection";
import { listenToKeys, useKeys } from "@/state/keys";
import { setKeyHelpOpen } from "@/state/palette";
import { useRead } from "@/state/queries";
import { type HubRoute, useRoute } from "@/state/route";
import { showPlainly } from "@/state/settings";
import { say } from "@/state/toasts";
import { ConnectionLost } from "./ConnectionLost";
import { ScreenFailed } from "./Failed";
import css from "./hub-window.module.css";

const HubScreen = lazily(() => import("@/features/hub/HubScreen"), "HubScreen");
const SignInPage = lazily(() => import("@/features/hub/SignInPage"), "SignInPage");

/** What waits at the hub changes without an event of its own; asked so often, in milliseconds. */
const STATUS_MS = 15_000;

/** Who is signed in, and the way out. */
function Who({ status }: { status: HubStatus }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [busy, setBusy] = useState(false);
  const out = async () => {
    setBusy(true);
    try {
      await backend.call("hub_leave", { new_identity: false });
    } catch {
      say(() => ({ tone: "failure", title: t`You are still signed in: the hub did not answer.` }));
    }
    setBusy(false);
  };
  return (
    <>
      <span className={css.who} data-testid="hub-who">
        {status.signed_in?.name ?? status.name}
      </span>
      <Button isPending={busy} onPress={() => void out()} data-testid="hub-close">
        <Trans>Sign out</Trans>
      </Button>
    </>
  );
}

function TopBar({ status }: { status: HubStatus }) {
  const { t } = useLingui();
  const [settings, setSettings] = useState(false);
  return (
    <header className={css.topBar}>
      <span className={css.brand}>
        <BrandMark />
        Retrace
      </span>
      {status.url !== null && <span className={`mono muted ${css.host}`}>{hostName(status.url)}</span>}
      <span className="spacer" />
      {status.url !== null && <Who status={status} />}
      <AriaButton
        className="icon-button"
        aria-label={t`Settings`}
        onPress={() => setSettings(true)}
        data-testid="hub-settings"
      >
        <SettingsIcon />
      </AriaButton>
      {settings && (
        <Sheet title={t`Settings`} onClose={() => setSettings(false)} testId="hub-settings-sheet">
          <Appearance />
        </Sheet>
      )}
    </header>
  );
}

/** Nothing that was read by who was signed in is kept for who comes after. */
function useForget(status: HubStatus | undefined): void {
  const queries = useQueryClient();
  const nobody = status !== undefined && status.url === null;
  useEffect(() => {
    if (nobody) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "hub_status" });
  }, [nobody, queries]);
}

/** What the keys do on every page, and whole texts where they are cut. */
function useEverywhere(): void {
  const { t } = useLingui();
  useEffect(listenToKeys, []);
  useEffect(showWholeTexts, []);
  useKeys([{ keys: "?", label: t`All keys`, run: () => setKeyHelpOpen(true) }]);
}

/** The page: to sign in, or the screen of the hub. */
function Page({ status }: { status: HubStatus }) {
  const route = useRoute();
  const foundAgain = useFoundAgain();
  const place: HubRoute = route.screen === "hub" ? route : { screen: "hub" };
  return (
    <Boundary
      about={`${place.view} ${foundAgain} ${status.url}`}
      fallback={(failed) => <ScreenFailed {...failed} />}
      onFail={showPlainly}
    >
      <Suspense fallback={<Skeleton rows={10} />}>
        {status.url === null ? <SignInPage status={status} /> : <HubScreen route={place} />}
      </Suspense>
    </Boundary>
  );
}

/** The window. */
export function HubWindow() {
  const read = useRead("hub_status", {}, { refetchInterval: STATUS_MS });
  const lost = useLostSince();
  const status = read.data;
  useForget(status);
  useEverywhere();
  if (!status)
    return (
      <main className={css.whole}>
        <BrandMark />
        {read.error ? <Failure error={read.error} retry={() => void read.refetch()} /> : <Skeleton rows={6} />}
      </main>
    );
  return (
    <div className={css.window}>
      <TopBar status={status} />
      {lost && <ConnectionLost since={lost} />}
      <div className={css.screenBox}>
        <Page status={status} />
      </div>
      <KeyHelp />
      <Toasts />
    </div>
  );
}
