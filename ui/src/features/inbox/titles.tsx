/** What a row of the inbox is called, in one line, and what stands below it. */
import type { MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { Finding, InboxItem, TriageRow } from "@/bindings";
import { Actor } from "@/shared/labels";
import { plainPrompt } from "@/shared/prompt";
import { useProgramWords } from "@/shared/program";
import { Quoted } from "@/shared/punctuation";
import { useSessionName } from "@/shared/session";
import { useWords } from "@/shared/ui";
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
  const words = origins.find(({ title }) => title)?.title ?? origins.findLast(({ prompt }) => prompt)?.prompt;
  return words ? plainPrompt(words) : null;
}

/** A title taken apart: a reason, or what several changes have in common. */
export function RowTitle({ row }: { row: TriageRow }) {
  const name = useItemName()(row.items[0]);
  const count = row.versions.length;
  const rule = useFindingTitle()(row.finding);
  const sessionName = useSessionName();
  const words = wordsOf(row);
  switch (row.kind) {
    case "single":
      return <NeedTitle row={row} rule={rule} name={name} />;
    case "deleted_together":
      return <Plural value={count} one="# memory deleted" other="# memories deleted at once" />;
    case "same_edit":
      if (row.reason !== null)
        return (
          <span className={css.inboxRuleName}>
            <Plural value={count} one={`${rule}: # memory`} other={`${rule}: # memories, the same edit`} />
          </span>
        );
      return <Plural value={count} one="# memory, one edit" other="# memories, the same edit" />;
    case "created_together":
      return <Plural value={count} one="# memory created" other="# memories created from one prompt" />;
    case "same_finding":
      return (
        <span className={css.inboxRuleName}>
          <Plural value={count} one={`${rule}: # memory`} other={`${rule}: # memories`} />
        </span>
      );
    case "session":
      return words ? (
        <span>
          <Quoted>{words}</Quoted>
        </span>
      ) : (
        <span>{sessionName({ at: row.started_at })}</span>
      );
    case "writer":
      return (
        <span className={css.inboxRuleName}>
          <Actor actor={row.actor} />
        </span>
      );
    case "unchanged":
      return <Trans>Changed and changed back</Trans>;
  }
}

/** True if the title says how many changes there are. */
export function saysCount(row: TriageRow): boolean {
  if (row.kind === "created_together") return promptOf(row) === null;
  return row.kind === "deleted_together" || row.kind === "same_edit" || row.kind === "same_finding";
}

/** The prompt that several changes came from. */
function promptOf({ kind, items }: TriageRow): string | null {
  const origin = items.find((item) => item.origin?.prompt ?? item.origin?.title)?.origin;
  const words = kind === "created_together" ? (origin?.prompt ?? origin?.title) : kind === "same_edit" && origin?.title;
  return words ? plainPrompt(words) : null;
}

/** A row of several changes: first what tells it apart from others of its kind, which is a prompt where there is one. */
export function HeadTitle({ row }: { row: TriageRow }) {
  const prompt = row.kind === "created_together" ? promptOf(row) : null;
  return prompt ? <Quoted>{prompt}</Quoted> : <RowTitle row={row} />;
}

/** What follows the title and the store of several changes. The sign and the count say to the eye how many were created. */
export function HeadMore({ row }: { row: TriageRow }) {
  const prompt = promptOf(row);
  const count = row.versions.length;
  if (!prompt) return null;
  if (row.kind === "created_together")
    return (
      <span className="visually-hidden">
        {" "}
        <Plural value={count} one="# memory created" other="# memories created" />
      </span>
    );
  return (
    <span className={css.inboxTitleMore}>
      {" "}
      <Quoted>{prompt}</Quoted>
    </span>
  );
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

/** What a reader calls the findings whose rules have names of the trade; those of a group share one. */
const TITLES: Readonly<Record<string, MessageDescriptor>> = {
  "hostile/instructions": msg`hostile instruction`,
  hostile: msg`hostile text`,
  "hidden/comment": msg`hidden comment`,
  "hidden/zero-width": msg`zero-width character`,
  hidden: msg`hidden character`,
  "front-matter/invalid": msg`unreadable front matter`,
};

/** What a finding is called in a title; empty where there is none. */
export function useFindingTitle(): (finding: Pick<Finding, "rule"> | null) => string {
  const say = useWords();
  const program = useProgramWords();
  return (finding) => {
    if (!finding) return "";
    const { rule } = finding;
    const known = TITLES[rule] ?? TITLES[rule.slice(0, Math.max(0, rule.indexOf("/")))];
    return known ? say(known) : program.ruleName(rule);
  };
}

/** What a finding says, on one line. */
export function useMessage(): (finding: Finding | null) => string {
  const program = useProgramWords();
  return (finding) => (finding ? program.message(finding) : "");
}

/** The same below a title: what the title says already, the rule of a finding and how many went, gives way to the place and the names. */
export function useNeedMessage(): (row: TriageRow) => string {
  const { t } = useLingui();
  const message = useMessage();
  return ({ reason, kind, finding }) => {
    if (kind === "deleted_together") return "";
    if (
      (reason === "secret" || reason === "personal" || reason === "hidden") &&
      kind === "single" &&
      finding !== null &&
      finding.line > 0
    )
      return t`line ${finding.line}`;
    return message(finding);
  };
}

/** How many changes, in words. */
export const changes = (count: number) => plural(count, { one: "# change", other: "# changes" });
