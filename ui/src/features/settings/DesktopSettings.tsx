/** Background work of the desktop app: the tray, and messages. Shown only where there is such an app. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { DesktopSettings } from "@/bindings";
import { Await, Checkbox } from "@/shared/ui";
import { sayFailed } from "@/shared/say-failed";
import { useBackend } from "@/state/backend";
import css from "./settings.module.css";

const KEY = ["desktop"];

/** Time between two questions for a tray while there is none, in milliseconds. */
const WITHOUT_TRAY_MS = 2000;

/** The section; nothing in a browser. */
export function Desktop() {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { desktop } = useBackend().platform;
  const read = useQuery({
    queryKey: KEY,
    queryFn: () => desktop!.state(),
    enabled: desktop !== undefined,
    // A tray comes and goes without an event.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.tray === false ? WITHOUT_TRAY_MS : false),
  });
  if (!desktop) return null;
  const change = async (settings: DesktopSettings) => {
    try {
      queries.setQueryData(KEY, await desktop.set(settings));
    } catch (cause) {
      sayFailed(cause);
    }
  };
  return (
    <section className={css.settingsSection} aria-label={t`Tray and messages`} data-testid="desktop-settings">
      <h2>
        <Trans>Tray and messages</Trans>
      </h2>
      <Await read={read} rows={3}>
        {({ settings, tray, messages_problem }) => (
          <div className={css.desktopChoices}>
            <Checkbox
              label={t`Closing the window leaves the app in the tray, where it goes on recording`}
              isSelected={settings.keep_in_tray}
              onChange={(keep_in_tray) => void change({ ...settings, keep_in_tray })}
              data-testid="keep-in-tray"
            />
            {!tray && (
              <p className="muted small" data-testid="no-tray">
                <Trans>This desktop shows no tray at present, so closing the window ends the app.</Trans>
              </p>
            )}
            <Checkbox
              label={t`One message for each session that wrote memory, once it has been quiet for five minutes`}
              isSelected={settings.digests}
              onChange={(digests) => void change({ ...settings, digests })}
              data-testid="digests"
            />
            <Checkbox
              label={t`A message at once for a secret, a mass delete or hidden text`}
              isSelected={settings.alarms}
              onChange={(alarms) => void change({ ...settings, alarms })}
              data-testid="alarms"
            />
            {messages_problem !== null && (
              <p className="field-problem" role="status" data-testid="messages-problem">
                <Trans>The last message could not be shown: {messages_problem}</Trans>
              </p>
            )}
          </div>
        )}
      </Await>
    </section>
  );
}
