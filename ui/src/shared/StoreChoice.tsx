/** Choice of the store a screen is about: one of them, or all. */
import { useLingui } from "@lingui/react/macro";
import { spelled } from "./hidden";
import { useRead } from "@/state/queries";

/** Props of the choice. */
export interface StoreChoiceProps {
  /** The chosen store, `memstore_…`; all when absent. */
  store: string | undefined;
  /** Called with another one. */
  onChange: (store: string | undefined) => void;
  /** Name for tests. */
  testId: string;
}

/** A list of the stores, with all of them first. */
export function StoreChoice({ store, onChange, testId }: StoreChoiceProps) {
  const { t } = useLingui();
  const stores = useRead("stores", {});
  return (
    <select
      aria-label={t`Store`}
      value={store ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
      data-testid={testId}
    >
      <option value="">{t`All stores`}</option>
      {stores.data?.stores.map(({ id, name }) => (
        <option key={id} value={id}>
          {spelled(name)}
        </option>
      ))}
    </select>
  );
}
