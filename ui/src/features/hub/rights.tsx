/** What each role may do, as `docs/HUB.md` lists it. The hub refuses the rest; this screen does not offer it and says why. */
import { useLingui } from "@lingui/react/macro";
import type { HubRole } from "@/bindings";
import { useWords } from "@/shared/ui";
import { useHub } from "@/state/hub";
import { say } from "@/state/toasts";
import css from "./hub.module.css";
import { ROLES } from "./words";

/** What a part of this screen needs. */
export type HubRight = "review" | "contents" | "send" | "audit" | "administer";

const MAY: Record<HubRight, readonly HubRole[]> = {
  review: ["owner", "reviewer"],
  contents: ["owner", "reviewer"],
  send: ["owner", "reviewer", "writer"],
  audit: ["owner", "auditor"],
  administer: ["owner"],
};

/** The role of this machine, as of the last sync; null while that is not known. */
export const useRole = (): HubRole | null => useHub().data?.role ?? null;

/** True if a role has a right. */
export const may = (role: HubRole | null, right: HubRight): boolean => role !== null && MAY[right].includes(role);

/** Says why this machine has not a right; null where it has. */
export function useWhyNot(): (right: HubRight) => string | null {
  const { t } = useLingui();
  const words = useWords();
  const role = useRole();
  return (right) => {
    if (role === null || may(role, right)) return null;
    const name = words(ROLES[role]);
    const why: Record<HubRight, string> = {
      review: t`Your role is ${name}: owners and reviewers approve, comment and propose.`,
      contents: t`Your role is ${name}: owners and reviewers read contents of other machines.`,
      send: t`Your role is ${name}: this machine sends nothing and carries nothing out.`,
      audit: t`Your role is ${name}: owners and auditors read the audit log.`,
      administer: t`Your role is ${name}: owners add machines, make tokens and acknowledge warnings.`,
    };
    return why[right];
  };
}

/** A plain line where something is not offered. Nothing where it is. */
export function WhyNot({ right }: { right: HubRight }) {
  const why = useWhyNot()(right);
  if (why === null) return null;
  return (
    <p className={css.why} data-testid="why-not" data-right={right}>
      {why}
    </p>
  );
}

/** Does something if the role may; a key that may not says why. */
export function useIfMay(): (right: HubRight, work: () => void) => void {
  const whyNot = useWhyNot();
  return (right, work) => {
    const why = whyNot(right);
    if (why === null) work();
    else say(() => ({ tone: "notice", title: whyNot(right) ?? why }));
  };
}
