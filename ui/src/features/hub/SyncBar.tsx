/** Above every view: sync now, sync in the background, and what stands in the way. */
import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { HubProblem, HubStatus } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment, ProgramText } from "@/shared/labels";
import { Button, Checkbox, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { useAtHub } from "./failure";
import { ActsLostAtHub, LostAtHub } from "./LostAtHub";
import css from "./hub.module.css";
import { WhyNot } from "./rights";
import { ROLES } from "./words";

function Problems({ problems }: { problems: readonly HubProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={css.problems} role="alert" data-testid="hub-problems">
      {problems.map((problem, at) => (
        <li key={at} className="notice notice-warning">
          <ProgramText text={problem.message} /> <ProgramText text={problem.hint} />
        </li>
      ))}
    </ul>
  );
}

function Background({ status }: { status: HubStatus }) {
  const { last_at, went_well, problem } = status.background;
  if (last_at === null)
    return (
      <span className="muted">
        <Trans>not run yet</Trans>
      </span>
    );
  return (
    <span className={went_well === false ? "text-del" : "muted"}>
      {problem === null ? (
        <Trans>
          last <Moment at={last_at} form="ago" />
        </Trans>
      ) : (
        <ProgramText text={problem} />
      )}
    </span>
  );
}

/** The bar. */
export function SyncBar({ status }: { status: HubStatus }) {
  const { t } = useLingui();
  const backend = useBackend();
  const atHub = useAtHub();
  const words = useWords();
  const format = useFormat();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<readonly HubProblem[]>([]);
  const sync = async () => {
    setBusy(true);
    await atHub(async () => {
      const done = await backend.call("hub_sync", { resend: false });
      setProblems(done.problems);
      const versions = done.stores.reduce((sum, store) => sum + store.versions, 0);
      const redactions = done.redactions.length;
      const proposals = done.proposals.length;
      const parts = () => [
        plural(versions, { one: "# version sent", other: "# versions sent" }),
        redactions > 0 && plural(redactions, { one: "# redaction carried out", other: "# redactions carried out" }),
        proposals > 0 && plural(proposals, { one: "# proposal answered", other: "# proposals answered" }),
      ];
      say(() => ({ tone: "done", title: t`Synced`, detail: parts().filter(Boolean).join(" · ") }));
    });
    setBusy(false);
  };
  const background = (on: boolean) =>
    void atHub(async () => {
      await backend.call("hub_background", { on });
    });
  return (
    <section className={css.bar} aria-label={t`Sync`}>
      <Button isPending={busy} onPress={() => void sync()} data-testid="hub-sync">
        <Trans>Sync now</Trans>
      </Button>
      <Checkbox
        label={<Trans>Sync in the background</Trans>}
        isSelected={status.background.on}
        onChange={background}
        data-testid="hub-background"
      />
      {status.background.on && <Background status={status} />}
      <span className="muted">
        {status.name}
        {status.role && <> · {words(ROLES[status.role])}</>}
      </span>
      <WhyNot right="send" />
      <Problems problems={problems} />
      <LostAtHub lost={status.lost ?? []} />
      <ActsLostAtHub lost={status.acts_lost ?? []} />
      {status.waiting?.copy && (
        <p className="notice notice-warning" data-testid="hub-refused-copy">
          <Trans>
            A copy of this machine’s data directory was refused <Moment at={status.waiting.copy.at} form="ago" />, from
            version {format.number(status.waiting.copy.seq)} of{" "}
            {status.waiting.copy.store_name ?? status.waiting.copy.store} on. Stop it, or let it leave the hub and join
            as a machine of its own.
          </Trans>
        </p>
      )}
    </section>
  );
}
