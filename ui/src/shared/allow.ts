/** Allows a finding where it stands, by a comment in the memory. */
import { t } from "@lingui/core/macro";
import type { Finding } from "@/bindings";
import { startAct } from "@/state/acts";

/** Groups whose findings are about no text that could carry a comment. */
const NO_PLACE = new Set(["events", "use"]);

/** True if a comment can allow a finding. */
export const canAllow = ({ rule, path }: Pick<Finding, "rule" | "path">): boolean =>
  path !== "" && !NO_PLACE.has(rule.slice(0, Math.max(0, rule.indexOf("/"))));

/** Opens the preview of the comment. */
export function allowHere(store: string, { rule, path, start, line }: Finding): void {
  startAct({
    command: "allow_finding",
    request: { store, path, line: start === null ? null : line, rule, reason: null, expect: null },
    subject: t`${rule} in ${path}`,
  });
}
