/** What a hub lost of what was said on this machine, each with the way to the version that it was about. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { HubLost } from "@/bindings";
import { spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { Button } from "@/shared/ui";
import { navigate } from "@/state/route";
import css from "./hub.module.css";

/** A version at the hub, as the inbox of the hub opens it. */
const VERSION = /^memver_\w+@machine_\w+$/;

function Lost({ lost }: { lost: HubLost }) {
  const { t } = useLingui();
  const { about } = lost;
  return (
    <li data-testid="hub-lost-row" data-kind={lost.kind}>
      {lost.kind === "comment" ? (
        <Trans>
          Comment of <Moment at={lost.at} form="moment" />
        </Trans>
      ) : (
        <Trans>
          Proposal of <Moment at={lost.at} form="moment" />
        </Trans>
      )}{" "}
      <span className="mono muted">{spelled(about)}</span>{" "}
      {VERSION.test(about) && (
        <Button
          tone="quiet"
          aria-label={t`Open ${about}`}
          onPress={() => navigate({ screen: "hub", version: about })}
          data-testid="hub-lost-open"
        >
          <Trans>Open</Trans>
        </Button>
      )}
    </li>
  );
}

/** The notice; nothing where nothing was lost. */
export function LostAtHub({ lost }: { lost: readonly HubLost[] }) {
  const { t } = useLingui();
  if (lost.length === 0) return null;
  return (
    <section className={`notice notice-warning ${css.lost}`} aria-label={t`Lost at the hub`} data-testid="hub-lost">
      <p>
        <b>
          <Plural
            value={lost.length}
            one="The hub lost # thing that was said on this machine."
            other="The hub lost # things that were said on this machine."
          />
        </b>{" "}
        <Trans>
          Its database was restored, or a lagging copy took over. Say again what still holds; the texts are kept
          nowhere.
        </Trans>
      </p>
      <ul>
        {lost.map((one, at) => (
          <Lost key={at} lost={one} />
        ))}
      </ul>
    </section>
  );
}
