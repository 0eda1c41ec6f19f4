/** Messages after a pull and after a push: what came, what was sent, what is left. */
import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Pulled, Pushed } from "@/bindings";
import { sentenceNow, together } from "@/shared/sentences";
import { rememberUndo } from "@/state/acts";
import { navigate } from "@/state/route";
import { say, toasts } from "@/state/toasts";

/** The messages. */
export function useReports() {
  const { t } = useLingui();
  const sayPulled = ({ stores }: Pulled) => {
    toasts.clear();
    const versions = stores.reduce((sum, store) => sum + store.versions, 0);
    const open = stores.filter(({ finished }) => !finished);
    const redacted = stores.reduce((sum, store) => sum + store.redacted_at_host.length, 0);
    const gone = () =>
      redacted > 0
        ? plural(redacted, { one: "# version was redacted there", other: "# versions were redacted there" })
        : "";
    const before = stores.reduce((sum, store) => sum + store.redacted_before.length, 0);
    const held = () =>
      before > 0
        ? plural(before, {
            one: "# version holds what was redacted here before, and came without it",
            other: "# versions hold what was redacted here before, and came without it",
          })
        : "";
    if (open.length > 0) {
      const names = open.map(({ name }) => name).join(", ");
      say(() => ({ tone: "failure", title: t`Not finished: ${names}`, detail: sentenceNow(open[0]!.problem) }));
    } else if (versions === 0 && redacted === 0 && before === 0)
      say(() => ({ tone: "done", title: t`Nothing new at the host` }));
    else {
      const run = () => navigate({ screen: "inbox" });
      say(() => ({
        tone: "done",
        title: t`Pulled ${plural(versions, { one: "# version", other: "# versions" })}`,
        detail: together([gone(), held()]),
        action: { label: t`Open the inbox`, run },
      }));
    }
  };
  const sayPushed = ({ sent, conflicts, failed, problem }: Pushed) => {
    // An older message would offer to take back what is sent now.
    toasts.clear();
    rememberUndo(null);
    const left = () => [
      conflicts > 0 ? plural(conflicts, { one: "# met a newer edit", other: "# met newer edits" }) : "",
      failed > 0 ? plural(failed, { one: "# was refused", other: "# were refused" }) : "",
      sentenceNow(problem),
    ];
    const title = () =>
      sent === 0 ? t`Nothing was sent` : t`Sent ${plural(sent, { one: "# change", other: "# changes" })}`;
    say(() => ({ tone: left().some(Boolean) ? "failure" : "done", title: title(), detail: together(left()) }));
  };
  return { sayPulled, sayPushed };
}
