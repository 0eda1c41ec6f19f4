/** Panels beside the chart: the figures of a variant, what it is regretted for, the memory files of the run. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { memo, useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import type { ContextFile, Regret, RegretRule, Simulation } from "@/bindings";
import { useFormat } from "@/shared/format";
import { LineText } from "@/shared/LineText";
import { hiddenIn } from "@/shared/hidden";
import { ShortPath } from "@/shared/ShortPath";
import { Button, useWords } from "@/shared/ui";
import { AtLeast } from "./AtLeast";
import { Change, Figure } from "./Figure";
import { BASE, type Letter } from "./lab";
import { PartialTokens } from "./PartialTokens";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import panelsCss from "./panels.module.css";

/** Peak, price, and when a clearing has paid for itself. */
export const Figures = memo(function Figures({
  simulation,
  base,
  letter,
}: {
  simulation: Simulation;
  base: Simulation | null;
  letter: Letter;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const { totals } = simulation;
  const own = letter !== BASE;
  const payback = totals.pays_back_after;
  return (
    <section
      className={classes(labCss.card, panelsCss.figures)}
      aria-label={t`Figures of variant ${letter}`}
      data-testid="figures"
    >
      <p className="muted">
        <Trans>Peak context</Trans>
      </p>
      <p className={panelsCss.big}>
        <Figure text={format.compact(totals.peak)} kind={totals.kind} range={totals.range_percent} />
        {own && <Change value={totals.peak} base={base?.totals.peak} />}
      </p>
      <p className="muted">
        <Trans>Cost of the run</Trans>
      </p>
      <p className={panelsCss.big}>
        {totals.cost_usd === null ? (
          <span className={classes("muted", panelsCss.unknownPrice)}>
            <Trans>no price for this model</Trans>
          </span>
        ) : (
          <span className="num">
            {totals.requests_fast_without_price > 0 && "≥\u202f"}
            {format.dollars(totals.cost_usd)}
          </span>
        )}
        {own && <Change value={totals.cost_usd} base={base?.totals.cost_usd} />}
      </p>
      <AtLeast fast={totals.requests_fast_without_price} />
      {own && (
        <>
          <p className="muted">
            <Trans>Each clearing pays back after</Trans>
          </p>
          <p className={panelsCss.big}>
            {totals.clears === 0 ? (
              <span className={classes(panelsCss.unknownPrice, "muted")}>
                <Trans>nothing is cleared</Trans>
              </span>
            ) : payback === null ? (
              <span className={classes(panelsCss.unknownPrice, "text-del")}>
                <Trans>not within this run</Trans>
              </span>
            ) : (
              t`${format.decimal(payback)} requests`
            )}
          </p>
        </>
      )}
    </section>
  );
});

const RULES: Record<RegretRule, MessageDescriptor> = {
  read_again: msg`read again`,
  run_again: msg`run again`,
  quoted: msg`quoted`,
  edited_against: msg`edited against`,
};

/** Untrusted text on one line: only ever text, hidden characters visible. */
export function SafeText({ text, most = 160 }: { text: string; most?: number }) {
  const line = text.replace(/\s+/g, " ").trim();
  const shown = line.length > most ? `${line.slice(0, most)}…` : line;
  return <LineText text={shown} hidden={hiddenIn(shown)} />;
}

/** A label with long paths cut from the front: their ends are what people know them by. */
export function shortLabel(label: string): string {
  return label.replace(/(?:[^\s/]*\/){3,}([^\s/]+\/[^\s/]+)/g, "…/$1");
}

/** So many regrets are listed at first. */
const FIRST_REGRETS = 3;

/** Results that were cleared and needed later. */
export const Regrets = memo(function Regrets({
  regrets,
  onOpen,
}: {
  regrets: readonly Regret[];
  onOpen: (regret: Regret) => void;
}) {
  const { t } = useLingui();
  const say = useWords();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const shown = all ? regrets : regrets.slice(0, FIRST_REGRETS);
  return (
    <section className={labCss.card} aria-label={t`Cleared, then needed`} data-testid="regrets">
      <h2>
        <Trans>Cleared, then needed</Trans>
        {regrets.length > 0 && <span className="muted num"> {format.number(regrets.length)}</span>}
      </h2>
      {regrets.length === 0 && (
        <p className="muted">
          <Trans>Nothing that this setting clears was needed again in this run.</Trans>
        </p>
      )}
      <ul className={panelsCss.regretList}>
        {shown.map((regret) => {
          const rule = RULES[regret.rule];
          const word = rule ? say(rule) : regret.rule;
          return (
            <li key={`${regret.tool_use_id} ${regret.needed_at}`}>
              <AriaButton
                className={panelsCss.regret}
                onPress={() => onOpen(regret)}
                data-testid="regret"
                data-needed={regret.needed_at}
              >
                <span className={classes("mono", panelsCss.regretLabel)} title={regret.label}>
                  <SafeText text={shortLabel(regret.label)} most={80} />
                </span>
                <span className="muted">
                  <Trans>
                    cleared at request {regret.cleared_at + 1}, {word} at {regret.needed_at + 1}
                  </Trans>
                  {" · "}
                  <Figure text={format.number(regret.tokens)} kind="counted offline" /> <Trans>tokens</Trans>
                </span>
              </AriaButton>
            </li>
          );
        })}
      </ul>
      {regrets.length > shown.length && (
        <Button tone="quiet" onPress={() => setAll(true)}>
          <Trans>All {regrets.length}</Trans>
        </Button>
      )}
    </section>
  );
});

/** Half the width of an estimate's range in percent; null where it has none. */
export function rangePercent({ after, range }: Simulation["requests"][number]): number | null {
  return range && after > 0 ? ((range[1] - range[0]) / 2 / after) * 100 : null;
}

/** The memory and instruction files of the run, with what carrying them cost. */
export const MemoryFiles = memo(function MemoryFiles({
  files,
  onAll,
}: {
  files: readonly ContextFile[];
  onAll: () => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <section className={labCss.card} aria-label={t`Memory files`} data-testid="memory-files">
      <h2>
        <Trans>Memory and instructions</Trans>
      </h2>
      {files.length === 0 && (
        <p className="muted">
          <Trans>This transcript does not record what was loaded.</Trans>
        </p>
      )}
      <ul className={panelsCss.filePrices}>
        {files.slice(0, 8).map((file) => (
          <li key={file.path}>
            <span className={classes(panelsCss.partName, "mono")} title={file.path}>
              <ShortPath path={file.path} />
            </span>
            <span className="muted">
              <PartialTokens tokens={file.tokens} partial={file.partial} /> <Trans>tokens</Trans> ·{" "}
              <Plural value={file.requests} one="# request" other="# requests" />
              {file.cost_usd !== null && (
                <>
                  {" "}
                  · <span className="num">{format.dollars(file.cost_usd)}</span>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <Button tone="quiet" onPress={onAll} data-testid="all-memory-prices">
        <Trans>Over all sessions…</Trans>
      </Button>
    </section>
  );
});
