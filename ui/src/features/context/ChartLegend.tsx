/** Legend of the chart: its lines and marks. The list beside it names the parts. */
import { useLingui } from "@lingui/react/macro";
import { memo } from "react";
import type { Mark } from "./chart";
import { type ChartLine, MarkShape } from "./ChartParts";
import type { Letter } from "./lab";
import { classes } from "@/shared/classes";
import css from "./chart.module.css";

/** The picture of a mark, beside its word in the legend. */
function MarkSwatch({ mark }: { mark: Mark["mark"] }) {
  const place = mark === "regret" ? { x: 7, y: 22 } : { x: 7, y: 7 };
  return (
    <svg className="swatch" viewBox="0 0 14 14" width="14" height="14" aria-hidden focusable="false">
      <MarkShape mark={mark} {...place} base={3} />
    </svg>
  );
}

/** The legend. */
export const Legend = memo(function Legend({
  lines,
  chosen,
  marks,
}: {
  lines: readonly ChartLine[];
  chosen: Letter;
  marks: readonly Mark[];
}) {
  const { t } = useLingui();
  const words: [Mark["mark"], string][] = [
    ["clearing", t`clearing`],
    ["thinking", t`thinking cleared`],
    ["compaction", t`compaction`],
    ["regret", t`needed again`],
    ["recorded", t`removed while recording`],
  ];
  return (
    <ul className={css.legend} aria-label={t`Legend`}>
      {(lines.length > 1 ? lines : []).map(({ letter, name }) => (
        <li key={letter} className={letter === chosen ? "is-chosen" : undefined}>
          <svg className="swatch" viewBox="0 0 22 8" width="22" height="8" aria-hidden focusable="false">
            <path
              className={classes(css.chartLine, css[`line-${letter}`], letter === chosen && "is-chosen")}
              d="M0 4h22"
            />
          </svg>
          {name}
        </li>
      ))}
      {words
        .filter(([mark]) => marks.some((one) => one.mark === mark))
        .map(([mark, word]) => (
          <li key={mark}>
            <MarkSwatch mark={mark} />
            {word}
            <span className="muted num">{marks.filter((one) => one.mark === mark).length}</span>
          </li>
        ))}
    </ul>
  );
});
