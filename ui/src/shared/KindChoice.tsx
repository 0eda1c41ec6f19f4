/** Choice of the kind of memory a list shows: one of those there are, or all. */
import { useLingui } from "@lingui/react/macro";
import type { KindCount } from "@/bindings";
import { useKeys } from "@/state/keys";
import { inOrder, kindBeside } from "@/state/kinds";
import { useFormat } from "./format";
import { useKindName } from "./kinds";

/** Props of the choice. */
export interface KindChoiceProps {
  /** The chosen kind; all when absent. */
  kind: string | undefined;
  /** Number of memories of each kind; in any order. */
  counts: readonly KindCount[];
  /** Called with another one. */
  onChange: (kind: string | undefined) => void;
  /** Name for tests. */
  testId: string;
}

/** A list of the kinds that there are, with all of them first, and the keys that go through it. */
export function KindChoice({ kind, counts, onChange, testId }: KindChoiceProps) {
  const { t } = useLingui();
  const format = useFormat();
  const nameOf = useKindName();
  const offered = inOrder(counts);
  // A chosen kind stays in the list when there is none of it any more.
  const gone = kind !== undefined && !offered.some((known) => known.kind === kind);
  const listed = gone ? inOrder([...offered, { kind, count: 0 }]) : offered;
  useKeys([
    { keys: "f", label: t`Next kind of memory`, run: () => onChange(kindBeside(offered, kind, 1)) },
    { keys: "shift+f", label: t`Previous kind of memory`, run: () => onChange(kindBeside(offered, kind, -1)) },
  ]);
  return (
    <select
      className={kind === undefined ? "kind-choice" : "kind-choice is-narrowed"}
      aria-label={t`Kind of memory`}
      value={kind ?? ""}
      onChange={(event) => onChange(event.target.value || undefined)}
      data-testid={testId}
    >
      <option value="">{t`All kinds`}</option>
      {listed.map((known) => (
        <option key={known.kind} value={known.kind}>
          {nameOf(known.kind)} ({format.number(known.count)})
        </option>
      ))}
    </select>
  );
}
