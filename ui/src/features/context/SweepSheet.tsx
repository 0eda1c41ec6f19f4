/** A sweep: many settings over one or several transcripts, and those that no other beats in peak, cost and regrets. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { TextField, Input, Label } from "react-aria-components/TextField";
import type { Recommendation, Sweep } from "@/bindings";
import { Sheet } from "@/shared/overlay";
import { Button, Checkbox, Failure } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { assumed } from "./assumed";
import { FIRST_GRID, type GridDraft, gridOf, parseNumbers } from "./grid";
import { JobProgress } from "@/shared/JobProgress";
import { useJob } from "@/state/jobs";
import { put } from "./lab";
import { SweepFound } from "./SweepFound";
import { useTranscripts } from "@/shared/runs";
import { rowOf } from "./transcripts";
import sheetsCss from "./sheets.module.css";

/** Settings that one sweep may try from here. */
const MAX = 5000;
/** Other transcripts of the project that may be taken along. */
const MAX_OTHERS = 20;

function GridForm({ draft, onChange }: { draft: GridDraft; onChange: (draft: GridDraft) => void }) {
  const { t } = useLingui();
  const fields: { field: keyof GridDraft; label: string; hint: string; numbers: boolean }[] = [
    { field: "triggers", label: "trigger input_tokens", hint: t`one or several, such as 30k, 60k`, numbers: true },
    { field: "keeps", label: "keep tool_uses", hint: t`one or several`, numbers: true },
    { field: "least", label: "clear_at_least", hint: t`0 for none`, numbers: true },
    { field: "exclude", label: "exclude_tools", hint: t`none`, numbers: false },
    { field: "thinking", label: "keep thinking_turns", hint: t`empty: leave thinking alone`, numbers: true },
  ];
  return (
    <div className={sheetsCss.gridForm}>
      {fields.map(({ field, label, hint, numbers }) => {
        const invalid = numbers && parseNumbers(draft[field]) === null;
        return (
          <TextField
            key={field}
            className={sheetsCss.gridField}
            value={draft[field]}
            isInvalid={invalid}
            onChange={(value) => onChange({ ...draft, [field]: value })}
          >
            <Label className="mono">{label}</Label>
            <Input type="text" placeholder={hint} data-testid={`grid-${field}`} />
            {invalid && (
              <span className="field-problem" role="alert">
                <Trans>Whole numbers, with commas between.</Trans>
              </span>
            )}
          </TextField>
        );
      })}
    </div>
  );
}

/** Trying all settings of a grid. */
function useSweep(first: Sweep | null) {
  const backend = useBackend();
  const job = useJob("sweep");
  const [sweep, setSweep] = useState<Sweep | null>(first);
  const [failure, setFailure] = useState<unknown>(null);
  const run = (transcripts: string[], grid: NonNullable<ReturnType<typeof gridOf>>["grid"]) =>
    job.run(async (name) => {
      setFailure(null);
      setSweep(null);
      try {
        setSweep(await backend.call("context_sweep", { transcripts, grid, job: name, ...assumed.get() }));
      } catch (cause) {
        setFailure(cause);
      }
    });
  return { job, sweep, failure, run };
}

/** What a recommendation tried, as a sweep of one transcript. */
const asSweep = (tried: Recommendation): Sweep => ({ ...tried, transcripts: 1 });

/** Props of the dialog. */
interface SweepSheetProps {
  transcript: string;
  /** What was tried already, shown at once. */
  tried?: Recommendation;
  /** Called when a setting was put on the bench. */
  onUse: () => void;
  onClose: () => void;
}

/** The dialog. */
export function SweepSheet({ transcript, tried, onUse, onClose }: SweepSheetProps) {
  const { t } = useLingui();
  const all = useTranscripts().data?.transcripts ?? [];
  const [draft, setDraft] = useState(FIRST_GRID);
  const [project, setProject] = useState(false);
  const { job, sweep, failure, run } = useSweep(tried ? asSweep(tried) : null);
  const own = rowOf(all, transcript);
  const others = all
    .filter((row) => row.id !== own?.id && own?.project && row.project === own.project && row.requests > 1)
    .slice(0, MAX_OTHERS)
    .map(({ id }) => id);
  const grid = gridOf(draft);
  const tooMany = grid !== null && grid.count > MAX;
  return (
    <Sheet
      title={t`Sweep`}
      onClose={() => {
        job.cancel();
        onClose();
      }}
      size="large"
      testId="sweep-sheet"
      footer={
        <>
          <span className="muted" data-testid="sweep-count">
            {grid &&
              (tooMany ? (
                <Trans>{grid.count} settings are more than one sweep takes</Trans>
              ) : (
                <Plural value={grid.count} one="# setting" other="# settings" />
              ))}
          </span>
          <span className="spacer" />
          <Button
            tone="primary"
            isDisabled={!grid || tooMany}
            isPending={job.name !== null}
            onPress={() => grid && void run([transcript, ...(project ? others : [])], grid.grid)}
            data-testid="sweep-run"
          >
            <Trans>Try them all</Trans>
          </Button>
        </>
      }
    >
      <p className="muted">
        <Trans>Every combination of these values is tried on the run, on this machine. Nothing is sent.</Trans>
      </p>
      <GridForm draft={draft} onChange={setDraft} />
      {others.length > 0 && (
        <Checkbox
          label={
            <Plural
              value={others.length}
              one="Also over # other transcript of this project"
              other="Also over # other transcripts of this project"
            />
          }
          isSelected={project}
          onChange={setProject}
          data-testid="sweep-project"
        />
      )}
      {job.name !== null && <JobProgress job={job} label={t`trying`} />}
      {failure !== null && <Failure error={failure} />}
      {sweep && (
        <SweepFound
          sweep={sweep}
          onUse={(point) => {
            put({ name: "", config: point.variant.config });
            onClose();
            onUse();
          }}
        />
      )}
    </Sheet>
  );
}
