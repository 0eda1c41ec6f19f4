/** Recording of stores, as the screen of stores and the palette change it. Each act tells how it went. */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Store } from "@/bindings";
import { useBackend } from "@/state/backend";
import { say } from "@/state/toasts";
import { wordsFor } from "./failure";
import { useWords } from "./ui";

/** Does something and says why it failed, where it did. */
export function useReporting(): (work: () => Promise<void>) => Promise<void> {
  const { i18n } = useLingui();
  const words = useWords();
  return async (work) => {
    try {
      await work();
    } catch (cause) {
      const failure = wordsFor(cause);
      say({ tone: "failure", title: i18n._(failure.title), detail: failure.detail || words(failure.next) });
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
      say({
        tone: "done",
        title:
          versions === 0
            ? t`Nothing changed on disk`
            : t`Recorded ${plural(versions, { one: "# version", other: "# versions" })}`,
      });
    });
  return { set, scan };
}
