/** Words with their meaning: shown when the pointer rests on them, the focus comes to them, or somebody presses them. */
import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Tooltip, TooltipTrigger } from "react-aria-components/Tooltip";
import { GLOSSARY, isTerm, type TermName } from "./glossary";
import { useProgramWords } from "./program";
import { useWords } from "./ui";

/** Rest of the pointer before a meaning shows, in milliseconds. The focus shows it at once. */
const REST_MS = 400;

/** Something with a meaning. */
function Explained({ meaning, label, children }: { meaning: string; label?: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <TooltipTrigger delay={REST_MS} isOpen={open} onOpenChange={setOpen} shouldCloseOnPress={false}>
      {/* A tap has no rest before it, and Enter would do nothing else. */}
      <AriaButton
        slot={null}
        className="term"
        {...(label ? { "aria-label": label } : {})}
        onPress={() => setOpen(true)}
        data-testid="term"
      >
        {children}
      </AriaButton>
      <Tooltip className="popover term-meaning" placement="top" data-testid="term-meaning">
        {meaning}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** A term of the glossary, as the element that is shown for it. */
export function Term({ of, children }: { of: TermName; children: ReactNode }) {
  const say = useWords();
  return <Explained meaning={say(GLOSSARY[of])}>{children}</Explained>;
}

/** A mark beside the label of a field, whose name is a term of the glossary. */
export function TermMark({ of }: { of: string }) {
  const { t } = useLingui();
  const say = useWords();
  if (!isTerm(of)) return null;
  return (
    <Explained meaning={say(GLOSSARY[of])} label={t`What ${of} means`}>
      <span className="term-mark" aria-hidden>
        ?
      </span>
    </Explained>
  );
}

/** The name of a rule with what the rule finds. */
export function RuleTerm({ rule, children }: { rule: string; children: ReactNode }) {
  const say = useWords();
  const program = useProgramWords();
  const name = rule.slice(rule.indexOf("/") + 1);
  const meaning = isTerm(name) ? say(GLOSSARY[name]) : program.explanationOf(rule);
  return meaning ? <Explained meaning={meaning}>{children}</Explained> : <>{children}</>;
}
