/** The hub's database was put back to an earlier state: what may be open again, and the owner's word that somebody looked. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { HubRestored } from "@/bindings";
import { Moment } from "@/shared/labels";
import { Button } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { navigate } from "@/state/route";
import { useAtHub } from "./failure";
import css from "./hub.module.css";
import { may, useRole, WhyNot } from "./rights";

/** The notice; nothing where the database was not put back, or an owner acknowledged it. */
export function RestoredNotice({ restored }: { restored: HubRestored | undefined }) {
  const { t } = useLingui();
  const backend = useBackend();
  const atHub = useAtHub();
  const administers = may(useRole(), "administer");
  if (restored === undefined) return null;
  const acknowledge = () =>
    void atHub(async () => {
      await backend.call("hub_acknowledge", {});
    });
  return (
    <section
      className={`notice notice-warning ${css.restored}`}
      aria-label={t`Database of the hub put back`}
      data-testid="hub-restored"
    >
      <p>
        <b>
          <Trans>
            The hub’s database was put back to its state of <Moment at={restored.kept_until} form="moment" />.
          </Trans>
        </b>{" "}
        <Trans>
          What came after it, until <Moment at={restored.lost_until} form="moment" />, is lost. Access that was taken
          since may be open again: look at machines, agents’ keys and the policy.
        </Trans>{" "}
        <Plural value={restored.tokens} one="# one-time token was ended." other="# one-time tokens were ended." />
      </p>
      <div className={css.restoredActs}>
        {administers ? (
          <Button onPress={acknowledge} data-testid="hub-acknowledge">
            <Trans>Acknowledge</Trans>
          </Button>
        ) : (
          <WhyNot right="administer" />
        )}
        <Button
          tone="quiet"
          onPress={() => navigate({ screen: "hub", view: "machines" })}
          data-testid="hub-restored-open"
        >
          <Trans>Machines and policy</Trans>
        </Button>
      </div>
    </section>
  );
}
