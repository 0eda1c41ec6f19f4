/** How a rule fared under each wording of its line. */
import type { RuleLedger, RuleWording } from "@/bindings";

/** Opportunities from which a rate is shown. */
const RATE_FROM = 10;

/** Wordings under which the rule applied, the oldest first. */
export const judgedOf = (rule: Pick<RuleLedger, "by_version">): RuleWording[] =>
  rule.by_version.filter(({ opportunities }) => opportunities > 0);

/** Share of the opportunities at which it was broken; null where there are too few for a rate. */
export const rateOf = ({ broken, opportunities }: Pick<RuleWording, "broken" | "opportunities">): number | null =>
  opportunities < RATE_FROM ? null : broken / opportunities;

/** What an edit did, where both sides have a rate. */
export function effectOf(before: RuleWording, after: RuleWording): "better" | "worse" | null {
  const [then, now] = [rateOf(before), rateOf(after)];
  if (then === null || now === null || then === now) return null;
  return now < then ? "better" : "worse";
}

/** A wording in the drawing: from where to where, of a hundred, how much of it was broken, and whether that is a rate. */
export interface Step {
  from: number;
  to: number;
  share: number;
  rated: boolean;
}

/** Least width of a step, of a hundred. */
const LEAST = 12;

/** Steps of the drawing, each as wide as its share of all opportunities. */
export function stepsOf(judged: readonly RuleWording[]): Step[] {
  const all = judged.reduce((sum, { opportunities }) => sum + opportunities, 0);
  const room = Math.max(0, 100 - LEAST * judged.length);
  let from = 0;
  return judged.map((wording) => {
    const to = from + Math.min(LEAST, 100 / judged.length) + (wording.opportunities / all) * room;
    const step = { from, to, share: wording.broken / wording.opportunities, rated: rateOf(wording) !== null };
    from = to;
    return step;
  });
}
