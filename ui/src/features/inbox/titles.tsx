/** What a row of the inbox is called, in one line, and what stands below it. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Finding, InboxItem, TriageRow } from "@/bindings";
import { Actor } from "@/shared/labels";
import { useProgramWords } from "@/shared/program";
import { useSessionName } from "@/shared/session";
import css from "./inbox.module.css";
import { nameOf } from "./words";

/** The name of a change's memory. */
export function useItemName(): (item: Pick<InboxItem, "path"> | undefined) => string {
  const { t } = useLingui();
  return (item) => (item && nameOf(item)) ?? t`Redacted memory`;
}

/** What a session's row is called by: its title where its transcript was read, else a prompt as soon as one is known. */
function wordsOf({ items }: TriageRow): string | null {
  const origins = items.flatMap(({ origin }) => origin ?? []);
  return origins.find(({ title }) => title)?.title ?? origins.findLast(({ prompt }) => prompt)?.prompt ?? null;
}

/** A title taken apart: a reason, or what several changes have in common. */
export function RowTitle({ row }: { row: TriageRow }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const name = useItemName()(row.items[0]);
  const count = row.versions.length;
  const rule = row.finding ? program.ruleName(row.finding.rule) : "";
  const sessionName = useSessionName();
  const words = wordsOf(row);
  switch (row.kind) {
    case "single":
      return <NeedTitle row={row} rule={rule} name={name} />;
    case "deleted_together":
      return <Plural value={count} one="# memory deleted" other="# memories deleted at once" />;
    case "same_edit":
      if (row.reason !== null)
        return <Plural value={count} one={`${rule}: # memory`} other={`${rule}: # memories, the same edit`} />;
      return <Plural value={count} one="# memory, one edit" other="# memories, the same edit" />;
    case "created_together":
      return <Plural value={count} one="# memory created" other="# memories created from one prompt" />;
    case "same_finding":
      return <Plural value={count} one={`${rule}: # memory`} other={`${rule}: # memories`} />;
    case "session":
      return words ? <span>{t`“${words}”`}</span> : <span>{sessionName({ at: row.started_at })}</span>;
    case "writer":
      return <Actor actor={row.actor} />;
    case "unchanged":
      return <Trans>Changed and changed back</Trans>;
  }
}

/** What tells a row apart from others of its kind: the prompt, or the title of the session. */
export function TitleMore({ row }: { row: TriageRow }) {
  const { t } = useLingui();
  if (row.kind !== "created_together" && row.kind !== "same_edit") return null;
  const origin = row.items.find((item) => item.origin?.prompt ?? item.origin?.title)?.origin;
  const words = (row.kind === "created_together" && origin?.prompt) || origin?.title;
  return words ? <span className={css.inboxTitleMore}> {t`“${words}”`}</span> : null;
}

function NeedTitle({ row, rule, name }: { row: TriageRow; rule: string; name: string }) {
  if (row.finding !== null && row.reason !== "deleted")
    return (
      <Trans>
        <span className={css.inboxRuleName}>{rule}</span> in {name}
      </Trans>
    );
  if (row.reason === "deleted") return <Trans>{name} deleted</Trans>;
  if (row.reason === "reappeared") return <Trans>{name} written again after it was rolled back</Trans>;
  return name;
}

/** What a finding says, on one line. */
export function useMessage(): (finding: Finding | null) => string {
  const program = useProgramWords();
  return (finding) => (finding ? program.message(finding) : "");
}

/** How many changes, in words. */
export const changes = (count: number) => plural(count, { one: "# change", other: "# changes" });
