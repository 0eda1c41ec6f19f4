/** Everything the window stands on: the program, the cache, the language. */
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useMemo } from "react";
import { I18nProvider as AriaLanguage } from "react-aria-components/I18nProvider";
import type { Backend } from "@/host";
import { BackendProvider } from "@/state/backend";
import { useLiveUpdates, withRefresh } from "@/state/live";
import { App } from "./App";

function Live({ queries }: { queries: QueryClient }) {
  useLiveUpdates(queries);
  return <App />;
}

/** The window over a backend and a cache. */
export function Root({ backend, queries }: { backend: Backend; queries: QueryClient }) {
  const refreshing = useMemo(() => withRefresh(backend, queries), [backend, queries]);
  return (
    <I18nProvider i18n={i18n}>
      <AriaLanguage locale={i18n.locale}>
        <QueryClientProvider client={queries}>
          <BackendProvider value={refreshing}>
            <Live queries={queries} />
          </BackendProvider>
        </QueryClientProvider>
      </AriaLanguage>
    </I18nProvider>
  );
}
