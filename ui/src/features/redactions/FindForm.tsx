/** The first step: what is to be taken out, and where. */
import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { FindingPlace } from "@/bindings";
import { spelled } from "@/shared/hidden";
import { useProgramWords } from "@/shared/program";
import { fileName, shorten } from "@/shared/text";
import { Await, Button, Checkbox, Segmented } from "@/shared/ui";
import { Moment } from "@/shared/labels";
import { useRead } from "@/state/queries";
import { type Draft, isReady, type Method, reasonTells } from "./draft";
import css from "./redactions.module.css";

function SecretField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useLingui();
  const [shown, setShown] = useState(false);
  const isPress = (event: KeyboardEvent) => event.key === " " || event.key === "Enter";
  return (
    <div className="field">
      <label htmlFor="redact-secret">
        <Trans>The exact text</Trans>
      </label>
      <div className={css.secretField}>
        <textarea
          id="redact-secret"
          className={`mono${shown ? "" : " is-masked"}`}
          rows={2}
          value={value}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          placeholder={t`Paste it here. It stays in this window and is not stored.`}
          onChange={(event) => onChange(event.target.value)}
          data-testid="redact-secret"
        />
        <button
          type="button"
          className="button button-plain"
          disabled={value === ""}
          aria-pressed={shown}
          onPointerDown={() => setShown(true)}
          onPointerUp={() => setShown(false)}
          onPointerLeave={() => setShown(false)}
          onKeyDown={(event) => isPress(event) && setShown(true)}
          onKeyUp={(event) => isPress(event) && setShown(false)}
          onBlur={() => setShown(false)}
          data-testid="hold-to-show"
        >
          <Trans>Hold to show the value</Trans>
        </button>
      </div>
      <p className="muted">
        <Trans>
          Every byte counts, line breaks too. A line break at the end of what you paste is part of the text.
        </Trans>
      </p>
    </div>
  );
}

/** Subject of a finding: where it stands, and never the text. */
function FoundText({ finding }: { finding: FindingPlace }) {
  const program = useProgramWords();
  return (
    <div className="field" data-testid="redact-finding">
      <span>
        <Trans>The text that a check found</Trans>
      </span>
      <p>
        <strong>{fileName(finding.path)}</strong> · <span title={finding.rule}>{program.ruleName(finding.rule)}</span>
      </p>
      <p className="muted">
        <Trans>Searched for byte by byte, in every version and every file. It is not shown here.</Trans>
      </p>
    </div>
  );
}

function ChosenVersion({ id }: { id: string }) {
  const read = useRead("show", { version: id, content: false });
  return (
    <li>
      <Await read={read} rows={1}>
        {(version) => (
          <>
            <strong>{version.path ?? shorten(id, 10, 4)}</strong> · <Moment at={version.created_at} form="moment" /> ·{" "}
            <span className="mono muted">{shorten(id, 10, 4)}</span>
          </>
        )}
      </Await>
    </li>
  );
}

function Reason({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const { t } = useLingui();
  const tells = reasonTells(draft);
  return (
    <div className="field">
      <label htmlFor="redact-reason">
        <Trans>Reason, kept on the receipt</Trans>
      </label>
      <input
        id="redact-reason"
        type="text"
        value={draft.reason}
        placeholder={t`for example: live key of the payment provider`}
        onChange={(event) => onChange({ ...draft, reason: event.target.value })}
        aria-invalid={tells}
        aria-describedby={tells ? "redact-reason-tells" : undefined}
        data-testid="redact-reason"
      />
      {tells && (
        <p className="text-del" id="redact-reason-tells" role="alert">
          <Trans>The reason holds the text itself, and reasons are kept for good. Take the text out of it.</Trans>
        </p>
      )}
    </div>
  );
}

interface PartProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

function PatternField({ draft, onChange }: PartProps) {
  return (
    <div className="field">
      <label htmlFor="redact-pattern">
        <Trans>Regular expression, over content and path</Trans>
      </label>
      <input
        id="redact-pattern"
        type="text"
        className="mono"
        value={draft.pattern}
        spellCheck={false}
        placeholder="sk_live_[0-9a-zA-Z]{24}"
        onChange={(event) => onChange({ ...draft, pattern: event.target.value })}
        data-testid="redact-pattern"
      />
      <p className="muted">
        <Trans>A version that matches anywhere is redacted as a whole.</Trans>
      </p>
    </div>
  );
}

function ChosenVersions({ versions }: { versions: Draft["versions"] }) {
  return (
    <div className="field">
      <span>
        <Trans>These versions are redacted as a whole</Trans>
      </span>
      <ul className={css.chosenVersions}>
        {versions.map((id) => (
          <ChosenVersion key={id} id={id} />
        ))}
      </ul>
    </div>
  );
}

/** In which stores it is searched for, and what of the rest of the machine is searched with them. */
function Where({ draft, onChange }: PartProps) {
  const { t } = useLingui();
  const stores = useRead("stores", {});
  return (
    <>
      <label className="field">
        <span>
          <Trans>Where</Trans>
        </span>
        <select value={draft.store} onChange={(event) => onChange({ ...draft, store: event.target.value })}>
          <option value="">{t`All stores`}</option>
          {stores.data?.stores.map(({ id, name }) => (
            <option key={id} value={id}>
              {spelled(name)}
            </option>
          ))}
        </select>
      </label>
      <Checkbox
        label={<Trans>Also replace it in the live files with a marker</Trans>}
        isSelected={draft.live}
        onChange={(live) => onChange({ ...draft, live })}
        data-testid="redact-live"
      />
      <Checkbox
        label={<Trans>Also in agents&apos; transcripts that no running program has open</Trans>}
        isSelected={draft.transcripts}
        onChange={(transcripts) => onChange({ ...draft, transcripts })}
        data-testid="redact-transcripts"
      />
    </>
  );
}

/** The first step. */
export function FindForm({
  draft,
  busy,
  onChange,
  onFind,
}: {
  draft: Draft;
  busy: boolean;
  onChange: (draft: Draft) => void;
  onFind: () => void;
}) {
  const { t } = useLingui();
  const methods: { value: Method; label: string }[] = [
    { value: "secret", label: t`Exact text` },
    { value: "find", label: t`Pattern` },
  ];
  if (draft.finding !== null) methods.unshift({ value: "finding", label: t`A finding` });
  if (draft.versions.length > 0) methods.push({ value: "versions", label: t`Chosen versions` });
  const ready = isReady(draft) && !reasonTells(draft);
  const form = useRef<HTMLFormElement>(null);
  // Whoever came with a finding or versions has asked for this form.
  const isAsked = draft.finding !== null || draft.versions.length > 0;
  useEffect(() => {
    if (isAsked) form.current?.querySelector<HTMLElement>("textarea, input[type=text]")?.focus();
  }, [isAsked]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onFind();
  };
  return (
    <form ref={form} className={css.redactForm} onSubmit={submit} autoComplete="off">
      <Segmented
        label={t`How to find it`}
        value={draft.method}
        options={methods}
        onChange={(method) => onChange({ ...draft, method })}
      />
      {draft.method === "secret" && (
        <SecretField value={draft.secret} onChange={(secret) => onChange({ ...draft, secret })} />
      )}
      {draft.method === "find" && <PatternField draft={draft} onChange={onChange} />}
      {draft.method === "finding" && draft.finding && <FoundText finding={draft.finding} />}
      {draft.method === "versions" && <ChosenVersions versions={draft.versions} />}
      {draft.method !== "versions" && <Where draft={draft} onChange={onChange} />}
      <Reason draft={draft} onChange={onChange} />
      <div className="form-actions">
        <Button tone="redact" type="submit" isPending={busy} isDisabled={!ready} data-testid="redact-find">
          <Trans>Find it</Trans>
        </Button>
        <span className="muted">
          <Trans>This only searches. Nothing is changed yet.</Trans>
        </span>
      </div>
    </form>
  );
}
