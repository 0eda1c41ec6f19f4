/** The form of compaction: on the server, in the SDK's tool runner, or on demand. A setting holds at most one. */
import type { Message } from "@/bindings";
import { Trans, useLingui } from "@lingui/react/macro";
import { memo, useRef } from "react";
import { ChoiceSetting, type Edited, LaterText, NumberSetting } from "./fields";
import {
  about,
  chooseCompaction,
  type CompactionKind,
  compactionKind,
  DEFAULTS,
  editOf,
  type Json,
  onDemand,
  parseIndexes,
  patchEdit,
  SCALES,
  sdkThreshold,
  setOnDemand,
  setSdkThreshold,
  valueOf,
} from "./setting";
import { classes } from "@/shared/classes";
import labCss from "./lab.module.css";
import variantsCss from "./variants.module.css";

const COMPACT = "compact_20260112";

const serverTrigger = (config: Json, value: number) =>
  patchEdit(config, COMPACT, { trigger: { type: "input_tokens", value } });
const reaches = (config: Json, value: number) => setOnDemand(config, { context_reaches: value });

/** The part of a message that is about a field beside `compaction`. */
const aboutTop = (problem: Message | null, field: string) =>
  problem && [`${field}:`, `${field}.`].some((begin) => problem.text.startsWith(begin)) ? problem : null;

function OnDemandFields({ config, edited, problem }: { config: Json; edited: Edited; problem: Message | null }) {
  const { t } = useLingui();
  const { at, context_reaches, instructions } = onDemand(config);
  const byTokens = at === null;
  const set = (patch: Parameters<typeof setOnDemand>[1]) => edited.change((now) => setOnDemand(now, patch));
  return (
    <>
      <ChoiceSetting
        label={t`when`}
        value={byTokens ? "context_reaches" : "at"}
        options={[
          { value: "context_reaches", label: "context_reaches" },
          { value: "at", label: "at" },
        ]}
        onChange={(choice) => set(choice === "at" ? { at: [] } : { context_reaches: DEFAULTS.onDemandReaches })}
        testId="on-demand-when"
      />
      {byTokens ? (
        <NumberSetting
          label="context_reaches"
          value={context_reaches ?? DEFAULTS.onDemandReaches}
          scale={SCALES.onDemandReaches}
          problem={aboutTop(problem, "context_reaches")}
          edited={edited}
          write={reaches}
          testId="on-demand-reaches"
        />
      ) : (
        <LaterText
          label={t`before requests`}
          // People count requests from 1, as the chart does; the setting counts from 0.
          written={at.map((index) => index + 1).join(", ")}
          placeholder={t`such as 40, 80`}
          problem={aboutTop(problem, "at")}
          onTake={(text) => set({ at: parseIndexes(text) })}
          testId="on-demand-at"
        />
      )}
      <LaterText
        label="instructions"
        written={instructions}
        placeholder={t`none`}
        onTake={(text) => set({ instructions: text })}
        testId="on-demand-instructions"
      />
      <p className="muted small">
        <Trans>A request that compacts on demand takes no edits; they come back with another choice.</Trans>
      </p>
    </>
  );
}

/** The card. */
export const CompactionCard = memo(function CompactionCard({
  config,
  edited,
  problem,
}: {
  config: Json;
  edited: Edited;
  problem: Message | null;
}) {
  const { t } = useLingui();
  const kind = compactionKind(config);
  /** The edits that a choice of compaction on demand took out. */
  const laidAside = useRef<unknown>(undefined);
  const choose = (choice: CompactionKind) =>
    edited.change((now) => {
      const { edits } = now;
      if (choice === "on_demand") laidAside.current = edits;
      const back = compactionKind(now) === "on_demand" && edits === undefined && laidAside.current !== undefined;
      return chooseCompaction(back ? { edits: laidAside.current, ...now } : now, choice);
    });
  return (
    <section className={classes(labCss.card, variantsCss.editCard)} aria-label={t`Compaction`}>
      <h2>
        <Trans>Compaction</Trans>
      </h2>
      <ChoiceSetting
        label={t`kind`}
        value={kind}
        options={[
          { value: "off", label: t`off` },
          { value: "server", label: COMPACT },
          { value: "sdk", label: "compaction_control" },
          { value: "on_demand", label: t`compaction, on demand` },
        ]}
        onChange={choose}
        testId="compaction-kind"
      />
      {kind === "server" && (
        <NumberSetting
          label="trigger input_tokens"
          value={valueOf(editOf(config, COMPACT)?.trigger) ?? DEFAULTS.compactTrigger}
          scale={SCALES.compactTrigger}
          problem={about(problem, COMPACT, "trigger")}
          edited={edited}
          write={serverTrigger}
          testId="compact-trigger"
        />
      )}
      {kind === "sdk" && (
        <>
          <NumberSetting
            label="context_token_threshold"
            value={sdkThreshold(config)}
            scale={SCALES.sdkThreshold}
            edited={edited}
            write={setSdkThreshold}
            testId="sdk-threshold"
          />
          <p className="muted small">
            <Trans>The compaction of the SDKs before version 1: it works in the client, after the edits above.</Trans>
          </p>
        </>
      )}
      {kind === "on_demand" && <OnDemandFields config={config} edited={edited} problem={problem} />}
    </section>
  );
});
