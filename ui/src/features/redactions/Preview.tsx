/** The second step: where the content stands, masked, and what would happen to each place. */
import { plural, t } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMemo, useState } from "react";
import type { ActResult, Message, RedactionAction, RedactionPlace } from "@/bindings";
import { ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { useProgramWords } from "@/shared/program";
import { fileName, shorten, toBase64 } from "@/shared/text";
import { Button, Chip, Empty, Failure } from "@/shared/ui";
import { VirtualRows } from "@/shared/VirtualRows";
import { useBackend } from "@/state/backend";
import { useRead } from "@/state/queries";
import { countChanged, countPlaces, type Draft, groupMatches, maskedPieces, type MatchGroup } from "./draft";
import { classes } from "@/shared/classes";
import css from "./redactions.module.css";

/** A masked line: bars where the text stood. */
export function MaskedLine({ masked }: { masked: string }) {
  const { t } = useLingui();
  return (
    <span className={classes("mono", css.maskedLine)}>
      {maskedPieces(masked).map((piece, at) =>
        piece.bar ? (
          <span key={at} className={css.maskBar} role="img" aria-label={t`hidden`} data-testid="mask-bar">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </span>
  );
}

function ActionChip({ action }: { action: RedactionAction }) {
  switch (action) {
    case "redact_version":
      return (
        <Chip tone="redact">
          <Trans>redact version</Trans>
        </Chip>
      );
    case "replace_in_place":
      return (
        <Chip tone="redact">
          <Trans>replace in place</Trans>
        </Chip>
      );
    case "left":
      return (
        <Chip>
          <Trans>leave, name on receipt</Trans>
        </Chip>
      );
  }
}

function PlaceName({ place, action }: { place: RedactionPlace; action: RedactionAction }) {
  switch (place) {
    case "transcript":
      return action === "left" ? <Trans>transcript, not changed</Trans> : <Trans>transcript, changed too</Trans>;
    case "text":
      return <Trans>texts of the log</Trans>;
    case "file":
      return <Trans>file of the data directory</Trans>;
    case "encoded":
      return <Trans>in another form</Trans>;
    case "git":
    case "file_history":
    case "bundle":
    case "export":
    case "worktree":
    case "store":
      return <Trans>outside of the log</Trans>;
    case "version":
    case "live":
      return null;
  }
}

function MatchCard({ group }: { group: MatchGroup }) {
  const { t } = useLingui();
  const { match, places } = group;
  const program = useProgramWords();
  const stores = useRead("stores", {});
  const store = stores.data?.stores.find(({ id }) => id === match.store_id)?.name;
  // A transcript is told apart by its name; where it lies is long, and stands in its title.
  const path = match.place === "transcript" && match.path !== null ? fileName(match.path) : match.path;
  const named = match.name ? program.sentence(match.name) : path;
  const title = named ?? (match.version_id ? shorten(match.version_id, 10, 4) : t`no path`);
  return (
    <div className={css.matchCard} data-testid="match" data-place={match.place}>
      <div className={css.matchHead}>
        <strong title={match.path ?? undefined}>
          <MaskedLine masked={title} />
        </strong>
        <span className="muted">
          {match.place === "live" && <Trans>live file</Trans>}
          {match.place === "version" && <Plural value={places} one="recorded version" other="# recorded versions" />}
          <PlaceName place={match.place} action={match.action} />
          {store && ` · ${store}`}
          {match.line !== null && ` · ${t`line ${match.line}`}`}
          {match.hits > 1 && ` · ${plural(match.hits, { one: "# match", other: "# matches" })}`}
        </span>
        <span className="spacer" />
        <ActionChip action={match.action} />
      </div>
      {match.masked !== null && <MaskedLine masked={match.masked} />}
      {match.detail !== null && (
        <p className="muted">
          <ProgramText text={match.detail} />
        </p>
      )}
      {match.remedy !== null && (
        <p className="muted" data-testid="match-remedy">
          <ProgramText text={match.remedy} />
        </p>
      )}
    </div>
  );
}

function Summary({ result }: { result: ActResult }) {
  const { t } = useLingui();
  const { live, versions, transcripts, others } = countPlaces(result.matches);
  const parts = [
    live > 0 && plural(live, { one: "# live file", other: "# live files" }),
    versions > 0 && plural(versions, { one: "# recorded version", other: "# recorded versions" }),
    transcripts > 0 && plural(transcripts, { one: "# transcript", other: "# transcripts" }),
    others > 0 && plural(others, { one: "# other place", other: "# other places" }),
  ].filter(Boolean);
  const where = parts.join(t`, `);
  return (
    <p className="muted">
      <Trans>Found in {where}. Content, path, size and hash of each version go; who, when and why stay.</Trans>
    </p>
  );
}

/** Nothing was found: says so, and offers to prove it. */
function NothingFound({ draft, onBack }: { draft: Draft; onBack: () => void }) {
  const { t } = useLingui();
  const program = useProgramWords();
  const backend = useBackend();
  const [proof, setProof] = useState<{ absent: boolean | null; found_in: Message[] } | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const prove = async () => {
    setBusy(true);
    setFailure(null);
    try {
      setProof(await backend.call("verify", { absent_base64: toBase64(draft.secret) }));
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Empty
      title={t`Not found`}
      action={
        <>
          <Button onPress={onBack}>
            <Trans>Search for something else</Trans>
          </Button>
          {draft.method === "secret" && (
            <Button isPending={busy} onPress={() => void prove()}>
              <Trans>Search every file of the log too</Trans>
            </Button>
          )}
        </>
      }
    >
      <Trans>Not found in live memories or history of the chosen stores.</Trans>
      {proof && (
        <p role="status">
          {proof.absent ? (
            <Trans>These bytes are in no file of the data directory.</Trans>
          ) : (
            <Trans>These bytes are in: {proof.found_in.map(program.sentence).join(", ")}</Trans>
          )}
        </p>
      )}
      {failure !== null && <Failure error={failure} />}
    </Empty>
  );
}

/** What is changed, as the button and the question say it. */
function changedWords({ places, transcripts }: ReturnType<typeof countChanged>): string {
  const memories = plural(places, { one: "# place", other: "# places" });
  const sessions = plural(transcripts, { one: "# transcript", other: "# transcripts" });
  if (transcripts === 0) return memories;
  return places === 0 ? sessions : t`${memories} and ${sessions}`;
}

function Confirm({
  changed,
  live,
  onCancel,
  onConfirm,
}: {
  changed: ReturnType<typeof countChanged>;
  live: boolean;
  onCancel: () => void;
  onConfirm: () => void;
}) {
  const { t } = useLingui();
  return (
    <Sheet
      title={t`Redact ${changedWords(changed)}?`}
      role="alertdialog"
      onClose={onCancel}
      testId="redact-dialog"
      footer={
        <SheetActions
          verb={<Trans>Redact for good</Trans>}
          tone="redact"
          focus="cancel"
          onAct={onConfirm}
          onCancel={onCancel}
          testId="redact-confirm"
        />
      }
    >
      <p>
        <Trans>This cannot be undone. A rollback never restores it.</Trans>
      </p>
      {live && (
        <p>
          <Trans>Live files are changed too: a marker takes the place of the text.</Trans>
        </p>
      )}
      {changed.transcripts > 0 && (
        <p>
          <Trans>Transcripts of agents are changed too. Those that a running program holds open are left.</Trans>
        </p>
      )}
    </Sheet>
  );
}

/** Props of the second step. */
export interface PreviewProps {
  /** Searched content. */
  draft: Draft;
  /** Result. */
  result: ActResult;
  /** True if the redaction is going on. */
  busy: boolean;
  /** Back to the first step. */
  onBack: () => void;
  /** Redacts. */
  onRedact: () => void;
}

/** The second step. */
export function Preview({ draft, result, busy, onBack, onRedact }: PreviewProps) {
  const { t } = useLingui();
  const [asking, setAsking] = useState(false);
  const groups = useMemo(() => groupMatches(result.matches), [result.matches]);
  const changed = useMemo(() => countChanged(result.matches), [result.matches]);
  if (result.matches.length === 0) return <NothingFound draft={draft} onBack={onBack} />;
  return (
    <div className={css.redactPreview}>
      <Summary result={result} />
      {result.warnings.map((warning) => (
        <div key={warning.text} className="notice notice-warning" data-testid="redact-warning">
          <ProgramText text={warning} />
        </div>
      ))}
      <VirtualRows
        items={groups}
        keyOf={(_, at) => at}
        estimate={78}
        className={css.matchList}
        role="region"
        aria-label={t`Places found`}
        tabIndex={0}
      >
        {(group) => <MatchCard group={group} />}
      </VirtualRows>
      <div className="form-actions">
        <Button
          tone="redact"
          isPending={busy}
          isDisabled={changed.places + changed.transcripts === 0}
          onPress={() => setAsking(true)}
          data-testid="redact-places"
        >
          {t`Redact ${changedWords(changed)}…`}
        </Button>
        <Button onPress={onBack}>
          <Trans>Change what to find</Trans>
        </Button>
        <span className="spacer" />
        <span className="muted">
          <Trans>Redaction cannot be undone. A rollback never restores it.</Trans>
        </span>
      </div>
      {asking && (
        <Confirm
          changed={changed}
          live={result.matches.some(({ place, action }) => place === "live" && action === "replace_in_place")}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            onRedact();
          }}
        />
      )}
    </div>
  );
}
