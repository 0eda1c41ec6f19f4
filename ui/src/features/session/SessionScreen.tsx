/** The page of a session: what it was asked, what it wrote after each prompt, what it had, and the way back. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { Session } from "@/bindings";
import { ApiFailure } from "@/host";
import { classes } from "@/shared/classes";
import { Button, Empty, Failure, Skeleton } from "@/shared/ui";
import { useRead } from "@/state/queries";
import { navigate, type SessionRoute } from "@/state/route";
import { Had } from "./Had";
import { SessionHead } from "./SessionHead";
import { Story } from "./Story";
import css from "./session.module.css";

const isUnknown = (error: unknown) =>
  error instanceof ApiFailure && (error.error.code === "not_found" || error.error.code === "invalid");

function Unknown() {
  const { t } = useLingui();
  return (
    <Empty
      whole
      title={t`This session is not known`}
      action={
        <Button onPress={() => navigate({ screen: "timeline" })}>
          <Trans>Open the timeline</Trans>
        </Button>
      }
    >
      <Trans>No transcript on this machine and no recorded change names it.</Trans>
    </Empty>
  );
}

function Body({ session }: { session: Session }) {
  return (
    <>
      <SessionHead session={session} />
      <div className={css.columns}>
        <Story session={session} />
        <Had session={session} />
      </div>
    </>
  );
}

/** The page of a session. */
export function SessionScreen({ route }: { route: SessionRoute }) {
  const { t } = useLingui();
  const read = useRead("session", { session: route.session });
  return (
    <main className={classes("screen", css.session)} data-testid="session-screen">
      {read.data ? (
        <Body key={read.data.session_id} session={read.data} />
      ) : isUnknown(read.error) ? (
        <Unknown />
      ) : read.error ? (
        <Failure error={read.error} retry={() => void read.refetch()} />
      ) : (
        <Skeleton rows={12} doing={t`Reading what happened in this session.`} />
      )}
    </main>
  );
}
