/** Legend of the chart: its lines, bands and marks. */
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
  framing,
}: {
  lines: readonly ChartLine[];
  chosen: Letter;
  marks: readonly Mark[];
  /** True if every request is known as it was sent, so that the rest is the framing of the API. */
  framing: boolean;
}) {
  const { t } = useLingui();
  const words: [Mark["mark"], string][] = [
    ["clearing", t`clearing`],
    ["thinking", t`thinking cleared`],
    ["compaction", t`compaction`],
    ["regret", t`needed again`],
    ["recorded", t`removed while recording`],
  ];
  const bands: [string, string][] = [
    ["conversation", t`conversation and tools`],
    ["unknown", framing ? t`framing` : t`not recorded`],
    ["fixed", t`memory + system`],
  ];
  return (
    <ul className={css.legend} aria-label={t`Legend`}>
      {lines.map(({ letter, name }) => (
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
      {bands.map(([band, word]) => (
        <li key={band}>
          <svg className="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden focusable="false">
            <rect className={classes("band", css[`band-${band}`])} width="12" height="12" rx="2" />
          </svg>
          {word}
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
