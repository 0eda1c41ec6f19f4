/** The findings: filtered, one chosen, and what can be done about it. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { Health } from "@/bindings";
import { useFormat } from "@/shared/format";
import { ChevronIcon } from "@/shared/icons";
import { MenuEntry, MoreMenu } from "@/shared/menu";
import { Question } from "@/shared/Question";
import { neighbour, Picker } from "@/shared/Picker";
import { type Offered, useRemedies } from "@/shared/remedies";
import { ShortPath } from "@/shared/ShortPath";
import { RuleTerm } from "@/shared/Term";
import { Button, Chip, Empty, useWords } from "@/shared/ui";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { navigate } from "@/state/route";
import { say } from "@/state/toasts";
import { useProgramWords } from "@/shared/program";
import { fileName, folderOf } from "@/shared/text";
import { type Filter, type FindingRow, findingRows, type Level, rulesOf } from "./findings";
import { SEVERITIES, severityTone } from "./words";
import { classes } from "@/shared/classes";
import { allowHere, canAllow } from "@/shared/allow";
import { sayFailed } from "@/shared/say-failed";
import css from "./health.module.css";

/** A rule with its findings: how many of what, once. */
function RuleRow({ row, store }: { row: FindingRow; store: string }) {
  const words = useWords();
  const program = useProgramWords();
  const format = useFormat();
  const { finding } = row.found;
  return (
    <div className={css.healthRow}>
      <Chip tone={severityTone(finding.severity)}>{words(SEVERITIES[finding.severity] ?? finding.severity)}</Chip>
      <span className={css.healthMessage}>
        <span className={classes("tree-chevron", css.healthToggle, row.open && "is-open")} data-toggle aria-hidden>
          <ChevronIcon />
        </span>
        <strong className="num">{format.number(row.count)}</strong> × {program.ruleName(finding.rule)}
      </span>
      <span className="muted">{store}</span>
      <span className={classes("mono muted", css.healthRule)}>{finding.rule}</span>
    </div>
  );
}

function Row({ row, store }: { row: FindingRow; store: string }) {
  const words = useWords();
  const program = useProgramWords();
  const { finding } = row.found;
  const message = program.message(finding);
  return (
    <div className={row.level > 0 ? classes(css.healthRow, css.healthSingle) : css.healthRow}>
      <Chip tone={severityTone(finding.severity)}>{words(SEVERITIES[finding.severity] ?? finding.severity)}</Chip>
      <span className={css.healthMessage} title={message}>
        {message}
        {row.count > 1 && (
          <span className="muted">
            {" "}
            <Plural value={row.count - 1} one="and # more in this file" other="and # more in this file" />
          </span>
        )}
      </span>
      <span className={css.healthPlace} title={`${store}:${finding.path}`}>
        <span className="mono">
          <ShortPath
            path={`${finding.path === "" ? store : fileName(finding.path)}${finding.start === null ? "" : `:${finding.line}`}`}
          />
        </span>{" "}
        {finding.path !== "" && (
          <span className="muted">
            {store}
            {folderOf(finding.path) && ` · ${folderOf(finding.path)}`}
          </span>
        )}
      </span>
      <span className={classes("mono muted", css.healthRule)} title={finding.rule}>
        {finding.rule}
      </span>
    </div>
  );
}

/** Acts on a finding. */
function useFindingActs(row: FindingRow | undefined) {
  const { t } = useLingui();
  const backend = useBackend();
  const found = row?.found;
  const rule = found?.finding.rule ?? "";
  const fail = (error: unknown) => {
    sayFailed(error);
  };
  const set = async (setting: string | null) => {
    await backend.call("set_finding_rule", { rule, setting });
  };
  return {
    allow: () => found && allowHere(found.store_id, found.finding),
    off: () =>
      void set("off")
        .then(() =>
          say(() => ({
            tone: "done",
            title: t`Switched off: ${rule}`,
            detail: t`For all your stores. Finding rules lists it.`,
            action: { label: t`Undo`, run: () => void set(null).catch(fail) },
          })),
        )
        .catch(fail),
    canAllow: found !== undefined && canAllow(found.finding),
  };
}

/** Asks before a rule is switched off: that mends nothing, and hides what it finds in every store. */
function RuleOff({ row, onOff, onClose }: { row: FindingRow; onOff: () => void; onClose: () => void }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const name = program.ruleName(row.found.finding.rule);
  return (
    <Question
      title={t`Switch off: ${name}`}
      verb={t`Switch the rule off`}
      testId="rule-off"
      danger
      onDone={onOff}
      onClose={onClose}
    >
      <p>
        <Trans>
          This fixes nothing: none of your stores will show what <span className="mono">{row.found.finding.rule}</span>{" "}
          finds, now or later.
        </Trans>
      </p>
    </Question>
  );
}

function Detail({ row, onToggle }: { row: FindingRow; onToggle: () => void }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const format = useFormat();
  const acts = useFindingActs(row);
  const [asking, setAsking] = useState(false);
  const { finding, store_id: store, memory_id: memory } = row.found;
  const { offered, picker } = useRemedies(row.leaf ? { store, memory, finding } : undefined);
  const [first] = offered;
  const by = (act: Offered["remedy"]["act"]) => offered.find(({ remedy }) => remedy.act === act);
  const canAllow = row.leaf && acts.canAllow;
  const keyOf = {
    open: "o",
    redact: "r",
    put_back: undefined,
    strip_character: undefined,
    move_lines: undefined,
    reach: undefined,
    remove: undefined,
  };
  useKeys([
    {
      keys: "o",
      label: t`Open the memory at the finding`,
      run: () => by("open")?.run(),
      enabled: by("open") !== undefined,
    },
    { keys: "m", label: t`The first remedy`, run: () => first?.run(), enabled: first !== undefined },
    { keys: "l", label: t`Allow the finding here`, run: acts.allow, enabled: canAllow },
    { keys: "r", label: t`Redact`, run: () => by("redact")?.run(), enabled: by("redact") !== undefined },
  ]);
  return (
    <section className={css.healthDetail} aria-label={t`The chosen finding`} data-testid="finding-detail">
      <p>
        <strong>
          {row.leaf ? program.message(finding) : `${format.number(row.count)} × ${program.ruleName(finding.rule)}`}
        </strong>{" "}
        <RuleTerm rule={finding.rule}>
          <Chip>{program.ruleName(finding.rule)}</Chip>
        </RuleTerm>{" "}
        <span className="muted">{program.remedy(finding)}</span>
      </p>
      <div className="pane-actions">
        {!row.leaf && (
          <Button tone="primary" onPress={onToggle} data-testid="finding-each">
            {row.open ? t`Show them as one` : t`Show each`}
          </Button>
        )}
        {offered.map(({ key, remedy, label, run }) => {
          const primary = remedy === first?.remedy && remedy.act !== "redact";
          const tone =
            remedy.act === "redact" ? { tone: "redact" as const } : primary ? { tone: "primary" as const } : {};
          const keys = keyOf[remedy.act] ?? (remedy === first?.remedy ? "m" : undefined);
          return (
            <Button key={key} {...tone} {...(keys && { keys })} onPress={run} data-testid={`finding-${remedy.act}`}>
              {label}
            </Button>
          );
        })}
        <Button keys="l" onPress={acts.allow} isDisabled={!canAllow} data-testid="finding-allow">
          <Trans>Allow here…</Trans>
        </Button>
        <MoreMenu name={finding.rule} testId="finding-more">
          <MenuEntry onAction={() => setAsking(true)} danger testId="finding-off">
            <Trans>Switch the rule off…</Trans>
          </MenuEntry>
        </MoreMenu>
      </div>
      {picker}
      {asking && <RuleOff row={row} onOff={acts.off} onClose={() => setAsking(false)} />}
    </section>
  );
}

function Filters({ health, filter, onChange }: { health: Health; filter: Filter; onChange: (to: Filter) => void }) {
  const { t } = useLingui();
  const format = useFormat();
  const count = (number: number) => format.number(number);
  const levels: { level: Level; label: string }[] = [
    { level: "serious", label: t`Warnings and errors (${count(health.errors + health.warnings)})` },
    { level: "error", label: t`Errors (${count(health.errors)})` },
    { level: "warning", label: t`Warnings (${count(health.warnings)})` },
    { level: "note", label: t`Notes (${count(health.notes)})` },
    { level: "all", label: t`All (${count(health.errors + health.warnings + health.notes)})` },
  ];
  const rules = useMemo(() => rulesOf(health.findings), [health.findings]);
  return (
    <>
      <select
        aria-label={t`How bad`}
        value={filter.level}
        onChange={(event) => onChange({ ...filter, level: event.target.value as Level })}
        data-testid="finding-level"
      >
        {levels.map(({ level, label }) => (
          <option key={level} value={level}>
            {label}
          </option>
        ))}
      </select>
      <select
        aria-label={t`Rule`}
        value={filter.rule}
        onChange={(event) => onChange({ ...filter, rule: event.target.value })}
        data-testid="finding-rule"
      >
        <option value="">{t`All rules`}</option>
        {rules.map(({ rule, count: number }) => (
          <option key={rule} value={rule}>
            {rule.includes("/") ? `${rule.replace("/", " / ")} (${count(number)})` : `${rule} (${count(number)})`}
          </option>
        ))}
      </select>
      <select
        aria-label={t`Store`}
        value={filter.store ?? ""}
        onChange={(event) => navigate({ screen: "health", store: event.target.value || undefined })}
        data-testid="finding-store"
      >
        <option value="">{t`All stores`}</option>
        {health.stores.map((store) => (
          <option key={store.store_id} value={store.store_id}>
            {store.name}
          </option>
        ))}
      </select>
    </>
  );
}

/** The findings of a store or of all. */
export function FindingList({ health, store }: { health: Health; store: string | undefined }) {
  const { t } = useLingui();
  const [kept, setFilter] = useState<Omit<Filter, "store">>({ level: "serious", rule: "" });
  const [key, setKey] = useState<string | null>(null);
  const filter = { ...kept, store };
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => findingRows(health.findings, { ...kept, store }, open),
    [health.findings, kept, store, open],
  );
  const toggle = (row: FindingRow) => {
    if (row.leaf) return;
    const next = new Set(open);
    if (!next.delete(row.key)) next.add(row.key);
    setOpen(next);
  };
  const notes = health.stores
    .filter(({ store_id }) => store === undefined || store_id === store)
    .reduce((sum, one) => sum + one.notes, 0);
  const names = useMemo(() => new Map(health.stores.map(({ store_id, name }) => [store_id, name])), [health.stores]);
  const chosen = rows.find((row) => row.key === key) ?? rows[0];
  const step = (by: 1 | -1) => {
    const row = neighbour(rows, chosen?.key ?? null, by);
    if (row) setKey(row.key);
  };
  useKeys([
    { keys: "j", label: t`Next row`, run: () => step(1) },
    { keys: "k", label: t`Previous row`, run: () => step(-1) },
  ]);
  return (
    <>
      <div className={css.healthFilters}>
        <Filters health={health} filter={filter} onChange={({ level, rule }) => setFilter({ level, rule })} />
      </div>
      {rows.length === 0 ? (
        <Empty
          title={t`Nothing found`}
          action={
            kept.level === "serious" &&
            notes > 0 && (
              <Button onPress={() => setFilter({ ...kept, level: "note" })} data-testid="show-notes">
                <Plural value={notes} one="Show # note" other="Show # notes" />
              </Button>
            )
          }
        >
          {health.findings.length === 0 ? (
            <Trans>No rule that is on found anything in these stores.</Trans>
          ) : (
            <Trans>Findings of other severity, rules or stores are left out by the filters above.</Trans>
          )}
        </Empty>
      ) : (
        <Picker
          role="tree"
          label={t`Findings`}
          rows={rows}
          chosen={chosen?.key ?? null}
          onChoose={(row) => setKey(row.key)}
          onToggle={toggle}
          estimate={34}
          className={css.healthList}
          rowTestId="finding-row"
        >
          {(row) => {
            const name = names.get(row.found.store_id) ?? row.found.store_id;
            return row.leaf ? <Row row={row} store={name} /> : <RuleRow row={row} store={name} />;
          }}
        </Picker>
      )}
      {chosen && <Detail key={chosen.key} row={chosen} onToggle={() => toggle(chosen)} />}
    </>
  );
}
