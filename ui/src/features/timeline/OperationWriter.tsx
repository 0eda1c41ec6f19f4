/** Who wrote an operation, and where: in a row of the list, and above the chosen change. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Operation } from "@/bindings";
import { Actor } from "@/shared/labels";
import { useRead } from "@/state/queries";
import { storesOf, type Writers, writersOf } from "./writers";

/** The name of the store of an operation; “several stores” where there are several. */
export function useStoreNameOf(): (operation: Operation) => string {
  const { t } = useLingui();
  const { data } = useRead("stores", {});
  return (operation) => {
    const ids = storesOf(operation);
    if (ids.length !== 1) return t`several stores`;
    return data?.stores.find((store) => store.id === ids[0])?.name ?? t`removed store`;
  };
}

function Head({ writers }: { writers: Extract<Writers, { kind: "sessions" | "several" }> }) {
  const known = writers.writers.length;
  if (writers.kind === "sessions") return <Plural value={known} one="# session" other="# sessions" />;
  const sessions = writers.writers.filter(({ actor }) => actor?.type === "session_actor").length;
  return sessions > 1 ? <Trans>several sessions</Trans> : <Trans>several writers</Trans>;
}

/** Who wrote an operation, on a line. */
export function OperationWriter({ operation, brief = false }: { operation: Operation; brief?: boolean }) {
  const writers = writersOf(operation);
  if (writers.kind === "one") return <Actor actor={writers.actor} origin={writers.origin} brief={brief} />;
  return <Head writers={writers} />;
}

/** The writers of an operation one by one, where it is not one alone. */
export function OperationWriters({ operation }: { operation: Operation }) {
  const writers = writersOf(operation);
  if (writers.kind === "one" || writers.writers.length === 0) return null;
  return (
    <ul data-testid="operation-writers">
      {writers.writers.map(({ actor, origin }) => (
        <li key={JSON.stringify(actor)}>
          <Actor actor={actor} origin={origin} />
        </li>
      ))}
      {writers.kind === "several" && (
        <li className="muted">
          <Trans>Each change shows its own writer.</Trans>
        </li>
      )}
    </ul>
  );
}
