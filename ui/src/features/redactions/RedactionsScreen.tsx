/** The screen of the redactions: find, preview, redact, receipt. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { ActResult, FindingPlace } from "@/bindings";
import { ApiFailure } from "@/host";
import { Await, Button, Empty, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useReceipts } from "@/state/receipts";
import { navigate, type Route } from "@/state/route";
import { changesTranscripts, type Draft, newDraft, redactRequest } from "./draft";
import { FindForm } from "./FindForm";
import { Preview } from "./Preview";
import { ReceiptActs, ReceiptPanel } from "./ReceiptPanel";
import { classes } from "@/shared/classes";
import css from "./redactions.module.css";

type RedactionsRoute = Extract<Route, { screen: "redactions" }>;

const STEPS = ["find", "preview", "redact", "receipt"] as const;
type Step = (typeof STEPS)[number];

function Steps({ at }: { at: Step }) {
  const { t } = useLingui();
  const names: Record<Step, string> = { find: t`find`, preview: t`preview`, redact: t`redact`, receipt: t`receipt` };
  const reached = STEPS.indexOf(at);
  return (
    <ol className={css.steps} aria-label={t`Steps`}>
      {STEPS.map((step, place) => (
        <li
          key={step}
          className={place <= reached ? "chip chip-redact" : "chip"}
          aria-current={step === at ? "step" : undefined}
        >
          {place + 1} {names[step]}
        </li>
      ))}
    </ol>
  );
}

/** The answer when nothing matches. */
const NOTHING: ActResult = {
  dry_run: true,
  operation_seq: null,
  writes: [],
  deletes: [],
  conflicts: [],
  partial: false,
  left: [],
  matches: [],
  receipt: null,
  warnings: [],
  queued: 0,
  withdrawn: 0,
  likely: [],
  sure: [],
  undoes: null,
  guard: null,
  imported: [],
};

/** The way from a text to its receipt. The draft dies with this component. */
function NewRedaction({ versions, finding }: { versions: readonly string[]; finding: FindingPlace | null }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [draft, setDraft] = useState<Draft>(() => newDraft(versions, finding));
  const [found, setFound] = useState<ActResult | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState<"find" | "redact" | null>(null);

  const run = async (step: "find" | "redact") => {
    setBusy(step);
    setFailure(null);
    try {
      const result = await backend.call("redact", redactRequest(draft, step === "find"));
      if (step === "redact" && result.receipt) navigate({ screen: "redactions", receipt: result.receipt.id });
      else setFound(result);
    } catch (cause) {
      // Nothing found is an answer here, with a next step of its own.
      if (
        cause instanceof ApiFailure &&
        cause.error.code === "not_found" &&
        draft.method !== "versions" &&
        draft.method !== "finding"
      )
        setFound(NOTHING);
      else setFailure(cause);
    } finally {
      setBusy(null);
    }
  };
  return (
    <>
      <section className={css.redactMain} aria-label={t`New redaction`}>
        <header className="list-header">
          <h1>
            <Trans>Redact</Trans>
          </h1>
          <span className="spacer" />
          <Steps at={busy === "redact" ? "redact" : found ? "preview" : "find"} />
        </header>
        <div className={css.redactBody}>
          {failure !== null && <Failure error={failure} />}
          {found ? (
            <Preview
              draft={draft}
              result={found}
              busy={busy === "redact"}
              onBack={() => setFound(null)}
              onRedact={() => void run("redact")}
            />
          ) : (
            <FindForm draft={draft} busy={busy === "find"} onChange={setDraft} onFind={() => void run("find")} />
          )}
        </div>
      </section>
      <Effect draft={draft} />
    </>
  );
}

/** A receipt that was asked for: every place in the middle, what can be done with it at the side. */
function Done({ id }: { id: string }) {
  const { t } = useLingui();
  const read = useReceipts();
  const receipt = read.data?.receipts.find((one) => one.id === id);
  return (
    <>
      <section className={css.redactMain} aria-label={t`Receipt`}>
        <header className="list-header">
          <h1>
            <Trans>Receipt</Trans>
          </h1>
          <span className="spacer" />
          <Steps at="receipt" />
        </header>
        <div className={css.redactBody}>
          <Await read={read}>
            {() =>
              receipt ? (
                <ReceiptPanel receipt={receipt} />
              ) : (
                <Empty title={t`No such receipt`}>
                  <Trans>Select one on the left.</Trans>
                </Empty>
              )
            }
          </Await>
        </div>
      </section>
      <aside className={classes("side", css.sideWide)} aria-label={t`What to do with the receipt`}>
        <div className={css.sideExplain}>
          <h2>
            <Trans>What comes next</Trans>
          </h2>
          {receipt && <ReceiptActs receipt={receipt} />}
          <div className="form-actions">
            <Button onPress={() => navigate({ screen: "redactions" })} data-testid="new-redaction">
              <Trans>Redact something else</Trans>
            </Button>
          </div>
        </div>
      </aside>
    </>
  );
}

/** What the redaction does, beside its form: what the ticks say. */
function Effect({ draft }: { draft: Draft }) {
  const { t } = useLingui();
  const transcripts = changesTranscripts(draft);
  return (
    <aside className={classes("side", css.sideWide)} aria-label={t`Effect of a redaction`}>
      <div className={css.sideExplain}>
        <h2>
          <Trans>Effect of a redaction</Trans>
        </h2>
        <ol>
          <li>
            <Trans>Removes the content from every recorded version that holds it, and from the search index.</Trans>
          </li>
          <li>
            {draft.live ? (
              <Trans>Replaces it in the live files with a marker.</Trans>
            ) : (
              <Trans>Leaves the live files as they are.</Trans>
            )}
          </li>
          {transcripts && (
            <li>
              <Trans>
                Replaces it in agents&apos; transcripts with a marker, but for those that a running program has open.
              </Trans>
            </li>
          )}
          <li>
            <Trans>
              Purges the bytes from the files on disk, then searches for them there and records what was found.
            </Trans>
          </li>
        </ol>
        <p className="muted">
          {transcripts ? (
            <Trans>Backups and copies elsewhere are not changed; the receipt names what it can see of them.</Trans>
          ) : (
            <Trans>
              Transcripts, backups and copies elsewhere are not changed; the receipt names what it can see of them.
            </Trans>
          )}
        </p>
      </div>
    </aside>
  );
}

/** The screen of the redactions. */
export function RedactionsScreen({ route }: { route: RedactionsRoute }) {
  return (
    <main className={classes("screen", css.redactionsScreen)}>
      {route.receipt ? (
        <Done id={route.receipt} />
      ) : (
        <NewRedaction
          key={JSON.stringify([route.versions, route.finding])}
          versions={route.versions ?? []}
          finding={route.finding ?? null}
        />
      )}
    </main>
  );
}
