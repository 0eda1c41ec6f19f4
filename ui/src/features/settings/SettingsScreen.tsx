/** The screen of the settings: what is chosen at this window, and the state of the log. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Verified } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment, ProgramText } from "@/shared/labels";
import { Comma } from "@/shared/punctuation";
import { shorten } from "@/shared/text";
import { Await, Button, CopyButton, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { Agents } from "./AgentsSettings";
import { Appearance } from "./Appearance";
import { Counter, PriceTable } from "./CounterSettings";
import { Desktop } from "./DesktopSettings";
import { Projects } from "./ProjectsSettings";
import { classes } from "@/shared/classes";
import css from "./settings.module.css";

function Verification({ verified }: { verified: Verified }) {
  const { t } = useLingui();
  const format = useFormat();
  const versions = plural(verified.versions, { one: "# version", other: "# versions" });
  const contents = plural(verified.blobs, { one: "# content", other: "# contents" });
  return (
    <div className={`notice ${verified.ok ? "notice-done" : "notice-warning"}`} role="status" data-testid="verified">
      <div>
        <strong>{verified.ok ? t`The log is whole` : t`The log has problems`}</strong>
        <p>
          {t`${versions} and ${contents} checked`}; <span className="mono">{shorten(verified.chain_head, 8, 4)}</span>
        </p>
        <ul>
          {[...verified.problems, ...verified.warnings].map((line) => (
            <li key={line.text}>
              <ProgramText text={line} />
            </li>
          ))}
        </ul>
        {!verified.ok && (
          <p>
            <Trans>
              Make a copy of the data directory before anything else ({format.number(verified.problems.length)} found).
            </Trans>
          </p>
        )}
      </div>
    </div>
  );
}

function Log() {
  const { t } = useLingui();
  const format = useFormat();
  const backend = useBackend();
  const status = useRead("status", {});
  const [verified, setVerified] = useState<Verified | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setFailure(null);
    try {
      setVerified(await backend.call("verify", { absent_base64: null }));
      void status.refetch();
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className={css.settingsSection} aria-label={t`The log`}>
      <h2>
        <Trans>The log</Trans>
      </h2>
      <Await read={status} rows={4}>
        {(now) => (
          <dl className="facts facts-wide">
            <dt>
              <Trans>where</Trans>
            </dt>
            <dd className="mono">
              {now.data_dir} <CopyButton text={now.data_dir} label={t`Copy the path`} />
            </dd>
            <dt>
              <Trans>size</Trans>
            </dt>
            <dd className="num">{format.bytes(now.log_bytes)}</dd>
            <dt>
              <Trans>versions</Trans>
            </dt>
            <dd className="num">{format.number(now.versions)}</dd>
            <dt>
              <Trans>chain</Trans>
            </dt>
            <dd>
              {now.chain_verified_at === null ? (
                <Trans>not verified in this session</Trans>
              ) : (
                <>
                  {now.chain_ok ? <Trans>verified</Trans> : <Trans>has problems</Trans>}
                  <Comma />
                  <Moment at={now.chain_verified_at} form="moment" />
                </>
              )}
            </dd>
            <dt>
              <Trans>network calls in this session</Trans>
            </dt>
            <dd className="num">{format.number(now.network_calls)}</dd>
            <dt>
              <Trans>program</Trans>
            </dt>
            <dd className="num">Retrace {now.program}</dd>
          </dl>
        )}
      </Await>
      <div className="form-actions">
        <Button isPending={busy} onPress={() => void verify()} data-testid="verify">
          <Trans>Verify the whole log</Trans>
        </Button>
      </div>
      {verified && <Verification verified={verified} />}
      {failure !== null && <Failure error={failure} />}
    </section>
  );
}

/** The screen of the settings. */
export function SettingsScreen() {
  return (
    <main className={classes("screen", css.settingsScreen)}>
      <header className="list-header">
        <h1>
          <Trans>Settings</Trans>
        </h1>
      </header>
      <div className="scroll-pane">
        <Appearance />
        <Desktop />
        <Projects />
        <Log />
        <Agents />
        <Counter />
        <PriceTable />
      </div>
    </main>
  );
}
