/** Recording of stores, as the screen of stores and the palette change it. Each act tells how it went. */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Store } from "@/bindings";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { sayFailed } from "./say-failed";

/** Does something and says why it failed, where it did. */
export function useReporting(): (work: () => Promise<void>) => Promise<void> {
  return async (work) => {
    try {
      await work();
    } catch (cause) {
      sayFailed(cause);
    }
  };
}

/** Scans stores, and pauses and resumes their recording. */
export function useRecordingActs() {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const set = (command: "pause_store" | "resume_store", store: Pick<Store, "id">) =>
    reporting(async () => {
      await backend.call(command, { store: store.id });
    });
  const scan = (stores: readonly Pick<Store, "id">[]) =>
    reporting(async () => {
      const found = await backend.call("scan", { stores: stores.map(({ id }) => id) });
      const versions = found.stores.reduce((sum, one) => sum + one.versions, 0);
      say(() => ({
        tone: "done",
        title:
          versions === 0
            ? t`Nothing changed on disk`
            : t`Recorded ${plural(versions, { one: "# version", other: "# versions" })}`,
      }));
    });
  return { set, scan };
}
