/** What a memory costs and does, in words: the same on the screen of health and on the memory's own page. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { MemoryEffect, RuleTally, RuleWorth } from "@/bindings";
import { useFormat } from "./format";
import { Quoted } from "./punctuation";
import { Chip, useWords } from "./ui";

const EFFECTS: Record<MemoryEffect, MessageDescriptor> = {
  never_present: msg`never before a model`,
  no_better: msg`rules no better than before`,
  better: msg`rules better than before`,
  too_few: msg`too few opportunities to compare`,
  no_rule: msg`no rule to count`,
};

/** Share of the points at which a rule was followed; null below ten, where a count says more. */
export function rateOf({ followed, broken }: RuleTally): number | null {
  const all = followed + broken;
  return all < 10 ? null : followed / all;
}

/** What a memory does. */
export function Effect({ effect }: { effect: MemoryEffect }) {
  const words = useWords();
  const isIdle = effect === "no_better" || effect === "never_present";
  return <Chip tone={isIdle ? "warn" : "plain"}>{words(EFFECTS[effect])}</Chip>;
}

function Tally({ tally }: { tally: RuleTally }) {
  const format = useFormat();
  const rate = rateOf(tally);
  const followed = format.number(tally.followed);
  const all = format.number(tally.followed + tally.broken);
  if (rate === null)
    return (
      <Trans>
        {followed} of {all} followed
      </Trans>
    );
  const share = format.share(rate);
  return (
    <Trans>
      {followed} of {all} followed ({share})
    </Trans>
  );
}

/** How a rule fared before its line was written, and after. */
export function RuleFared({ rule }: { rule: RuleWorth }) {
  return (
    <>
      <Quoted>{rule.sentence}</Quoted>{" "}
      <span className="muted">
        <Trans>before it was written</Trans> <Tally tally={rule.before} />
        {" · "}
        <Trans>after</Trans> <Tally tally={rule.after} />
      </span>
    </>
  );
}
