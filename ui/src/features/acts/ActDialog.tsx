/**
 * The one way to a rollback, a restore and an undo: preview with the same command, then the act, then the way back.
 * Conflicts show their three contents; nothing is overwritten unless that is asked for, file by file.
 */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { ActResult, Conflict } from "@/bindings";
import { putsBack } from "@/shared/act-words";
import { DiffModeSwitch } from "@/shared/DiffPanel";
import { ChevronIcon } from "@/shared/icons";
import { Moment, ProgramText, Source } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { SheetActions } from "@/shared/SheetActions";
import { Await, Chip, Empty, Failure } from "@/shared/ui";
import { type Act, closeAct, startAct, useOpenAct, useUndoable } from "@/state/acts";
import { useBackend } from "@/state/backend";
import { useKeys } from "@/state/keys";
import { useRead } from "@/state/queries";
import { ChangePreview, type ChangePreviewProps } from "./ChangePreview";
import { ConflictView } from "./ConflictView";
import { type Choice, SessionChanges } from "./SessionChanges";
import { announce, asPreviewed, run, undo } from "./perform";
import { classes } from "@/shared/classes";
import css from "./acts.module.css";

function FileRow({ open, ...preview }: ChangePreviewProps & { open: boolean }) {
  const { file } = preview;
  const deleted = file.to_sha256 === null;
  const created = file.from_sha256 === null;
  return (
    <Disclosure defaultExpanded={open} className={css.actFile} data-testid="act-file">
      {({ isExpanded }) => (
        <>
          <Heading level={3} className={css.actFileHeading}>
            <AriaButton slot="trigger" className={css.actFileButton}>
              <span className={`tree-chevron${isExpanded ? " is-open" : ""}`}>
                <ChevronIcon />
              </span>
              <span className={classes("mono", css.actFilePath)}>{file.path}</span>
              <span className="spacer" />
              <Chip tone={deleted ? "del" : created ? "add" : "accent"}>
                {deleted ? <Trans>deletes</Trans> : created ? <Trans>writes, new</Trans> : <Trans>writes</Trans>}
              </Chip>
            </AriaButton>
          </Heading>
          <DisclosurePanel>{isExpanded && <ChangePreview {...preview} />}</DisclosurePanel>
        </>
      )}
    </Disclosure>
  );
}

/** Files whose differences the preview offers; a store of thousands is compared on a screen of its own. */
const MAX_FILES = 200;

/** Replaces a file that moved on: a rollback of that file alone, which expects what was found. */
function replacing(conflict: Conflict): (() => void) | null {
  const { wanted_version_id, found_sha256, store_id, path } = conflict;
  if (wanted_version_id === null) return null;
  const request = { memory: `${store_id}:${path}`, to: wanted_version_id, expect: found_sha256 };
  return () => startAct({ command: "rollback", request, subject: path });
}

function Conflicts({ conflicts }: { conflicts: readonly Conflict[] }) {
  return (
    <>
      <div className="notice notice-warning" role="alert" data-testid="conflict-notice">
        <strong>
          <Plural value={conflicts.length} one="# file changed since." other="# files changed since." />
        </strong>{" "}
        <Trans>Nothing was written. What can be done stands below each file.</Trans>
      </div>
      {conflicts.map((conflict) => (
        <ConflictView
          key={`${conflict.store_id}:${conflict.path}`}
          conflict={conflict}
          onReplace={replacing(conflict)}
        />
      ))}
    </>
  );
}

/** State of each file in imported history at the time, what is not certain first. */
function Imported({ states }: { states: ActResult["imported"] }) {
  const { t } = useLingui();
  if (states.length === 0) return null;
  const words = { write: t`writes`, delete: t`deletes`, leave: t`leaves` };
  return (
    <section className="notice" aria-label={t`Known state at that time`} data-testid="act-imported">
      <p>
        <Trans>
          Nothing was recorded by then. This comes from imported history; files without history are not changed.
        </Trans>
      </p>
      <ul>
        {states.slice(0, MAX_FILES).map(({ path, act, certain, reason }) => (
          <li key={path}>
            <Chip tone={certain ? "accent" : "warn"}>
              {certain ? <Trans>certain</Trans> : <Trans>not certain</Trans>}
            </Chip>{" "}
            <span className="mono">{path}</span> · {words[act] ?? act} · <ProgramText text={reason} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PreviewBody({ act, preview, hold }: { act: Act; preview: ActResult; hold: boolean }) {
  const { t } = useLingui();
  const files = [...preview.writes, ...preview.deletes];
  const wantedFor = (path: string) => {
    if (act.command === "rollback") return act.request.to ?? null;
    return act.command === "accept_memories" ? (act.versions[path] ?? null) : null;
  };
  return (
    <>
      {preview.warnings.map((warning) => (
        <div className="notice" key={warning.text}>
          <ProgramText text={warning} />
        </div>
      ))}
      <Imported states={preview.imported} />
      {preview.undoes && act.command === "undo" && (
        <div className="notice" data-testid="act-undoes">
          <Trans>
            Undoes operation {preview.undoes.operation_seq}, <Source source={preview.undoes.source} />,{" "}
            <Moment at={preview.undoes.created_at} form="moment" />
          </Trans>
          {preview.undoes.note && (
            <>
              : <ProgramText text={preview.undoes.note} />
            </>
          )}
        </div>
      )}
      {preview.queued > 0 && (
        <div className="notice" data-testid="act-queued">
          <Plural
            value={preview.queued}
            one="# change is queued for its host. Nothing is sent before you push."
            other="# changes are queued for their host. Nothing is sent before you push."
          />
        </div>
      )}
      {preview.conflicts.length > 0 && <Conflicts conflicts={preview.conflicts} />}
      {preview.withdrawn > 0 && (
        <div className="notice" data-testid="act-withdrawn">
          <Plural
            value={preview.withdrawn}
            one="# imported version leaves the lists. No file changes."
            other="# imported versions leave the lists. No file changes."
          />
        </div>
      )}
      {files.length === 0 &&
        preview.conflicts.length === 0 &&
        preview.withdrawn === 0 &&
        preview.likely.length === 0 &&
        preview.sure.length === 0 && (
          <Empty title={t`Nothing to do`}>
            <Trans>The files on disk are already like that.</Trans>
          </Empty>
        )}
      {files.length > 0 && (
        <div className="act-toolbar">
          <span className="muted">
            {preview.writes.length > 0 && (
              <Plural value={preview.writes.length} one="# file is written" other="# files are written" />
            )}
            {preview.writes.length > 0 && preview.deletes.length > 0 && ", "}
            {preview.deletes.length > 0 && (
              <Plural value={preview.deletes.length} one="# file is deleted" other="# files are deleted" />
            )}
          </span>
          <span className="spacer" />
          <DiffModeSwitch />
        </div>
      )}
      {files.length > MAX_FILES && (
        <p className="muted">
          <Trans>The first {MAX_FILES} are shown below.</Trans>
        </p>
      )}
      {files.slice(0, MAX_FILES).map((file) => (
        <FileRow
          key={`${file.store_id}:${file.path}`}
          file={file}
          open={files.length <= 3}
          wantedId={wantedFor(file.path)}
          hold={hold}
        />
      ))}
    </>
  );
}

function useActTexts(act: Act, preview: ActResult | undefined): { title: string; verb: string } {
  const { t } = useLingui();
  switch (act.command) {
    case "rollback":
      if (putsBack(preview))
        return { title: t({ message: `Put back: ${act.subject}`, context: "before it is done" }), verb: t`Put back` };
      return { title: t`Roll back: ${act.subject}`, verb: t`Roll back` };
    case "restore":
      return { title: t`Restore: ${act.subject}`, verb: t`Restore` };
    case "undo":
      return { title: t`Undo: ${act.subject}`, verb: t`Undo` };
    case "move_entry":
      return { title: t`Move: ${act.subject}`, verb: t`Move` };
    case "expire":
      return { title: t`Remove: ${act.subject}`, verb: t`Remove` };
    case "accept_memories":
      return { title: t`Accept: ${act.subject}`, verb: t`Accept` };
    case "allow_finding":
      return { title: t`Allow: ${act.subject}`, verb: t`Write the comment` };
    case "strip_characters":
      return { title: t`Remove: ${act.subject}`, verb: t`Remove it` };
  }
}

/** The act with the changes that were ticked, and without those whose tick was taken away. */
function withChoice(act: Act, { include, except }: Choice): Act {
  if (act.command !== "rollback" || include.length + except.length === 0) return act;
  return { ...act, request: { ...act.request, include, except } };
}

/** Preview of an act, and performing it as it was previewed. */
function usePreviewed(act: Act) {
  const backend = useBackend();
  const [conflicted, setConflicted] = useState<ActResult | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [choice, setChoice] = useState<Choice>({ include: [], except: [] });
  const asked = withChoice(act, choice);
  const read = useRead(act.command, { ...asked.request, dry_run: true }, { enabled: !busy, keepPrevious: true });
  const preview = conflicted ?? read.data;
  const files = preview ? preview.writes.length + preview.deletes.length : 0;
  const ready =
    preview !== undefined &&
    preview.conflicts.length === 0 &&
    (files > 0 || preview.withdrawn > 0) &&
    !read.isPlaceholderData;

  const perform = async () => {
    if (!ready) return;
    setBusy(true);
    setFailure(null);
    try {
      const result = await run(backend, asPreviewed(asked, preview), false);
      if (result.conflicts.length > 0 && !result.partial) {
        setConflicted(result);
        return;
      }
      closeAct();
      announce(backend, act, result);
    } catch (cause) {
      setFailure(cause);
    } finally {
      setBusy(false);
    }
  };
  const choose = (next: Choice) => {
    setConflicted(null);
    setChoice(next);
  };
  return { read, preview, files, ready, busy, failure, choice, choose, perform };
}

/** What the act changes on disk, where that is known, and that it can be taken back. */
function Undoable({ files }: { files: number | null }) {
  if (files === null) return <Trans>It can be undone.</Trans>;
  if (files === 0) return <Trans>No file is changed. It can be undone.</Trans>;
  return <Trans>Changes files on disk, and is recorded. It can be undone.</Trans>;
}

function OpenAct({ act }: { act: Act }) {
  const { t } = useLingui();
  const { read, preview, files, ready, busy, failure, choice, choose, perform } = usePreviewed(act);
  const { title, verb } = useActTexts(act, preview);

  return (
    <Sheet
      title={title}
      size="large"
      onClose={closeAct}
      testId="act-dialog"
      footer={
        <SheetActions
          verb={ready && files > 0 ? t`${verb}: ${plural(files, { one: "# file", other: "# files" })}` : verb}
          note={<Undoable files={preview?.queued ? null : files} />}
          focus="act"
          isReady={ready}
          isBusy={busy}
          onAct={() => void perform()}
          onCancel={closeAct}
          testId="act-confirm"
        />
      }
    >
      {failure !== null && <Failure error={failure} />}
      <Await read={{ data: preview, error: read.error, refetch: () => read.refetch() }}>
        {(result) => (
          <>
            <SessionChanges result={result} choice={choice} onChoose={choose} />
            <PreviewBody act={act} preview={result} hold={busy} />
          </>
        )}
      </Await>
    </Sheet>
  );
}

/** The preview of whatever act was asked for, and the key that takes the last one back. Used once. */
export function Acts() {
  const { t } = useLingui();
  const act = useOpenAct();
  const undoable = useUndoable();
  const backend = useBackend();
  useKeys([
    {
      keys: "u",
      label: t`Undo the last act`,
      enabled: undoable !== null,
      run: () => {
        if (undoable !== null) void undo(backend, undoable.operation, undoable.subject);
      },
    },
  ]);
  return act && <OpenAct key={JSON.stringify(act)} act={act} />;
}
