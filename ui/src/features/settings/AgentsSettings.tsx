/** The agents on this machine: version, what of them is read, since which version exactly. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Fragment } from "react";
import type { Client, ClientPart } from "@/bindings";
import { classes } from "@/shared/classes";
import { ProgramText } from "@/shared/labels";
import { Comma } from "@/shared/punctuation";
import { Await, Dot, useWords } from "@/shared/ui";
import { VersionFrom } from "@/shared/VersionFrom";
import { useRead } from "@/state/queries";
import css from "./settings.module.css";

const PARTS: Record<ClientPart, MessageDescriptor> = {
  sessions: msg`Sessions`,
  requests: msg`Requests`,
  instructions: msg`Instruction files`,
  memory: msg`Memory`,
};

function Reading({ client, part }: { client: Client; part: Client["parts"][number] }) {
  const say = useWords();
  const since = part.since;
  return (
    <li data-testid="agent-part" data-exact={part.exact === null ? undefined : String(part.exact)}>
      <span className={css.partState}>
        <Dot tone={part.exact === true ? "on" : part.exact === false ? "warn" : "off"} />
        {say(PARTS[part.part])}
      </span>
      {since !== null && (
        <>
          {" "}
          <span className="muted">
            {part.exact === false ? (
              <Trans>
                exact since {since}, not proved for {client.version}
              </Trans>
            ) : (
              <Trans>exact since {since}</Trans>
            )}
          </span>
        </>
      )}
      <div className="muted">
        <ProgramText text={part.note} />
      </div>
    </li>
  );
}

function Agent({ client }: { client: Client }) {
  return (
    <section className={css.agent} data-testid="agent" aria-label={client.title}>
      <h3>
        {client.title} <span className="muted num">{client.version ?? <Trans>version unknown</Trans>}</span>
      </h3>
      <div className={classes("muted", css.agentPlaces)}>
        {client.version_from && (
          <p>
            <VersionFrom text={client.version_from} />
          </p>
        )}
        {client.places.length > 0 && (
          <p>
            <Trans>Keeps its files in</Trans>{" "}
            {client.places.map((place, at) => (
              <Fragment key={place}>
                {at > 0 && <Comma />}
                <span className="mono">{place}</span>
              </Fragment>
            ))}
          </p>
        )}
      </div>
      <ul className={css.agentParts}>
        {client.parts.map((part) => (
          <Reading key={part.part} client={client} part={part} />
        ))}
      </ul>
    </section>
  );
}

/** The section of the settings. */
export function Agents() {
  const { t } = useLingui();
  const read = useRead("clients", {});
  return (
    <section className={css.settingsSection} aria-label={t`Agents on this machine`} data-testid="agents">
      <h2>
        <Trans>Agents on this machine</Trans>
      </h2>
      <Await read={read} rows={3}>
        {(found) =>
          found.clients.length === 0 ? (
            <p className="muted">
              <Trans>No agent was found on this machine.</Trans>
            </p>
          ) : (
            found.clients.map((client) => <Agent key={client.agent} client={client} />)
          )
        }
      </Await>
    </section>
  );
}
