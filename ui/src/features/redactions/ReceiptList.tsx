/** The side panel of the redactions: the receipts. */
import { Trans, useLingui } from "@lingui/react/macro";
import { Moment } from "@/shared/labels";
import { Await } from "@/shared/ui";
import { useReceipts } from "@/state/receipts";
import { formatRoute } from "@/state/route";
import { useReceiptTitle } from "./ReceiptPanel";

/** The receipts, newest first. */
export function ReceiptList({ chosen }: { chosen: string | undefined }) {
  const { t } = useLingui();
  const read = useReceipts();
  const titleOf = useReceiptTitle();
  return (
    <section className="side-section" aria-labelledby="receipts-title">
      <h2 className="side-title" id="receipts-title">
        <Trans>Receipts</Trans>
      </h2>
      <Await read={read} rows={3}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <p className="side-note">
              <Trans>None yet.</Trans>
            </p>
          ) : (
            <ul className="side-list">
              {receipts.map((receipt) => (
                <li key={receipt.id}>
                  <a
                    href={formatRoute({ screen: "redactions", receipt: receipt.id })}
                    aria-current={receipt.id === chosen ? "page" : undefined}
                    className="side-link"
                    data-testid="receipt-row"
                    title={receipt.purge === "pending" ? t`purge pending` : undefined}
                  >
                    <span className="side-link-text">{titleOf(receipt)}</span>
                    <span className="muted">
                      {receipt.purge === "pending" ? <Trans>pending</Trans> : <Moment at={receipt.created_at} />}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
      {chosen && (
        <a className="side-link" href={formatRoute({ screen: "redactions" })}>
          <Trans>New redaction</Trans>
        </a>
      )}
    </section>
  );
}
