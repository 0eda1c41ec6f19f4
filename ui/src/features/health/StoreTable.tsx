/** Health of each store: sizes against limits, findings, last write, review and load. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { IndexHealth, StoreHealth } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Moment, ProgramText } from "@/shared/labels";
import { Comma } from "@/shared/punctuation";
import { TableHead, numbers } from "@/shared/TableHead";
import { REASONS, reasonSums } from "@/shared/loads";
import { ChevronIcon } from "@/shared/icons";
import { Button, Chip, useWords } from "@/shared/ui";
import { observable, useObservable } from "@/state/observable";
import { formatRoute } from "@/state/route";
import { classes } from "@/shared/classes";
import css from "./health.module.css";

/** Used part of a limit; the number beside it says the same. */
function Meter({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <meter
      className={css.healthMeter}
      min={0}
      max={limit}
      value={Math.min(used, limit)}
      high={limit * 0.9}
      aria-label={label}
    >
      {label}
    </meter>
  );
}

function IndexCell({ index }: { index: IndexHealth }) {
  const { t } = useLingui();
  const format = useFormat();
  const lines = format.number(index.lines);
  const bytes = format.number(index.bytes);
  const share = shareOf(index);
  const whole = t`${index.path}: ${lines} of ${index.max_lines} lines, ${bytes} of ${index.max_bytes} bytes`;
  // The limit that is reached first; the other one is in the title and in the name of the bar.
  const byLines = index.lines / index.max_lines >= index.bytes / index.max_bytes;
  return (
    <div className={css.healthIndex} title={whole}>
      <span className="mono">{index.path}</span>
      <Meter used={share} limit={1} label={whole} />
      <span className="num muted">
        {byLines
          ? t`${lines} of ${format.number(index.max_lines)} lines`
          : t`${bytes} of ${format.number(index.max_bytes)} bytes`}
      </span>
      {index.cut_line !== null && (
        <Chip tone="warn">
          <Plural
            value={index.lost_lines}
            one={`cut at line ${index.cut_line}, # line lost`}
            other={`cut at line ${index.cut_line}, # lines lost`}
          />
        </Chip>
      )}
    </div>
  );
}

const shareOf = (index: IndexHealth) => Math.max(index.lines / index.max_lines, index.bytes / index.max_bytes);

/** The fullest index; the others open below it. */
function Indexes({ indexes }: { indexes: readonly IndexHealth[] }) {
  const [first, ...others] = [...indexes].sort((one, other) => shareOf(other) - shareOf(one));
  return (
    <>
      {first && <IndexCell index={first} />}
      {others.length > 0 && (
        <details className={css.healthMore}>
          <summary>
            <Plural value={others.length} one="# more index" other="# more indexes" />
          </summary>
          {others.map((index) => (
            <IndexCell key={index.path} index={index} />
          ))}
        </details>
      )}
    </>
  );
}

/** Reasons that are named. */
const MAX_REASONS = 3;

function Loads({ store }: { store: StoreHealth }) {
  const { loads } = store;
  const format = useFormat();
  const say = useWords();
  if (!loads)
    return (
      <span className="muted">
        <Trans>not read yet</Trans>
      </span>
    );
  if (loads.sessions === 0)
    return (
      <span className="muted">
        <Trans>no session tells what it loaded</Trans>
      </span>
    );
  const reasons = reasonSums(loads.memories.map((memory) => memory.reasons)).slice(0, MAX_REASONS);
  const never = format.number(loads.never_loaded);
  const all = format.number(loads.memories.length);
  return (
    <>
      {loads.last_loaded_at ? <Moment at={loads.last_loaded_at} form="ago" /> : <Trans>never</Trans>}
      <div className="muted">
        <Trans>
          {never} of {all} never loaded
        </Trans>
        <Comma />
        <Plural value={loads.sessions} one="# session" other="# sessions" />
      </div>
      {reasons.length > 0 && (
        <div className="muted" data-testid="load-reasons">
          {reasons.map(({ reason, sessions }) => `${say(REASONS[reason])} ${format.number(sessions)}`).join(" · ")}
        </div>
      )}
    </>
  );
}

/** How many findings of each severity; what is not there is not said. */
function Counts({ store: { errors, warnings, notes } }: { store: StoreHealth }) {
  return (
    <div className={css.counts}>
      {errors > 0 && (
        <span className="text-del">
          <Plural value={errors} one="# error" other="# errors" />
        </span>
      )}
      {warnings > 0 && (
        <span className={css.textWarn}>
          <Plural value={warnings} one="# warning" other="# warnings" />
        </span>
      )}
      {notes > 0 && (
        <span className="muted">
          <Plural value={notes} one="# note" other="# notes" />
        </span>
      )}
      {errors + warnings + notes === 0 && (
        <span className="muted">
          <Trans>none</Trans>
        </span>
      )}
    </div>
  );
}

function Row({ store, chosen, withLoads }: { store: StoreHealth; chosen: boolean; withLoads: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const { hosted } = store;
  const unfit = hosted.too_large + hosted.bad_paths + (store.files > hosted.max_memories ? 1 : 0);
  return (
    <tr data-testid="health-store" data-store={store.store_id} className={chosen ? "is-chosen" : undefined}>
      <th scope="row">
        <a href={formatRoute({ screen: "health", store: chosen ? undefined : store.store_id })}>{store.name}</a>
        {store.problems.map((problem) => (
          <div key={problem.text} className="state-detail text-del">
            <ProgramText text={problem} />
          </div>
        ))}
      </th>
      <td className="cell-end num">
        {format.number(store.files)}
        <div className="muted">{format.bytes(store.bytes)}</div>
        {unfit > 0 && (
          <Chip
            tone="warn"
            title={t`limits of a hosted store: ${hosted.max_memories} memories, ${hosted.max_bytes} bytes each`}
          >
            <Plural value={unfit} one="# not fit to be hosted" other="# not fit to be hosted" />
          </Chip>
        )}
      </td>
      <td>
        {store.indexes.length === 0 ? (
          <span className="muted">
            <Trans>no index</Trans>
          </span>
        ) : (
          <Indexes indexes={store.indexes} />
        )}
      </td>
      <td className="cell-end num" title={t`Counted offline, as the newest models count.`}>
        {store.index_tokens > 0 ? (
          `≈\u202f${format.number(store.index_tokens)}`
        ) : (
          <span className="muted">{store.indexes.length === 0 ? t`not counted` : format.number(0)}</span>
        )}
      </td>
      <td className="cell-end num">
        <Counts store={store} />
        {store.allowed > 0 && (
          <div className="muted">
            <Plural value={store.allowed} one="# allowed" other="# allowed" />
          </div>
        )}
      </td>
      <td>
        {store.last_write_at ? <Moment at={store.last_write_at} form="ago" /> : <Trans>never written</Trans>}
        <div className="muted">
          {store.last_review_at ? (
            <Trans>
              reviewed <Moment at={store.last_review_at} form="ago" />
            </Trans>
          ) : (
            <Trans>never reviewed</Trans>
          )}
        </div>
      </td>
      {withLoads && (
        <td className={css.healthLoads}>
          <Loads store={store} />
        </td>
      )}
    </tr>
  );
}

/** True while the table is open: it stays as it was left until the window closes. */
const opened = observable(true);

/** The stores. What is wrong comes first on the screen: the table gives way to it, and can be folded away. */
export function StoreTable({ stores, chosen }: { stores: readonly StoreHealth[]; chosen: string | undefined }) {
  const { t } = useLingui();
  const open = useObservable(opened);
  return (
    <section className={css.healthStores} aria-label={t`Stores`}>
      <Button tone="quiet" aria-expanded={open} onPress={() => opened.set(!open)} data-testid="health-stores">
        <span className={classes("tree-chevron", open && "is-open")} aria-hidden>
          <ChevronIcon />
        </span>
        <Plural value={stores.length} one="# store" other="# stores" />
      </Button>
      {open && <Table stores={stores} chosen={chosen} />}
    </section>
  );
}

function Table({ stores, chosen }: { stores: readonly StoreHealth[]; chosen: string | undefined }) {
  const { t } = useLingui();
  // Transcripts are read on request: before that a column would say of every store that they were not.
  const withLoads = stores.some(({ loads }) => loads);
  return (
    <div className={classes("table-box", css.healthTableBox)}>
      <table className={classes("table", css.healthTable)} aria-label={t`Stores and how they are doing`} data-whole>
        <TableHead
          columns={[
            t`Store`,
            numbers(t`Files`),
            t`Index size against the limit`,
            numbers(t`Tokens per session`),
            numbers(t`Findings`),
            t`Last write and review`,
            ...(withLoads ? [t`Last load`] : []),
          ]}
        />
        <tbody>
          {stores.map((store) => (
            <Row key={store.store_id} store={store} chosen={store.store_id === chosen} withLoads={withLoads} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
