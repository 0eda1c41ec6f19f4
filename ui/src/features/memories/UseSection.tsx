/** The use of a memory: which sessions loaded it and why, what it costs one, and how its rules fared. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { LoadingSession, MemoryLoaded, MemoryWorth } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { Moment } from "@/shared/labels";
import { REASONS } from "@/shared/loads";
import { Sheet } from "@/shared/overlay";
import { NotFollowed } from "@/shared/presence";
import { projectName } from "@/shared/runs";
import { SessionLink } from "@/shared/SessionLink";
import { TableHead } from "@/shared/TableHead";
import { Await, Button, Chip, useWords } from "@/shared/ui";
import { Effect, RuleFared } from "@/shared/worth";
import { useBackend } from "@/state/backend";
import { observable, useObservable } from "@/state/observable";
import { useRead } from "@/state/queries";
import css from "./memories.module.css";

/** Open for every memory or for none: transcripts are read only once somebody asked. */
const expanded = observable(false);

/** Closes the section; for tests. */
export const closeUse = () => expanded.set(false);

/** Why a session loaded it, in words. */
function useReasons(): (row: Pick<LoadingSession, "reasons">) => string {
  const words = useWords();
  return ({ reasons }) => reasons.map((reason) => words(REASONS[reason])).join(", ");
}

function Row({ row }: { row: LoadingSession }) {
  const reasonsOf = useReasons();
  return (
    <tr data-testid="loading-row" data-key={row.session}>
      <th scope="row">
        <SessionLink session={row.session}>{row.title ?? <Trans>A session without a prompt</Trans>}</SessionLink>
        {row.project !== null && (
          <div className="muted" title={row.project}>
            {projectName(row.project)}
          </div>
        )}
      </th>
      <td>{row.at === null ? <Trans>not known</Trans> : <Moment at={row.at} form="moment" />}</td>
      <td>
        {reasonsOf(row)}{" "}
        {row.hook && (
          <Chip>
            <Trans>told by the hook</Trans>
          </Chip>
        )}
      </td>
    </tr>
  );
}

/** The list behind the sentence. */
function LoadsSheet({ name, found, onClose }: { name: string; found: MemoryLoaded; onClose: () => void }) {
  const { t } = useLingui();
  const shown = found.rows.length;
  return (
    <Sheet title={t`Sessions that loaded ${name}`} size="medium" onClose={onClose} testId="loads-sheet">
      {found.loaded > shown && (
        <p className="muted">
          <Trans>The newest {shown} are shown.</Trans>
        </p>
      )}
      <div className="table-box">
        <table className="table" aria-label={t`Sessions that loaded it`}>
          <TableHead columns={[t`Session`, t`Loaded`, t`Why`]} />
          <tbody>
            {found.rows.map((row, at) => (
              <Row key={`${at} ${row.session}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </Sheet>
  );
}

/** In how many sessions it was loaded, when last, and why. */
function Loads({ name, found }: { name: string; found: MemoryLoaded }) {
  const format = useFormat();
  const reasonsOf = useReasons();
  const [open, setOpen] = useState(false);
  const [last] = found.rows;
  const [loaded, sessions] = [format.number(found.loaded), format.number(found.sessions)];
  return (
    <div className={css.usePart} data-testid="memory-loads">
      <p>
        {found.sessions === 0 ? (
          <Trans>No session on this machine tells whether it loaded this memory.</Trans>
        ) : (
          <Trans>
            Loaded in <b>{loaded}</b> of {sessions} sessions that tell what they loaded.
          </Trans>
        )}
      </p>
      {last && (
        <p>
          {last.at === null ? (
            <Trans>Last: {reasonsOf(last)}.</Trans>
          ) : (
            <Trans>
              Last <Moment at={last.at} form="ago" />: {reasonsOf(last)}.
            </Trans>
          )}
        </p>
      )}
      {found.cancelled && (
        <p className="muted">
          <Trans>Reading was stopped: more may have loaded it.</Trans>
        </p>
      )}
      {last && (
        <Button onPress={() => setOpen(true)} data-testid="open-loads">
          <Trans>Show sessions…</Trans>
        </Button>
      )}
      {open && <LoadsSheet name={name} found={found} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** The price of a session that loads it, in how many it was before the model, and how its rules fared. */
function Worth({ worth }: { worth: MemoryWorth }) {
  const format = useFormat();
  const money = worth.cost_usd_per_session;
  const [present, sessions] = [format.number(worth.present), format.number(worth.sessions)];
  return (
    <div className={css.usePart} data-testid="memory-worth">
      <p>
        <Plural value={worth.tokens_per_session} one="# token per session" other="# tokens per session" />
        {money !== null && <>, {format.dollars(money)}</>}.{" "}
        <Trans>
          Before the model in <b>{present}</b> of {sessions} conversations.
        </Trans>
      </p>
      <p>
        <Effect effect={worth.effect} />
      </p>
      {worth.rules.map((rule) => (
        <p key={rule.rule_id}>
          <RuleFared rule={rule} />
        </p>
      ))}
      <NotFollowed />
    </div>
  );
}

function Use({ target, name }: { target: string; name: string }) {
  const backend = useBackend();
  const loads = useRead("memory_loads", { memory: target });
  const worth = useRead("memory_worth", { store: null, memory: target });
  const stop = () => ["health", "worth"].forEach((job) => void backend.call("cancel", { job }));
  return (
    <>
      <Await read={loads} rows={2}>
        {(found) => <Loads name={name} found={found} />}
      </Await>
      <Await read={worth} rows={2}>
        {({ memories }) => memories[0] && <Worth worth={memories[0]} />}
      </Await>
      {(loads.isFetching || worth.isFetching) && (
        <Button tone="quiet" onPress={stop}>
          <Trans>Stop reading transcripts</Trans>
        </Button>
      )}
    </>
  );
}

/** The section beside a memory. `target` is the live memory. */
export function UseSection({ target, name }: { target: string; name: string }) {
  const isOpen = useObservable(expanded);
  return (
    <Disclosure
      className={classes(css.sideDisclosure, css.use)}
      isExpanded={isOpen}
      onExpandedChange={expanded.set}
      data-testid="memory-use"
    >
      <Heading level={2} className="side-title">
        <AriaButton slot="trigger" className={css.disclosureButton} data-testid="use-toggle">
          <ChevronIcon />
          <Trans>Use in sessions</Trans>
        </AriaButton>
      </Heading>
      <DisclosurePanel className={css.usePanel}>{isOpen && <Use target={target} name={name} />}</DisclosurePanel>
    </Disclosure>
  );
}
