/** How much of a rule was broken under each wording of its line: a small drawing, and the last edit of it in words. */
import { Trans, useLingui } from "@lingui/react/macro";
import type { RuleLedger, RuleWording } from "@/bindings";
import { classes } from "@/shared/classes";
import { useFormat } from "@/shared/format";
import css from "./trend.module.css";
import { effectOf, judgedOf, rateOf, type Step, stepsOf } from "./wordings";

const WIDTH = 140;
const HEIGHT = 24;
const FOOT = HEIGHT - 2;

/** Writes how much of it was broken: a rate, or a count where there are too few for one. */
export function useBroken(): (wording: Pick<RuleWording, "broken" | "opportunities">) => string {
  const { t } = useLingui();
  const format = useFormat();
  return (wording) => {
    const rate = rateOf(wording);
    const [broken, all] = [format.number(wording.broken), format.number(wording.opportunities)];
    return rate === null ? t`${broken} of ${all}` : format.share(rate);
  };
}

function Drawing({ steps, most }: { steps: readonly Step[]; most: number }) {
  const x = (of: number) => (of / 100) * WIDTH;
  const y = (share: number) => FOOT - (most === 0 ? 0 : (share / most) * (FOOT - 3));
  return (
    <svg className={css.drawing} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden>
      <path className={css.foot} d={`M0 ${FOOT + 0.5}H${WIDTH}`} />
      {steps.map(({ from, to, share, rated }) => (
        <g key={from}>
          <rect className={css.area} x={x(from)} y={y(share)} width={x(to - from)} height={FOOT - y(share)} />
          <path className={classes(css.level, !rated && css.few)} d={`M${x(from)} ${y(share)}H${x(to)}`} />
        </g>
      ))}
      {steps.slice(1).map(({ from }) => (
        <g key={from}>
          <path className={css.edit} d={`M${x(from)} 0V${FOOT}`} />
          <circle className={css.editFoot} cx={x(from)} cy={FOOT} r={2} />
        </g>
      ))}
    </svg>
  );
}

/** What the last edit did, or how the only wording fared. */
function Words({ rule, judged }: { rule: RuleLedger; judged: readonly RuleWording[] }) {
  const broken = useBroken();
  const [before, after] = [judged.at(-2), judged.at(-1)!];
  if (before) {
    const effect = effectOf(before, after);
    const [then, now] = [broken(before), broken(after)];
    return (
      <>
        {before.version_id === null ? <Trans>unwritten {then}</Trans> : <Trans context="an edit">before {then}</Trans>}{" "}
        →{" "}
        <strong className={effect === "better" ? "text-add" : effect === "worse" ? "text-del" : undefined}>
          <Trans context="an edit">after {now}</Trans>
        </strong>
      </>
    );
  }
  const share = broken(after);
  // All of it is from before the line stood there.
  if (after.version_id === null) return <Trans>not in force: was broken {share}</Trans>;
  const edited = rule.by_version.filter(({ version_id }) => version_id !== null).length > 1;
  if (after.followed === after.opportunities) return <Trans>always followed</Trans>;
  if (rateOf(after) === null) return <Trans>{share}, too few for a rate</Trans>;
  return edited ? <>{share}</> : <Trans>{share}, not edited</Trans>;
}

/** The drawing and its words. `most` is the largest share that any rule has, so that rows can be compared. */
export function Trend({ rule, most }: { rule: RuleLedger; most: number }) {
  const judged = judgedOf(rule);
  if (judged.length === 0) return null;
  return (
    <div className={css.trend} data-testid="rule-trend">
      <Drawing steps={stepsOf(judged)} most={most} />
      <span className={css.words}>
        <Words rule={rule} judged={judged} />
      </span>
    </div>
  );
}
