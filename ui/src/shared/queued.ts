/** Text for an act whose changes wait to be sent to a host. */
import { t } from "@lingui/core/macro";
import type { ActResult } from "@/bindings";
import type { Backend } from "@/host";
import { type Message, say } from "@/state/toasts";
import { hostsOf } from "./hosts";
import { sentenceNow, together } from "./sentences";

/** Says that an act was queued for a host, with the way back. */
export async function sayQueued(
  backend: Backend,
  result: ActResult,
  subjectOf: () => string,
  action: () => NonNullable<Message["action"]>,
  more = () => "",
): Promise<void> {
  const stores = [...result.writes, ...result.deletes].map(({ store_id }) => store_id);
  const known = await hostsOf(backend, stores);
  say(() => {
    const host = known || t`its host`;
    const subject = subjectOf();
    const detail = together([t`Push to send it`, more(), ...result.warnings.map(sentenceNow)]);
    const tone = result.partial ? "failure" : "notice";
    return { tone, title: t`Queued for ${host}: ${subject}`, detail, action: action() };
  });
}
