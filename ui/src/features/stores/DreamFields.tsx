/** Fields of the form for a new dream. */
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useId } from "react";
import type { RemoteStore } from "@/bindings";
import { useFormat } from "@/shared/format";
import { Button, Checkbox } from "@/shared/ui";
import { navigate } from "@/state/route";
import type { DreamDraft } from "./dreamForm";
import { charactersOf, MAX_CHARACTERS } from "./mountList";

/** Props of a field. */
interface FieldProps {
  draft: DreamDraft;
  onChange: (change: Partial<DreamDraft>) => void;
}

/** The store to read. */
export function StoreField({ draft, mirrors, onChange }: FieldProps & { mirrors: readonly RemoteStore[] }) {
  const { t } = useLingui();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={`${id}-store`}>
        <Trans>Store to read</Trans>
      </label>
      <select
        id={`${id}-store`}
        value={draft.store}
        onChange={(event) => onChange({ store: event.target.value, without: false })}
        data-testid="dream-store"
      >
        {mirrors.length === 0 && <option value="">{t`No store of this host is mirrored`}</option>}
        {mirrors.map((mirror) => (
          <option key={mirror.store_id} value={mirror.store_id}>
            {mirror.name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Changes of the store that only this machine has. */
export function QueuedNotice({
  queued,
  draft,
  onChange,
  onClose,
}: FieldProps & { queued: number; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <div className="notice notice-warning" role="alert" data-testid="dream-queued">
      <div>
        <p>
          <Plural
            value={queued}
            one="# change of this store is queued here. The dream reads the store at the host, so it would not read it."
            other="# changes of this store are queued here. The dream reads the store at the host, so it would not read them."
          />
        </p>
        <Checkbox
          label={t`Start without them`}
          isSelected={draft.without}
          onChange={(without) => onChange({ without })}
          data-testid="dream-without"
        />
        <div className="form-actions">
          <Button
            onPress={() => {
              onClose();
              navigate({ screen: "stores", view: "hosted", store: draft.store });
            }}
            data-testid="dream-push-first"
          >
            <Trans>Go to the queue, to push first</Trans>
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Past sessions to read. */
export function SessionsField({ draft, count, wrong, onChange }: FieldProps & { count: number; wrong: boolean }) {
  const { t } = useLingui();
  const id = useId();
  const format = useFormat();
  return (
    <div className="field">
      <label htmlFor={`${id}-sessions`}>
        <Trans>Sessions to read, one id a line</Trans>
      </label>
      <textarea
        id={`${id}-sessions`}
        rows={4}
        className="mono"
        value={draft.sessions}
        spellCheck={false}
        placeholder="sesn_…"
        aria-invalid={wrong || undefined}
        onChange={(event) => onChange({ sessions: event.target.value })}
        data-testid="dream-sessions"
      />
      <span className={wrong ? "text-del num" : "muted num"}>
        {t`${format.number(count)} of 1 to 100, each once; ids begin with sesn_`}
      </span>
    </div>
  );
}

/** The model. */
export function ModelField({ draft, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={`${id}-model`}>
        <Trans>Model</Trans>
      </label>
      <input
        id={`${id}-model`}
        type="text"
        className="mono"
        value={draft.model}
        spellCheck={false}
        placeholder="claude-…"
        onChange={(event) => onChange({ model: event.target.value })}
        data-testid="dream-model"
      />
    </div>
  );
}

/** What the model is told beside. */
export function InstructionsField({ draft, onChange }: FieldProps) {
  const { t } = useLingui();
  const id = useId();
  const format = useFormat();
  const used = charactersOf(draft.instructions);
  return (
    <div className="field">
      <label htmlFor={`${id}-instructions`}>
        <Trans>Instructions</Trans>
      </label>
      <textarea
        id={`${id}-instructions`}
        rows={4}
        value={draft.instructions}
        aria-invalid={used > MAX_CHARACTERS || undefined}
        onChange={(event) => onChange({ instructions: event.target.value })}
        data-testid="dream-instructions"
      />
      <span className={`num ${used > MAX_CHARACTERS ? "text-del" : "muted"}`} data-testid="dream-count">
        {used > MAX_CHARACTERS
          ? t`${format.number(used)} characters; the API takes ${format.number(MAX_CHARACTERS)}`
          : t`${format.number(used)} of ${format.number(MAX_CHARACTERS)} characters`}
      </span>
    </div>
  );
}
