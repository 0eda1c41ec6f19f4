/** If new projects with memory are recorded without asking. */
import { Trans, useLingui } from "@lingui/react/macro";
import { useReporting } from "@/shared/store-acts";
import { Await, Checkbox } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { projectsAnswer, useProjects } from "@/state/projects";
import css from "./settings.module.css";

/** The section. */
export function Projects() {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const read = useProjects();
  const change = (always: boolean) =>
    void reporting(async () => void (await backend.call("set_new_projects", projectsAnswer({ always }))));
  return (
    <section className={css.settingsSection} aria-label={t`New projects`}>
      <h2>
        <Trans>New projects</Trans>
      </h2>
      <Await read={read} rows={1}>
        {({ always }) => (
          <Checkbox
            label={t`Record new projects that have memory without asking`}
            isSelected={always}
            onChange={change}
            data-testid="always-record"
          />
        )}
      </Await>
    </section>
  );
}
