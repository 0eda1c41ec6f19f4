/** Everything the window stands on: the program, the cache, the language. */
import { i18n } from "@lingui/core";
import { I18nProvider, useLingui } from "@lingui/react";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { I18nProvider as AriaLanguage } from "react-aria-components/I18nProvider";
import type { Backend } from "@/host";
import { Boundary } from "@/shared/Boundary";
import { BackendProvider } from "@/state/backend";
import { withConnection } from "@/state/connection";
import { useShellLanguage } from "@/state/desktop";
import { returnFocus } from "@/state/focus";
import { useLiveUpdates, withRefresh } from "@/state/live";
import { App } from "./App";
import { WindowFailed } from "./Failed";

function Live({ queries }: { queries: QueryClient }) {
  useLiveUpdates(queries);
  useShellLanguage();
  useEffect(returnFocus, []);
  return <App />;
}

/** React Aria in the language of the window, also when that changes. */
function Spoken({ children }: { children: ReactNode }) {
  const { i18n: now } = useLingui();
  return <AriaLanguage locale={now.locale}>{children}</AriaLanguage>;
}

/** The window over a backend and a cache. */
export function Root({ backend, queries }: { backend: Backend; queries: QueryClient }) {
  const refreshing = useMemo(() => withRefresh(withConnection(backend, queries), queries), [backend, queries]);
  return (
    <I18nProvider i18n={i18n}>
      <Spoken>
        <QueryClientProvider client={queries}>
          <BackendProvider value={refreshing}>
            <Boundary fallback={(failed) => <WindowFailed {...failed} />}>
              <Live queries={queries} />
            </Boundary>
          </BackendProvider>
        </QueryClientProvider>
      </Spoken>
    </I18nProvider>
  );
}
