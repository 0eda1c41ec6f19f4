/** Stands in place of a screen, or of the whole window, that could not be shown. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { Failed } from "@/shared/Boundary";
import { BrandMark } from "@/shared/icons";
import { NotLoaded } from "@/shared/lazily";
import { Button } from "@/shared/ui";
import { tryNow, useLostSince } from "@/state/connection";
import css from "./frame.module.css";

const reload = () => window.location.reload();

/** In place of one screen. */
export function ScreenFailed({ error, again }: Failed) {
  const { t } = useLingui();
  const lost = useLostSince() !== null;
  const unloaded = error instanceof NotLoaded;
  return (
    <main className="screen">
      <div className="failure failure-failure" role="alert" data-testid="screen-failed">
        <strong>{unloaded ? t`This screen could not be loaded` : t`This screen could not be shown`}</strong>
        {error instanceof Error && !unloaded && <p className="mono">{error.message}</p>}
        <p>
          {lost ? (
            <Trans>The program does not answer. The screen is loaded as soon as it does.</Trans>
          ) : unloaded ? (
            <Trans>This page may come from another version of the program than the one that runs now. Reload it.</Trans>
          ) : (
            <Trans>The other screens go on. Nothing was changed by this.</Trans>
          )}
        </p>
        <div className="failure-tools">
          <Button onPress={lost ? tryNow : again} data-testid="screen-again">
            <Trans>Try again</Trans>
          </Button>
          {!lost && (
            <Button onPress={reload} data-testid="screen-reload">
              <Trans>Reload</Trans>
            </Button>
          )}
        </div>
      </div>
    </main>
  );
}

/** In place of everything. */
export function WindowFailed({ error, again }: Failed) {
  return (
    <main className={css.wholeWindow} data-testid="window-failed">
      <BrandMark />
      <h1>
        <Trans>The window could not be shown</Trans>
      </h1>
      {error instanceof Error && <p className="mono">{error.message}</p>}
      <p>
        <Trans>Nothing was changed by this, and recording goes on.</Trans>
      </p>
      <div className="failure-tools">
        <Button onPress={again}>
          <Trans>Try again</Trans>
        </Button>
        <Button tone="primary" onPress={reload}>
          <Trans>Reload</Trans>
        </Button>
      </div>
    </main>
  );
}
