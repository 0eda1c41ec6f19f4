/** Says over every screen that new projects have memory, until they are recorded or declined. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Found } from "@/bindings";
import { useReporting } from "@/shared/store-acts";
import { Button } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { projectsAnswer } from "@/state/projects";
import { navigate } from "@/state/route";
import { say } from "@/state/toasts";
import css from "./stores.module.css";

/** Names that are shown; the rest is a number. */
const NAMED = 3;

/** Answers to the notice. */
function useAnswers(found: readonly Found[]) {
  const { t } = useLingui();
  const backend = useBackend();
  const reporting = useReporting();
  const answer = (change: Parameters<typeof projectsAnswer>[0]) =>
    backend.call("set_new_projects", projectsAnswer(change));
  const add = async () => {
    // Kind and a free name are looked up by the program.
    for (const { root } of found) await backend.call("add_store", { root, kind: null, name: null });
  };
  const record = () =>
    reporting(async () => {
      await add();
      say(() => ({
        tone: "done",
        title: plural(found.length, { one: "# project is recorded", other: "# projects are recorded" }),
        action: { label: t`Open`, run: () => navigate({ screen: "stores" }) },
      }));
    });
  const always = () =>
    reporting(async () => {
      await answer({ always: true });
      await add();
      say(() => ({
        tone: "done",
        title: t`New projects are recorded without asking`,
        detail: t`Settings changes that.`,
        action: { label: t`Undo`, run: () => void reporting(async () => void (await answer({ always: false }))) },
      }));
    });
  const decline = () =>
    reporting(async () => {
      const roots = found.map(({ root }) => root);
      await answer({ decline: roots });
      say(() => ({
        tone: "done",
        title: plural(found.length, { one: "# project is not recorded", other: "# projects are not recorded" }),
        detail: t`They are not offered again. Stores can record them at any time.`,
        action: { label: t`Undo`, run: () => void reporting(async () => void (await answer({ offer: roots }))) },
      }));
    });
  return { record, always, decline };
}

/** The notice. */
export function NewProjects({ found }: { found: readonly Found[] }) {
  const { t } = useLingui();
  const { record, always, decline } = useAnswers(found);
  const [busy, setBusy] = useState(false);
  const names = found.slice(0, NAMED).map(({ name }) => name);
  const more = found.length - names.length;
  const doing = (act: () => Promise<void>) => () => {
    setBusy(true);
    void act().finally(() => setBusy(false));
  };
  return (
    <div className={css.newProjects} role="status" data-testid="new-projects">
      <span title={found.map(({ root }) => root).join("\n")}>
        <strong>
          <Plural value={found.length} one="# new project has memory:" other="# new projects have memory:" />
        </strong>{" "}
        {names.join(", ")}
        {more > 0 && t` and ${more} more`}
      </span>
      <span className={css.newProjectsActs}>
        <Button isPending={busy} onPress={doing(record)} data-testid="new-projects-record">
          {plural(found.length, { one: "Record it", other: "Record them" })}
        </Button>
        <Button tone="quiet" isDisabled={busy} onPress={doing(always)} data-testid="new-projects-always">
          <Trans>Always record new ones</Trans>
        </Button>
        <Button tone="quiet" isDisabled={busy} onPress={doing(decline)} data-testid="new-projects-decline">
          <Trans>Do not record</Trans>
        </Button>
      </span>
    </div>
  );
}
