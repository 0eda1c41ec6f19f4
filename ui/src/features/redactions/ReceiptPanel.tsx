/** A receipt: where was looked, and what was found. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Receipt, ReceiptPlace } from "@/bindings";
import { download } from "@/shared/download";
import { useFormat } from "@/shared/format";
import { Actor, ProgramText } from "@/shared/labels";
import { shorten } from "@/shared/text";
import { Button, Chip, CopyButton, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { classes } from "@/shared/classes";
import { changedTranscripts } from "./draft";
import css from "./redactions.module.css";

function PlaceChip({ place }: { place: ReceiptPlace }) {
  switch (place.state) {
    case "clean":
      return (
        <Chip tone="add">
          <Trans>clean</Trans>
        </Chip>
      );
    case "left":
      return (
        <Chip tone="warn">
          <Plural value={place.hits} one="# hit left" other="# hits left" />
        </Chip>
      );
    case "out_of_reach":
      return (
        <Chip>
          <Trans>out of reach</Trans>
        </Chip>
      );
  }
}

function Chain({ receipt }: { receipt: Receipt }) {
  const { t } = useLingui();
  const verified =
    receipt.chain_verified === null
      ? t`not verified yet`
      : receipt.chain_verified
        ? t`verified after purge`
        : t`did not verify: see Settings, the log`;
  return (
    <p className={receipt.chain_verified === false ? "text-del" : "muted"} title={receipt.chain_head}>
      <Trans>
        chain {shorten(receipt.chain_head, 4, 2)}, {verified}
      </Trans>
    </p>
  );
}

/** Title of a receipt in lists. */
export function useReceiptTitle(): (receipt: Receipt) => string {
  const { t } = useLingui();
  return ({ reason, versions }) => reason ?? t`${plural(versions, { one: "# version", other: "# versions" })} redacted`;
}

/** Places that are not done yet, or left elsewhere, before the list of all places. */
function Left({ receipt }: { receipt: Receipt }) {
  if (receipt.purge === "pending") return null;
  const left = receipt.places.filter(({ state }) => state === "left");
  const owned = left.filter((place) => place.owned).length;
  if (left.length === 0) return null;
  return (
    <div className="notice notice-warning" role="status" data-testid={owned > 0 ? "log-holds-it" : "left-elsewhere"}>
      {owned > 0 ? (
        <Plural
          value={owned}
          one="It is not done: # place of the log still holds it. See below how to remove it there."
          other="It is not done: # places of the log still hold it. See below how to remove it there."
        />
      ) : (
        <Plural
          value={left.length}
          one="It is gone from the log, but # place outside the log still holds it. See below how to remove it there."
          other="It is gone from the log, but # places outside the log still hold it. See below how to remove it there."
        />
      )}
    </div>
  );
}

/** Each place that was searched, with its result. */
function Places({ receipt }: { receipt: Receipt }) {
  const { t } = useLingui();
  return (
    <ul className={css.places} aria-label={t`Places checked`}>
      {receipt.places.map((place) => (
        <li key={place.place.text} data-testid="receipt-place" data-state={place.state}>
          <span>
            <ProgramText text={place.place} />
            {place.detail && (
              <span className={classes("muted", css.placeDetail)}>
                <ProgramText text={place.detail} />
              </span>
            )}
            {place.remedy && (
              <span className={classes("muted", css.placeDetail)} data-testid="place-remedy">
                <ProgramText text={place.remedy} />
              </span>
            )}
          </span>
          <PlaceChip place={place} />
        </li>
      ))}
    </ul>
  );
}

/** A receipt: what was redacted, and each place. */
export function ReceiptPanel({ receipt }: { receipt: Receipt }) {
  const format = useFormat();
  const titleOf = useReceiptTitle();
  const transcripts = changedTranscripts(receipt);
  return (
    <div className={css.receipt} data-testid="receipt">
      <p>
        <strong>{titleOf(receipt)}</strong>
        <br />
        <span className="muted">
          {format.exact(receipt.created_at)} · <Actor actor={receipt.created_by} />
        </span>
        <br />
        <span className="muted">
          <Plural value={receipt.versions} one="# version redacted" other="# versions redacted" />
          {" · "}
          <Plural value={receipt.live_files} one="# live file changed" other="# live files changed" />
          {transcripts > 0 && (
            <>
              {" · "}
              <Plural value={transcripts} one="# transcript changed" other="# transcripts changed" />
            </>
          )}
        </span>
      </p>
      {receipt.purge === "pending" && (
        <div className="notice notice-warning" role="status" data-testid="purge-pending">
          <span className="spinner" aria-hidden />
          <span>
            <Trans>
              Redacted in the log. The bytes leave the disk as soon as no other process reads the log; this page looks
              again by itself.
            </Trans>
          </span>
        </div>
      )}
      <Left receipt={receipt} />
      <Places receipt={receipt} />
      {receipt.warnings.map((warning) => (
        <div key={warning.text} className="notice notice-warning">
          <ProgramText text={warning} />
        </div>
      ))}
      <Chain receipt={receipt} />
    </div>
  );
}

/** What can be done with a receipt, and what it does not do. */
export function ReceiptActs({ receipt }: { receipt: Receipt }) {
  const { t } = useLingui();
  const backend = useBackend();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const json = JSON.stringify(receipt, null, 2);
  const recheck = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await backend.call("recheck_receipt", { receipt: receipt.id });
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {receipt.method !== "versions" && (
        <p>
          <Trans>
            If this was a key or a password, change it: a redaction hides it here, it does not make it secret again.
          </Trans>
        </p>
      )}
      <p className="muted">
        <Trans>The receipt lists every place with its result. It stays, and can be verified again.</Trans>
      </p>
      {failure !== null && <Failure error={failure} />}
      <div className="form-actions">
        <Button isPending={busy} onPress={() => void recheck()} data-testid="recheck">
          <Trans>Verify again</Trans>
        </Button>
        <Button onPress={() => download(`${receipt.id}.json`, json)} data-testid="export-receipt">
          <Trans>Export receipt</Trans>
        </Button>
        <CopyButton text={json} label={t`Copy the receipt`} />
      </div>
    </>
  );
}
