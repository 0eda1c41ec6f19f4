/** Remedies of a finding: its acts as buttons, each with its preview. Used wherever a finding stands. */
import { plural, t } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Finding, Remedy } from "@/bindings";
import { startAct } from "@/state/acts";
import { navigate } from "@/state/route";
import { TopicPicker } from "./TopicPicker";
import { Button } from "./ui";

/** How many findings one stands for: itself, and those that a list leaves out behind it. */
export function countOf({ more = 0 }: Pick<Finding, "more">): number {
  return 1 + more;
}

/** A finding with its place. */
export interface PlacedFinding {
  /** The store. */
  store: string;
  /** The memory at its path; null where it is not recorded. */
  memory: string | null;
  /** The finding. */
  finding: Finding;
}

/** True if an act can be offered: a memory that is not recorded cannot be opened. */
function canOffer(remedy: Remedy, { memory }: PlacedFinding): boolean {
  return remedy.act !== "open" || memory !== null;
}

/** Acts of the window itself, for findings that the program has no act for. */
type Own = { act: "remove" };

/** An act of a finding with what its button says, in the order of their worth. */
export interface Offered {
  /** Known by. */
  key: string;
  /** The act. */
  remedy: Remedy | Own;
  /** Label of its button. */
  label: string;
  /** Starts it: with its preview, or by going to where it is done. */
  run: () => void;
}

/** True for a text that steers a model. What was there before recording has no version to be rolled back to. */
const isHostile = ({ rule, start }: Finding): boolean => rule.startsWith("hostile/") && start !== null;

/** What takes hostile text away: out of the line and its history, or with the whole memory. */
function againstHostile({ store, finding }: PlacedFinding): Offered[] {
  const { path, rule, start, remedies = [] } = finding;
  if (start === null) return [];
  const redact: Offered = {
    key: "redact-text",
    remedy: { act: "redact", rule, start },
    label: t`Redact this text…`,
    run: () => navigate({ screen: "redactions", finding: { store, path, rule, start } }),
  };
  const remove: Offered = {
    key: "remove",
    remedy: { act: "remove" },
    label: t`Remove the memory…`,
    run: () => startAct({ command: "expire", request: { store, memories: [{ path, expect: null }] }, subject: path }),
  };
  return remedies.some(({ act }) => act === "redact") ? [remove] : [redact, remove];
}

/** What was deleted is put back; any other change is rolled back. */
function backLabel(rule: string, operation: number | null): string {
  if (rule === "events/mass-delete") return operation === null ? t`Put back…` : t`Put back operation ${operation}…`;
  return operation === null ? t`Roll back…` : t`Roll back operation ${operation}…`;
}

/** The acts that mend a finding, and the picker that one of them may ask for. */
export function useRemedies(found: PlacedFinding | undefined) {
  const { t } = useLingui();
  const [moving, setMoving] = useState<{ found: PlacedFinding; from: number; to: number } | null>(null);
  const offered: Offered[] = [];
  if (found) {
    const { store, memory, finding } = found;
    // A program before this page offers nothing.
    const { path, remedies = [] } = finding;
    const several = remedies.filter(({ act }) => act === "put_back").length > 1;
    for (const remedy of remedies.filter((one) => canOffer(one, found))) {
      const offer = (label: string, run: () => void) =>
        offered.push({ key: `${remedy.act}:${"operation" in remedy ? remedy.operation : ""}`, remedy, label, run });
      switch (remedy.act) {
        case "put_back":
          offer(backLabel(finding.rule, several ? remedy.operation : null), () =>
            startAct({
              command: "rollback",
              request: {
                memory: null,
                to: null,
                session: null,
                operation_seq: remedy.operation,
                path: remedy.path ?? null,
                deleted: remedy.deleted ?? false,
                expect: null,
              },
              subject: t`operation ${remedy.operation}`,
            }),
          );
          break;
        case "redact":
          offer(remedy.rule.startsWith("secret/") ? t`Redact key` : t`Redact…`, () =>
            navigate({ screen: "redactions", finding: { store, path, rule: remedy.rule, start: remedy.start } }),
          );
          break;
        case "strip_character":
          offer(t`Remove it…`, () =>
            startAct({
              command: "strip_characters",
              request: { store, path, rule: remedy.rule, start: remedy.start, line: null, expect: null },
              subject: t`hidden characters of ${path}`,
            }),
          );
          break;
        case "move_lines":
          offer(plural(remedy.to - remedy.from + 1, { one: "Move # line…", other: "Move # lines…" }), () =>
            setMoving({ found, from: remedy.from, to: remedy.to }),
          );
          break;
        case "reach":
          offer(t`Reach`, () =>
            navigate({ screen: "memories", store, memory: memory ?? undefined, tab: "reach", line: remedy.from }),
          );
          break;
        case "open":
          offer(t`Open`, () =>
            navigate({
              screen: "memories",
              store,
              memory: memory ?? undefined,
              tab: "content",
              line: finding.start === null ? undefined : remedy.line,
            }),
          );
          break;
      }
    }
  }
  if (found && isHostile(found.finding)) offered.push(...againstHostile(found));
  const move = (to: string) => {
    if (!moving) return;
    const { found: of, from: first, to: last } = moving;
    setMoving(null);
    startAct({
      command: "move_entry",
      request: {
        store: of.store,
        path: of.finding.path,
        line: first,
        end_line: last,
        to,
        expect: null,
        expect_to: null,
      },
      subject: first === last ? t`line ${first} → ${to}` : t`lines ${first}–${last} → ${to}`,
    });
  };
  const picker = moving && <TopicPicker store={moving.found.store} onChoose={move} onClose={() => setMoving(null)} />;
  return { offered, picker };
}

/** The acts of a finding as small buttons. `without` leaves out what stands beside it already. */
export function RemedyButtons({
  found,
  without = [],
}: {
  found: PlacedFinding;
  without?: readonly Offered["remedy"]["act"][];
}) {
  const { offered, picker } = useRemedies(found);
  const shown = offered.filter(({ remedy }) => !without.includes(remedy.act));
  return (
    <>
      {shown.map(({ key, remedy, label, run }) => (
        <Button
          key={key}
          tone={remedy.act === "redact" ? "redact" : "quiet"}
          onPress={run}
          data-testid={`remedy-${remedy.act}`}
        >
          {label}
        </Button>
      ))}
      {picker}
    </>
  );
}
