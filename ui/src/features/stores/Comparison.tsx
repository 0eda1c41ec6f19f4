/** What differs between two stores: the list, the difference of the chosen one, and taking over what is wanted. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { ComparedMemory, MemoryChange, StoreComparison } from "@/bindings";
import { DiffModeSwitch, DiffPanel } from "@/shared/DiffPanel";
import { DiffView, wholeAsDiff } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { CheckIcon } from "@/shared/icons";
import { LineCounts } from "@/shared/labels";
import { neighbour, Picker } from "@/shared/Picker";
import { fileName, folderOf } from "@/shared/text";
import { Await, Button, Chip, Empty, useWords } from "@/shared/ui";
import { OPERATIONS } from "@/shared/vocabulary";
import { startAct } from "@/state/acts";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { navigate } from "@/state/route";
import { acceptance, type CompareRow, compareRows, isPutBack, storeOf, sumsOf } from "./compareRows";
import { classes } from "@/shared/classes";
import css from "./hosted.module.css";

const CHANGES = ["created", "modified", "moved", "deleted"] as const;

function ChangeSign({ change }: { change: MemoryChange }) {
  const say = useWords();
  const { word: known, sign } = OPERATIONS[change];
  const word = say(known);
  return (
    <span className={`operation-sign operation-${change}`} role="img" aria-label={word} title={word}>
      {sign}
    </span>
  );
}

function Row({ memory, chosen, queued }: { memory: ComparedMemory; chosen: boolean; queued: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { tokens } = memory;
  return (
    <div className={css.compareRow} data-selected={chosen || undefined}>
      <span className="checkbox" data-selected={chosen || undefined} data-toggle>
        <span className="checkbox-box" role="img" aria-label={chosen ? t`chosen` : t`not chosen`}>
          <CheckIcon />
        </span>
      </span>
      <ChangeSign change={memory.change} />
      <span className={css.compareName} title={memory.path}>
        {fileName(memory.path)}
        {folderOf(memory.path) && <span className="muted"> {folderOf(memory.path)}</span>}
        {queued && (
          <>
            {" "}
            <Chip tone="accent">
              <Trans>queued</Trans>
            </Chip>
          </>
        )}
      </span>
      {memory.added !== null && memory.removed !== null ? (
        <LineCounts added={memory.added} removed={memory.removed} />
      ) : (
        <span className="muted">
          <Trans>not text</Trans>
        </span>
      )}
      <span className={classes("num muted", css.compareTokens)} title={t`Tokens, counted offline`}>
        {tokens === null ? t`not counted` : t`${format.signed(tokens)} tokens`}
      </span>
    </div>
  );
}

/** A content that is on one side alone. */
function OneSide({ version, tag }: { version: string; tag: "insert" | "delete" }) {
  const read = useRead("document", { target: version, highlight: true });
  return (
    <Await read={read} rows={8}>
      {({ lines, content_sha256, content_size_bytes, kind }) => {
        const none = { target: "", store_id: null, version_id: null, path: null, redacted: false };
        const empty = { ...none, content_sha256: null, content_size_bytes: null };
        const side = { ...none, content_sha256, content_size_bytes, redacted: kind === "redacted" };
        const [from, to] = tag === "insert" ? [empty, side] : [side, empty];
        const counts = { added: tag === "insert" ? lines.length : 0, removed: tag === "delete" ? lines.length : 0 };
        const binary = kind === "binary" || kind === "too_large";
        return (
          <div className="diff-panel">
            <div className="diff-caption">
              <LineCounts {...counts} />
            </div>
            <DiffView
              diff={{ live: true, from, to, truncated: false, binary, ...counts, hunks: wholeAsDiff(lines, tag) }}
              words={false}
            />
          </div>
        );
      }}
    </Await>
  );
}

function Difference({ memory }: { memory: ComparedMemory }) {
  const { from_version_id: from, to_version_id: to } = memory;
  if (from !== null && to !== null) return <DiffPanel a={from} b={to} />;
  if (to !== null) return <OneSide version={to} tag="insert" />;
  if (from !== null) return <OneSide version={from} tag="delete" />;
  return (
    <p className="muted">
      <Trans>Neither side has a content that can be shown.</Trans>
    </p>
  );
}

function Summary({ comparison }: { comparison: StoreComparison }) {
  const say = useWords();
  const { t } = useLingui();
  const format = useFormat();
  const sums = useMemo(() => sumsOf(comparison.memories), [comparison]);
  return (
    <p className={classes(css.compareSummary, "num")} data-testid="compare-summary">
      {CHANGES.filter((change) => sums.changes[change]).map((change) => (
        <span key={change}>
          <ChangeSign change={change} /> {format.number(sums.changes[change]!)} {say(OPERATIONS[change].word)}
        </span>
      ))}
      <span className="muted">
        <Plural value={comparison.same} one="# the same" other="# the same" />
      </span>
      <LineCounts added={sums.added} removed={sums.removed} />
      <span className="muted">{t`${format.signed(sums.tokens)} tokens, counted offline`}</span>
    </p>
  );
}

function ChangeOption({ change }: { change: MemoryChange }) {
  const say = useWords();
  return <option value={change}>{say(OPERATIONS[change].word)}</option>;
}

/** The sums, and which changes are listed. */
function CompareBar({
  comparison,
  changes,
  onChange,
}: {
  comparison: StoreComparison;
  changes: ReadonlySet<string>;
  onChange: (changes: ReadonlySet<string>) => void;
}) {
  const { t } = useLingui();
  const sums = sumsOf(comparison.memories);
  return (
    <div className={css.compareBar}>
      <Summary comparison={comparison} />
      <select
        aria-label={t`Which changes`}
        value={[...changes][0] ?? ""}
        onChange={(event) => onChange(new Set(event.target.value ? [event.target.value] : []))}
        data-testid="compare-filter"
      >
        <option value="">{t`All changes`}</option>
        {CHANGES.filter((change) => sums.changes[change]).map((change) => (
          <ChangeOption key={change} change={change} />
        ))}
      </select>
    </div>
  );
}

/** The chosen memory with its difference. */
function Detail({ row }: { row: CompareRow }) {
  const { t } = useLingui();
  return (
    <section className={css.queueDetail} aria-label={t`The chosen memory`} data-testid="compare-detail">
      <header className={css.queueHead}>
        <div>
          <h2 className="mono">{row.memory.path}</h2>
          {row.memory.moved_from && (
            <p className="muted">
              <Trans>
                moved from <span className="mono">{row.memory.moved_from}</span>
              </Trans>
            </p>
          )}
        </div>
        <span className="spacer" />
        <DiffModeSwitch />
      </header>
      <Difference key={row.key} memory={row.memory} />
    </section>
  );
}

/** Rows that are listed, and the one that is shown; where it is gone, the one that stands in its place. */
function useRows(comparison: StoreComparison, changes: ReadonlySet<string>) {
  const [held, hold] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const rows = useMemo(() => compareRows(comparison, changes), [comparison, changes]);
  const found = rows.findIndex(({ key }) => key === held.key);
  const place = found >= 0 ? found : Math.max(0, Math.min(held.place, rows.length - 1));
  const row: CompareRow | undefined = rows[place];
  const choose = (key: string) => hold({ key, place: rows.findIndex((known) => known.key === key) });
  const step = (by: 1 | -1) => {
    const next = neighbour(rows, row?.key ?? null, by);
    if (next) choose(next.key);
  };
  return { rows, row, choose, step };
}

/** Paths of a store that have a change in the queue. */
function useQueued(store: string): ReadonlySet<string | null> {
  const { data } = useRead("remote_queue", { store: null, job: null });
  return useMemo(
    () => new Set(data?.changes.filter(({ store_id }) => store_id === store).map(({ path }) => path)),
    [data, store],
  );
}

/** The two stores and what they differ in. */
interface Sides {
  from: string;
  to: string;
  comparison: StoreComparison;
  nameOf: (store: string) => string;
}

/** Which memories are chosen, and taking them over. */
function useTakeOver({ from, to, comparison, nameOf }: Sides, row: CompareRow | undefined) {
  const { t } = useLingui();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(picked);
    if (!next.delete(key)) next.add(key);
    setPicked(next);
  };
  // A chosen memory that differs no more is done.
  const chosen = new Set(comparison.memories.map(({ path }) => path).filter((path) => picked.has(path)));
  const into = nameOf(storeOf(from));
  const accept = (paths: ReadonlySet<string> | null) => {
    const count = paths === null ? comparison.memories.length : paths.size;
    const what = plural(count, { one: "# memory", other: "# memories" });
    startAct(acceptance(from, to, comparison, paths, t`${what} into ${into}`));
  };
  return {
    picked,
    setPicked,
    toggle,
    count: chosen.size,
    back: isPutBack(from, to),
    acceptAll: () => accept(null),
    acceptChosen: () => accept(chosen.size > 0 ? chosen : new Set(row ? [row.key] : [])),
  };
}

type Listed = ReturnType<typeof useRows>;
type TakeOver = ReturnType<typeof useTakeOver>;

function useCompareKeys({ from, to }: Sides, { rows, row, step }: Listed, take: TakeOver) {
  const { t } = useLingui();
  const { back } = take;
  const some = rows.length > 0;
  useKeys([
    { keys: "j", label: t`Next memory`, run: () => step(1), enabled: some },
    { keys: "k", label: t`Previous memory`, run: () => step(-1), enabled: some },
    { keys: "space", label: t`Choose the memory or not`, run: () => row && take.toggle(row.key), enabled: some },
    {
      keys: "a",
      label: back ? t`Restore the selected` : t`Accept the selected`,
      run: take.acceptChosen,
      enabled: some,
    },
    { keys: "shift+a", label: back ? t`Restore all` : t`Accept all`, run: take.acceptAll, enabled: some },
    {
      keys: "s",
      label: t`Swap the sides`,
      run: () => navigate({ screen: "stores", view: "compare", from: to, to: from }),
    },
  ]);
}

/** Choosing, and taking over what is chosen. */
function CompareActions({ rows, take }: { rows: Listed["rows"]; take: TakeOver }) {
  const { picked, setPicked, back, count } = take;
  const all = rows.length > 0 && rows.every(({ key }) => picked.has(key));
  return (
    <div className={css.compareActions}>
      <Button onPress={() => setPicked(new Set(all ? [] : rows.map(({ key }) => key)))} data-testid="choose-all">
        {all ? <Trans>Choose none</Trans> : <Trans>Choose all</Trans>}
      </Button>
      <span className="spacer" />
      <Button keys="shift+a" onPress={take.acceptAll} data-testid="accept-all">
        {back ? <Trans>Restore all…</Trans> : <Trans>Accept all…</Trans>}
      </Button>
      <Button tone="primary" keys="a" onPress={take.acceptChosen} data-testid="accept-chosen">
        {back
          ? plural(count || 1, { one: "Restore #…", other: "Restore #…" })
          : plural(count || 1, { one: "Accept #…", other: "Accept #…" })}
      </Button>
    </div>
  );
}

/** What differs between two stores. */
export function Comparison(sides: Sides) {
  const { t } = useLingui();
  const { from, comparison } = sides;
  const [changes, setChanges] = useState<ReadonlySet<string>>(new Set());
  const queued = useQueued(storeOf(from));
  const listed = useRows(comparison, changes);
  const { rows, row, choose } = listed;
  const take = useTakeOver(sides, row);
  useCompareKeys(sides, listed, take);
  if (comparison.memories.length === 0)
    return (
      <Empty title={t`No difference`}>
        <Plural
          value={comparison.same}
          one="Both hold the same memory."
          other="Both hold the same # memories, byte for byte."
        />
      </Empty>
    );
  return (
    <>
      <CompareBar comparison={comparison} changes={changes} onChange={setChanges} />
      <div className={classes(css.queue, css.compare)}>
        <div className={css.compareListBox}>
          <Picker
            role="listbox"
            label={t`Memories that differ`}
            rows={rows}
            chosen={row?.key ?? null}
            onChoose={(next) => choose(next.key)}
            onToggle={(next) => take.toggle(next.key)}
            estimate={34}
            className={css.queueList}
            rowTestId="compare-row"
          >
            {({ memory }) => (
              <Row memory={memory} chosen={take.picked.has(memory.path)} queued={queued.has(memory.path)} />
            )}
          </Picker>
          <CompareActions rows={rows} take={take} />
        </div>
        {row && <Detail row={row} />}
      </div>
    </>
  );
}
