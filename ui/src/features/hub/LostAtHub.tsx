/** What a hub lost of what was said and done on this machine, each with the way to what it was about. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { HubActLost, HubLost, HubRole } from "@/bindings";
import { spelled } from "@/shared/hidden";
import { Moment } from "@/shared/labels";
import { Button, useWords } from "@/shared/ui";
import { navigate } from "@/state/route";
import css from "./hub.module.css";
import { ROLES } from "./words";

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

/** What became of one act, and what an owner may do about it. */
function ActLost({ lost: { kind, about, value, again } }: { lost: HubActLost }) {
  const words = useWords();
  const named = spelled(about);
  // What another program sent is not looked up beyond the roles themselves.
  const role = kind === "role" && Object.hasOwn(ROLES, value ?? "") ? ROLES[value as HubRole] : null;
  const given = role ? words(role) : spelled(value ?? "");
  switch (kind) {
    case "key":
      return again ? (
        <Trans>The key {named} of an agent was ended again.</Trans>
      ) : (
        <Trans>The key {named} of an agent is open: end it in a terminal.</Trans>
      );
    case "machine":
      return again ? (
        <Trans>{named} was removed again.</Trans>
      ) : (
        <Trans>{named} is back. Remove it again if it is to go.</Trans>
      );
    case "role":
      return (
        <Trans>
          {named} had been given the role {given}. Give it again if that still holds.
        </Trans>
      );
    case "policy":
      return (
        <Trans>
          {named} had been set to {given}. Set it again if that still holds.
        </Trans>
      );
  }
}

/** The same for what was done as an owner; nothing where nothing was lost. */
export function ActsLostAtHub({ lost }: { lost: readonly HubActLost[] }) {
  const { t } = useLingui();
  if (lost.length === 0) return null;
  return (
    <section
      className={`notice notice-warning ${css.lost}`}
      aria-label={t`Acts lost at the hub`}
      data-testid="hub-acts-lost"
    >
      <p>
        <b>
          <Plural
            value={lost.length}
            one="The hub lost # act of an owner that was done on this machine."
            other="The hub lost # acts of an owner that were done on this machine."
          />
        </b>{" "}
        <Button
          tone="quiet"
          onPress={() => navigate({ screen: "hub", view: "machines" })}
          data-testid="hub-acts-lost-open"
        >
          <Trans>Machines and policy</Trans>
        </Button>
      </p>
      <ul>
        {lost.map((one, at) => (
          <li key={at} data-testid="hub-act-lost-row" data-kind={one.kind}>
            <ActLost lost={one} />{" "}
            <span className="muted">
              <Trans>
                Done <Moment at={one.at} form="moment" />
              </Trans>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
