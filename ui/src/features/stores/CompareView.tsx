/** Two stores side by side: which memories differ, the difference of one, and taking over what is wanted. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { ComparedMemory, Store, StoreComparison } from "@/bindings";
import { DiffModeSwitch, DiffPanel } from "@/shared/DiffPanel";
import { DiffView, wholeAsDiff } from "@/shared/DiffView";
import { useFormat } from "@/shared/format";
import { spelled } from "@/shared/hidden";
import { CheckIcon } from "@/shared/icons";
import { LineCounts } from "@/shared/labels";
import { neighbour, Picker } from "@/shared/Picker";
import { fileName, folderOf } from "@/shared/text";
import { Await, Button, Chip, Empty, useWords } from "@/shared/ui";
import { OPERATIONS } from "@/shared/vocabulary";
import { startAct } from "@/state/acts";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { navigate, type StoresRoute } from "@/state/route";
import { acceptance, type CompareRow, compareRows, isPutBack, storeOf, sumsOf, timeOf } from "./compareRows";

const CHANGES = ["created", "modified", "moved", "deleted"] as const;

function TargetChoice({
  label,
  target,
  stores,
  testId,
  onChange,
}: {
  label: string;
  target: string | undefined;
  stores: readonly Store[];
  testId: string;
  onChange: (target: string | undefined) => void;
}) {
  const { t } = useLingui();
  const format = useFormat();
  const time = target === undefined ? null : timeOf(target);
  const past = target !== undefined && time !== null;
  const nameOf = (id: string) => stores.find((store) => store.id === id)?.name ?? id;
  const when = time === null ? "" : /^\d+$/.test(time) ? time : format.exact(time);
  return (
    <label className="compare-side">
      <span className="muted">{label}</span>
      <select value={target ?? ""} onChange={(event) => onChange(event.target.value || undefined)} data-testid={testId}>
        <option value="">{t`Choose a store`}</option>
        {past && <option value={target}>{t`${nameOf(storeOf(target))} as of ${when}`}</option>}
        {stores.map((store) => (
          <option key={store.id} value={store.id}>
            {spelled(store.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function ChangeSign({ change }: { change: string }) {
  const say = useWords();
  const known = OPERATIONS[change];
  const word = known ? say(known.word) : change;
  return (
    <span className={`operation-sign operation-${change}`} role="img" aria-label={word} title={word}>
      {known?.sign ?? "?"}
    </span>
  );
}

function Row({ memory, chosen, queued }: { memory: ComparedMemory; chosen: boolean; queued: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { tokens } = memory;
  return (
    <div className="compare-row" data-selected={chosen || undefined}>
      <span className="checkbox" data-selected={chosen || undefined} data-toggle>
        <span className="checkbox-box" role="img" aria-label={chosen ? t`chosen` : t`not chosen`}>
          <CheckIcon />
        </span>
      </span>
      <ChangeSign change={memory.change} />
      <span className="compare-name" title={memory.path}>
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
      <span className="num muted compare-tokens" title={t`Tokens, counted offline`}>
        {tokens === null ? "–" : t`${format.signed(tokens)} tok`}
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
    <p className="compare-summary num" data-testid="compare-summary">
      {CHANGES.filter((change) => sums.changes[change]).map((change) => (
        <span key={change}>
          <ChangeSign change={change} /> {format.number(sums.changes[change]!)} {say(OPERATIONS[change]!.word)}
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

function Comparison({
  from,
  to,
  comparison,
  nameOf,
}: {
  from: string;
  to: string;
  comparison: StoreComparison;
  nameOf: (store: string) => string;
}) {
  const { t } = useLingui();
  const [changes, setChanges] = useState<ReadonlySet<string>>(new Set());
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [held, hold] = useState<{ key: string | null; place: number }>({ key: null, place: 0 });
  const waiting = useRead("remote_queue", { store: null, job: null });
  const queued = useMemo(
    () => new Set(waiting.data?.changes.filter(({ store_id }) => store_id === storeOf(from)).map(({ path }) => path)),
    [waiting.data, from],
  );
  const rows = useMemo(() => compareRows(comparison, changes), [comparison, changes]);
  const found = rows.findIndex(({ key }) => key === held.key);
  const place = found >= 0 ? found : Math.max(0, Math.min(held.place, rows.length - 1));
  const row: CompareRow | undefined = rows[place];
  const choose = (key: string) => hold({ key, place: rows.findIndex((known) => known.key === key) });
  const step = (by: 1 | -1) => {
    const next = neighbour(rows, row?.key ?? null, by);
    if (next) choose(next.key);
  };
  const toggle = (key: string) => {
    const next = new Set(picked);
    if (!next.delete(key)) next.add(key);
    setPicked(next);
  };
  // A chosen memory that differs no more is done.
  const chosen = new Set(comparison.memories.map(({ path }) => path).filter((path) => picked.has(path)));
  const back = isPutBack(from, to);
  const into = nameOf(storeOf(from));
  const accept = (paths: ReadonlySet<string> | null) => {
    const count = paths === null ? comparison.memories.length : paths.size;
    const what = plural(count, { one: "# memory", other: "# memories" });
    startAct(acceptance(from, to, comparison, paths, t`${what} into ${into}`));
  };
  const acceptChosen = () => accept(chosen.size > 0 ? chosen : new Set(row ? [row.key] : []));
  const some = rows.length > 0;
  useKeys([
    { keys: "j", label: t`Next memory`, run: () => step(1), enabled: some },
    { keys: "k", label: t`Previous memory`, run: () => step(-1), enabled: some },
    { keys: "space", label: t`Choose the memory or not`, run: () => row && toggle(row.key), enabled: some },
    {
      keys: "a",
      label: back ? t`Put back the selected` : t`Accept the selected`,
      run: acceptChosen,
      enabled: some,
    },
    { keys: "shift+a", label: back ? t`Put all back` : t`Accept all`, run: () => accept(null), enabled: some },
    {
      keys: "s",
      label: t`Swap the sides`,
      run: () => navigate({ screen: "stores", view: "compare", from: to, to: from }),
    },
  ]);
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
  const all = rows.length > 0 && rows.every(({ key }) => picked.has(key));
  const sums = sumsOf(comparison.memories);
  return (
    <>
      <div className="compare-bar">
        <Summary comparison={comparison} />
        <span className="spacer" />
        <select
          aria-label={t`Which changes`}
          value={[...changes][0] ?? ""}
          onChange={(event) => setChanges(new Set(event.target.value ? [event.target.value] : []))}
          data-testid="compare-filter"
        >
          <option value="">{t`All changes`}</option>
          {CHANGES.filter((change) => sums.changes[change]).map((change) => (
            <ChangeOption key={change} change={change} />
          ))}
        </select>
      </div>
      <div className="queue compare">
        <div className="compare-list-box">
          <Picker
            role="listbox"
            label={t`Memories that differ`}
            rows={rows}
            chosen={row?.key ?? null}
            onChoose={(next) => choose(next.key)}
            onToggle={(next) => toggle(next.key)}
            estimate={34}
            className="queue-list"
            rowTestId="compare-row"
          >
            {({ memory }) => <Row memory={memory} chosen={picked.has(memory.path)} queued={queued.has(memory.path)} />}
          </Picker>
          <div className="compare-actions">
            <Button onPress={() => setPicked(new Set(all ? [] : rows.map(({ key }) => key)))} data-testid="choose-all">
              {all ? <Trans>Choose none</Trans> : <Trans>Choose all</Trans>}
            </Button>
            <span className="spacer" />
            <Button keys="shift+a" onPress={() => accept(null)} data-testid="accept-all">
              {back ? <Trans>Put all back…</Trans> : <Trans>Accept all…</Trans>}
            </Button>
            <Button tone="primary" keys="a" onPress={acceptChosen} data-testid="accept-chosen">
              {back
                ? plural(chosen.size || 1, { one: "Put # back…", other: "Put # back…" })
                : plural(chosen.size || 1, { one: "Take # over…", other: "Take # over…" })}
            </Button>
          </div>
        </div>
        {row && (
          <section className="queue-detail" aria-label={t`The chosen memory`} data-testid="compare-detail">
            <header className="queue-head">
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
        )}
      </div>
    </>
  );
}

function ChangeOption({ change }: { change: string }) {
  const say = useWords();
  return <option value={change}>{say(OPERATIONS[change]!.word)}</option>;
}

/** Two stores side by side. */
export function CompareView({ route, stores }: { route: StoresRoute; stores: readonly Store[] }) {
  const { t } = useLingui();
  const { from, to } = route;
  const both = from !== undefined && to !== undefined && from !== to;
  const read = useRead("compare_stores", { from: from ?? "", to: to ?? "" }, { enabled: both });
  const nameOf = (id: string) => stores.find((store) => store.id === id)?.name ?? id;
  const go = (sides: Pick<StoresRoute, "from" | "to">) =>
    navigate({ screen: "stores", view: "compare", from, to, ...sides });
  return (
    <div className="hosted-view compare-view" data-testid="compare-view">
      <div className="compare-sides">
        <TargetChoice
          label={t`As it is`}
          target={from}
          stores={stores}
          testId="compare-from"
          onChange={(target) => go({ from: target })}
        />
        <span aria-hidden className="compare-arrow">
          →
        </span>
        <TargetChoice
          label={t`As it might be`}
          target={to}
          stores={stores}
          testId="compare-to"
          onChange={(target) => go({ to: target })}
        />
        <Button
          keys="s"
          isDisabled={from === undefined && to === undefined}
          onPress={() => go({ from: to, to: from })}
          data-testid="compare-swap"
        >
          <Trans>Swap</Trans>
        </Button>
      </div>
      {both ? (
        <Await read={read} rows={8}>
          {(comparison) => (
            <Comparison key={`${from} ${to}`} from={from} to={to} comparison={comparison} nameOf={nameOf} />
          )}
        </Await>
      ) : (
        <Empty title={from !== undefined && from === to ? t`Both sides are the same store` : t`Choose two stores`}>
          <Trans>
            The memories of both are compared by path. What differs can be taken over into the store on the left: all of
            it, or one by one.
          </Trans>
        </Empty>
      )}
    </div>
  );
}
