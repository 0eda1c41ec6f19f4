/** A rule becomes a guard: where, how, what it would have done in recorded sessions, and the edit of the settings. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { BackTest, GuardedRule, RuleFields, SettingsLine } from "@/bindings";
import { classes } from "@/shared/classes";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { projectsOf, useTranscripts } from "@/shared/runs";
import { Await, Failure, Segmented } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useRead } from "@/state/queries";
import { CaseRows } from "./CaseList";
import { type GuardEdit, previewOf, useGuardActs } from "./guards";
import css from "./rules.module.css";
import { patternWords } from "./words";

const SIGNS: Record<SettingsLine["tag"], string> = { equal: "", insert: "+", delete: "−" };

function EditLine({ line }: { line: SettingsLine }) {
  const { t } = useLingui();
  const name = line.tag === "insert" ? t`added` : line.tag === "delete" ? t`removed` : undefined;
  return (
    <div className={classes(css.editLine, css[`edit-${line.tag}`])} data-testid="guard-line" data-tag={line.tag}>
      <span role={name ? "img" : undefined} aria-label={name}>
        {SIGNS[line.tag]}
      </span>
      <span className="line-text">{line.text}</span>
    </div>
  );
}

/** The settings, and the edit of them. */
function Edit({ preview }: { preview: GuardedRule }) {
  const { t } = useLingui();
  return (
    <section className={css.guardPart} aria-labelledby="guard-edit">
      <h3 id="guard-edit">
        <Trans>The edit</Trans> <span className="mono muted">{preview.settings}</span>
      </h3>
      {preview.from_sha256 === preview.to_sha256 ? (
        <p className="muted">
          <Trans>Nothing changes in the settings: the hook is no longer there.</Trans>
        </p>
      ) : (
        <VirtualRows
          items={preview.lines}
          keyOf={(_line, at) => at}
          estimate={20}
          className={classes("code-box", css.edit)}
          role="region"
          aria-label={t`Difference`}
          tabIndex={0}
        >
          {(line) => <EditLine line={line} />}
        </VirtualRows>
      )}
    </section>
  );
}

/** How often it would have fired, and how often wrongly. */
function BackTested({ test }: { test: BackTest }) {
  const { t } = useLingui();
  const { fired, broken, wrongly, predates } = test;
  const sessions = plural(test.sessions, { one: "# session", other: "# sessions" });
  return (
    <section className={css.guardPart} aria-labelledby="guard-test" data-testid="guard-test">
      <h3 id="guard-test">
        <Trans>In recorded sessions</Trans>
      </h3>
      {fired === 0 ? (
        <p>
          <Trans>
            It would not have fired in {sessions}:{" "}
            <Plural value={test.calls} one="# call was judged" other="# calls were judged" />.
          </Trans>
        </p>
      ) : (
        <>
          <p>
            <strong>
              <Trans>
                It would have fired <Plural value={fired} one="once" other="# times" /> in {sessions}.
              </Trans>
            </strong>
          </p>
          <ul className={css.guardCounts}>
            {broken > 0 && (
              <li>
                <Plural value={broken} one="# call broke the rule." other="# calls broke the rule." />
              </li>
            )}
            <li className={wrongly > 0 ? "text-del" : undefined}>
              <Plural
                value={wrongly}
                _0="No call was one that you had asked for."
                one="# call although you had asked for it: wrong there."
                other="# calls although you had asked for them: wrong there."
              />
            </li>
            {predates > 0 && (
              <li>
                <Plural
                  value={predates}
                  one="# call from when the rule's line did not stand there."
                  other="# calls from when the rule's line did not stand there."
                />
              </li>
            )}
          </ul>
          <CaseRows cases={test.cases} label={t`Calls it would have fired on`} />
        </>
      )}
    </section>
  );
}

/** True for a path that names its whole place, also on Windows. */
const isWhole = (path: string) => /^([A-Za-z]:)?[\\/]/.test(path);

/** Which settings, and what the hook does. */
function Choices({
  edit,
  own,
  onChange,
}: {
  edit: GuardEdit;
  /** The project that the rule belongs to. */
  own: string | null;
  onChange: (change: Pick<GuardEdit, "project"> | Pick<GuardEdit, "remind">) => void;
}) {
  const { t } = useLingui();
  const ran = projectsOf(useTranscripts().data?.transcripts ?? []).filter(isWhole);
  const others = ran.filter((path) => path !== own);
  return (
    <div className={css.guardChoices}>
      <label className="field">
        <span>
          <Trans>Where</Trans>
        </span>
        <select
          value={edit.project ?? ""}
          onChange={({ target }) => onChange({ project: target.value || null })}
          data-testid="guard-where"
        >
          {own !== null && <option value={own}>{own}</option>}
          <option value="">{t`Your settings, for all projects`}</option>
          {others.map((path) => (
            <option key={path} value={path}>
              {path}
            </option>
          ))}
        </select>
      </label>
      <div className="field">
        <span>
          <Trans>A call that breaks the rule</Trans>
        </span>
        <Segmented
          label={t`A call that breaks the rule`}
          value={edit.remind ? "remind" : "deny"}
          options={[
            { value: "deny", label: t`is refused` },
            { value: "remind", label: t`reminds the model` },
          ]}
          onChange={(how) => onChange({ remind: how === "remind" })}
        />
      </div>
    </div>
  );
}

/** An edit with its preview, made as it was previewed. */
function usePreviewed(edit: GuardEdit, onDone: () => void) {
  const queries = useQueryClient();
  const perform = useGuardActs();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const read = useRead("guard_rule", previewOf(edit), { enabled: !busy, keepPrevious: true });
  // Asked anew each time the dialog opens: nothing tells of a change of the settings.
  useEffect(() => () => queries.removeQueries({ queryKey: ["guard_rule"] }), [queries]);
  const ready = read.data !== undefined && !read.isPlaceholderData && read.error === null;
  // The button waits while it is asked again, and keeps the focus: one that is disabled loses it.
  const asking = read.isPlaceholderData && read.error === null;
  const make = async () => {
    if (!ready) return;
    setBusy(true);
    setFailure(null);
    try {
      await perform(edit, read.data);
      onDone();
    } catch (cause) {
      setFailure(cause);
      setBusy(false);
      void read.refetch();
    }
  };
  return { read, busy: busy || asking, failure, make };
}

type Previewed = ReturnType<typeof usePreviewed>;

function Footer({ previewed, verb, onClose }: { previewed: Previewed; verb: string; onClose: () => void }) {
  const { read, busy, make } = previewed;
  return (
    <SheetActions
      verb={verb}
      note={<Trans>Nothing but the hook changes in the settings. It can be undone.</Trans>}
      focus="act"
      isReady={read.data !== undefined}
      isDisabled={read.error !== null}
      isBusy={busy}
      onAct={() => void make()}
      onCancel={onClose}
      testId="guard-confirm"
    />
  );
}

function Body({ previewed }: { previewed: Previewed }) {
  return (
    <>
      {previewed.failure !== null && <Failure error={previewed.failure} />}
      <Await read={previewed.read}>
        {(preview) => (
          <>
            {preview.back_test && <BackTested test={preview.back_test} />}
            <Edit preview={preview} />
          </>
        )}
      </Await>
    </>
  );
}

/** A rule of the ledger, as far as its guards need it. */
export type ListedRule = RuleFields & { rule_id: string; project: string | null };

const nameOf = (rule: ListedRule) => rule.sentence || patternWords(rule);

/** Makes a guard of a rule. */
export function GuardSheet({ rule, onClose }: { rule: ListedRule; onClose: () => void }) {
  const { t } = useLingui();
  const [edit, setEdit] = useState<GuardEdit>({
    rule: rule.rule_id,
    remind: false,
    remove: false,
    settings: null,
    // Where the rule belongs, so that no other project is guarded by it unasked.
    project: rule.project,
  });
  const previewed = usePreviewed(edit, onClose);
  return (
    <Sheet
      title={t`Make a guard: ${nameOf(rule)}`}
      size="large"
      onClose={onClose}
      testId="guard-sheet"
      footer={<Footer previewed={previewed} verb={t`Install`} onClose={onClose} />}
    >
      <p className="muted">
        <Trans>
          Claude Code asks Retrace before each such call. A hook knows the call alone, not what you said before it.
        </Trans>
      </p>
      <Choices edit={edit} own={rule.project} onChange={(change) => setEdit((before) => ({ ...before, ...change }))} />
      <Body previewed={previewed} />
    </Sheet>
  );
}

/** Takes the guard of a rule off. */
export function GuardOffSheet({
  rule,
  settings,
  onClose,
}: {
  rule: ListedRule;
  settings: string;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const previewed = usePreviewed({ rule: rule.rule_id, remind: false, remove: true, settings, project: null }, onClose);
  return (
    <Sheet
      title={t`Take the guard off: ${nameOf(rule)}`}
      size="medium"
      onClose={onClose}
      testId="guard-off-sheet"
      footer={<Footer previewed={previewed} verb={t`Take off`} onClose={onClose} />}
    >
      <Body previewed={previewed} />
    </Sheet>
  );
}
