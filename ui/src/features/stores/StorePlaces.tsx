/** Entries of a store's menu that lead elsewhere, the same for a directory and for a mirror. */
import { Trans } from "@lingui/react/macro";
import { MenuEntry } from "@/shared/menu";
import { navigate } from "@/state/route";

/** Where a store's menu leads. `compareTestId` names the first entry for tests. */
export function StorePlaces({ store, compareTestId }: { store: string; compareTestId: string }) {
  return (
    <>
      <MenuEntry onAction={() => navigate({ screen: "stores", view: "compare", from: store })} testId={compareTestId}>
        <Trans>Compare with…</Trans>
      </MenuEntry>
      <MenuEntry onAction={() => navigate({ screen: "timeline", store })}>
        <Trans>Timeline of this store</Trans>
      </MenuEntry>
    </>
  );
}
