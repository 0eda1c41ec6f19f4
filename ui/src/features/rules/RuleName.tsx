/** A rule by its sentence, which opens its evidence, with its kind, where it stands, and its guards. */
import { useLingui } from "@lingui/react/macro";
import type { RuleLedger } from "@/bindings";
import { ChevronIcon } from "@/shared/icons";
import { Chip, useWords } from "@/shared/ui";
import { formatRoute } from "@/state/route";
import { Guards } from "./Guards";
import css from "./rules.module.css";
import { patternWords, RULE_KINDS } from "./words";

/** A rule by its sentence. */
export function RuleName({ rule, open }: { rule: RuleLedger; open: boolean }) {
  const { t } = useLingui();
  const words = useWords();
  const pattern = patternWords(rule);
  return (
    <>
      <a
        href={formatRoute({ screen: "rules", rule: open ? undefined : rule.rule_id })}
        aria-expanded={open}
        className={css.sentence}
      >
        <span className={open ? "tree-chevron is-open" : "tree-chevron"} aria-hidden>
          <ChevronIcon />
        </span>
        <span>{rule.sentence || pattern}</span>
      </a>
      <div className={css.about}>
        <Chip title={t`Counted: ${pattern}`}>{words(RULE_KINDS[rule.kind])}</Chip>
        {rule.source && <span className="muted mono">{rule.source}</span>}
        <Guards rule={rule} />
      </div>
    </>
  );
}
