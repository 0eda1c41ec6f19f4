/** Progress of long work, and the way to stop it. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useFormat } from "./format";
import { Button } from "./ui";
import type { Job } from "@/state/jobs";

/** A bar with the way to stop. */
export function JobProgress({ job, label }: { job: Pick<Job, "progress" | "cancel">; label: string }) {
  const { t } = useLingui();
  const format = useFormat();
  const { progress } = job;
  const total = progress?.total ?? null;
  return (
    <div className="job-progress" role="status" data-testid="job-progress">
      <progress aria-label={label} max={total ?? 1} {...(total === null ? {} : { value: progress?.done ?? 0 })} />
      <span className="num">
        {progress && total !== null ? t`${format.number(progress.done)} of ${format.number(total)}` : label}
      </span>
      <Button onPress={job.cancel} data-testid="job-cancel">
        <Trans>Stop</Trans>
      </Button>
    </div>
  );
}
