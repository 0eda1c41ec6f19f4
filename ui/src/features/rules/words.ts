/** Words of rules: kinds, outcomes, causes, and what a rule asks as one line. */
import type { MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { RuleFields, RuleKind, RuleOutcome } from "@/bindings";

/** Kinds of rules. */
export const RULE_KINDS: Record<RuleKind, MessageDescriptor> = {
  command_never: msg`never runs`,
  command_form: msg`how it runs`,
  order: msg`in this order`,
  path_never: msg`never writes`,
  at_end: msg`at the end`,
  ask_first: msg`asks first`,
  text_form: msg`how it writes`,
};

/** What became of a point at which a rule applied. */
export const OUTCOMES: Record<RuleOutcome, MessageDescriptor> = {
  followed: msg`followed`,
  broken: msg`broken`,
  excepted: msg`excepted`,
  predates: msg`not in force`,
  undecidable: msg`undecidable`,
};

/** What a rule asks, as one line. */
export function patternWords(rule: RuleFields): string {
  const command = [rule.program ?? "", ...(rule.arguments ?? [])].filter(Boolean).join(" ");
  const form = rule.form ?? "";
  const [before, after] = [rule.before ?? "", rule.after ?? ""];
  const paths = (rule.paths ?? []).join(", ");
  switch (rule.kind) {
    case "command_never":
      return t`never ${command}`;
    case "command_form": {
      const without = form.replace(/^!/, "");
      return form.startsWith("!") ? t`${command} without ${without}` : t`${command} as ${form}`;
    }
    case "order":
      return t`${before} before ${after}`;
    case "path_never":
      return t`never write ${paths}`;
    case "at_end":
      return t`${command} at the end`;
    case "ask_first":
      return t`ask before ${command}`;
    case "text_form": {
      const without = form.replace(/^!/, "");
      if (form.startsWith("!")) return t`no ${without} in ${paths}`;
      const each = rule.text ?? "";
      return each === "" ? t`${form} in each write to ${paths}` : t`${form} for each “${each}” in ${paths}`;
    }
  }
}
