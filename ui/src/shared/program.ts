/** The program's words for rules and findings, in the language of the window. */
import type { I18n } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react";
import type { Finding, FindingRule, Message } from "@/bindings";
import type { MessageId } from "@/bindings/messages";
import { RULES } from "@/bindings/words";
import { sentenceIn, together } from "./sentences";

/** Message of a finding about its place. One that names a secret names it as its rule does. */
export function messageIn(i18n: I18n, { rule, message }: Pick<Finding, "rule" | "message">): string {
  const name = RULES[rule]?.name;
  const masked: MessageId[] = ["page.masked", "page.masked_one"];
  if (!name || !masked.some((id) => id === message.id)) return sentenceIn(i18n, message);
  return sentenceIn(i18n, { ...message, args: { ...message.args, name: i18n._(name) } });
}

/** Explanation of a rule. */
function explanationIn(i18n: I18n, { id, explanation }: Pick<FindingRule, "id" | "explanation">): string {
  const known = RULES[id];
  if (!known) return explanation;
  if (known.explanation) return i18n._(known.explanation);
  const name = i18n._(known.name);
  const format = /Format: (.+)\.$/su.exec(explanation)?.[1] ?? "";
  return i18n._(
    msg`A secret stands in a memory, where every later session and everybody with the file reads it: ${name}. Format: ${format}.`,
  );
}

/**
 * Why an act moves a line more than are cut off: without it the link to where they go would be cut off itself. Empty where it
 * moves just those.
 */
function roomIn(i18n: I18n, { line, remedies = [] }: Pick<Finding, "line" | "remedies">): string {
  const move = remedies.find((remedy) => remedy.act === "move_lines");
  if (!move || move.from >= line) return "";
  const first = move.from;
  const lines = move.to - first + 1;
  return i18n._(
    msg`Line ${first} moves with them, as the link to them takes its place: ${plural(lines, { one: "# line", other: "# lines" })}.`,
  );
}

/** Says what the program says. In English that is the program's own text. */
export function useProgramWords() {
  const { i18n } = useLingui();
  const english = i18n.locale === "en";
  return {
    /** A sentence. */
    sentence: (message: Message | null | undefined) => (message ? sentenceIn(i18n, message) : ""),
    /** Message of a finding about its place. */
    message: (finding: Pick<Finding, "rule" | "message">) => messageIn(i18n, finding),
    /** Advice for a finding. */
    remedy: (finding: Pick<Finding, "rule" | "remedy" | "line" | "remedies">) => {
      const { rule, remedy } = finding;
      const known = RULES[rule];
      const advice = english || !known || remedy === "" ? remedy : i18n._(known.remedy);
      return together([advice, roomIn(i18n, finding)]);
    },
    /** What an act moves beyond what a finding speaks of. */
    room: (finding: Pick<Finding, "line" | "remedies">) => roomIn(i18n, finding),
    /** Explanation of a rule. */
    explanation: (rule: Pick<FindingRule, "id" | "explanation">) =>
      english ? rule.explanation : explanationIn(i18n, rule),
    /** Explanation of a rule by its id; empty where this page does not know it, or its name says it all. */
    explanationOf: (rule: string) => {
      const known = RULES[rule]?.explanation;
      return known ? i18n._(known) : "";
    },
    /** Name of a rule; a newer program may have rules that this page does not know. */
    ruleName: (rule: string) => {
      const known = RULES[rule];
      return known ? i18n._(known.name) : rule.slice(rule.indexOf("/") + 1).replaceAll("-", " ");
    },
  };
}
