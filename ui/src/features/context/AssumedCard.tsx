/** Assumptions of all variants in place of what was recorded. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useRead } from "@/state/queries";
import { assume, CACHE_LIVES, useAssumed } from "./assumed";
import { ChoiceSetting } from "./fields";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import variantsCss from "./variants.module.css";

const AS_RECORDED = "";

/** Models that have a price, each once, as model ids begin. */
function useModels(): string[] {
  const { data } = useRead("prices", {});
  return [...new Set(data?.prices.map(({ model }) => model) ?? [])].sort();
}

/** The card. */
export function AssumedCard({ recorded }: { recorded: string | null }) {
  const { t } = useLingui();
  const { model, cache_ttl } = useAssumed();
  const models = useModels();
  const known = model === null || models.includes(model) ? models : [model, ...models];
  const lives = CACHE_LIVES.map((life) => ({ value: life, label: life === "5m" ? t`5 minutes` : t`1 hour` }));
  return (
    <section
      className={classes(labCss.card, variantsCss.editCard)}
      aria-label={t`Assumed for all variants`}
      data-testid="assumed"
    >
      <h2>
        <Trans>Assumed for all variants</Trans>
      </h2>
      <ChoiceSetting
        label={t`model`}
        value={model ?? AS_RECORDED}
        options={[
          { value: AS_RECORDED, label: recorded === null ? t`as recorded` : t`as recorded: ${recorded}` },
          ...known.map((value) => ({ value, label: value })),
        ]}
        onChange={(value) => assume({ model: value || null })}
        testId="assumed-model"
      />
      <ChoiceSetting
        label={t`cache lives for`}
        value={cache_ttl ?? AS_RECORDED}
        options={[{ value: AS_RECORDED, label: t`as recorded` }, ...lives]}
        onChange={(value) => assume({ cache_ttl: value || null })}
        testId="assumed-cache"
      />
    </section>
  );
}
