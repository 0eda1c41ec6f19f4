/** Past of a store before it was recorded: where that is kept, what would come in, and bringing it in. */
import { plural } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useRef } from "react";
import type { ImportResult, Store } from "@/bindings";
import { ApiFailure } from "@/host";
import { JobProgress } from "@/shared/JobProgress";
import { Moment, ProgramText } from "@/shared/labels";
import { Sheet } from "@/shared/overlay";
import { sentenceNow } from "@/shared/sentences";
import { Button, Failure } from "@/shared/ui";
import { sayFailed } from "@/shared/say-failed";
import { rememberUndo, startAct } from "@/state/acts";
import { useBackend } from "@/state/backend";
import { useJob, useReadJob } from "@/state/jobs";
import { useRead } from "@/state/queries";
import { say } from "@/state/toasts";
import css from "./stores.module.css";

type SourceName = "git" | "transcripts";

/** Transcripts first: who wrote a content is better known than who committed it. */
const SOURCES: readonly SourceName[] = ["transcripts", "git"];

function usePreview(store: Store, source: SourceName, job: string) {
  const transcripts = useRead(
    "import_transcripts",
    { store: store.id, dry_run: true, job },
    { enabled: source === "transcripts" },
  );
  const git = useRead(
    "import_git",
    { directory: store.root, path: null, store: store.id, dry_run: true, job },
    { enabled: source === "git" },
  );
  return source === "git" ? git : transcripts;
}

/** A look at a source that goes on, and the way to stop it. */
type ReadJob = ReturnType<typeof useReadJob>;

/** Content that a source would bring in, or why it has nothing. */
function Found({ found, source }: { found: ImportResult; source: SourceName }) {
  if (found.found === 0)
    return (
      <p className="muted">
        {source === "git" ? (
          <Trans>Git has no history of this directory.</Trans>
        ) : (
          <Trans>No transcript names a file in this directory.</Trans>
        )}
      </p>
    );
  return (
    <>
      <p data-testid="earlier-found">
        {found.versions === 0 ? (
          <Trans>Nothing new: its versions are in the log already, or were recorded when they happened.</Trans>
        ) : (
          <Trans>
            <Plural value={found.versions} one="# version" other="# versions" /> of{" "}
            <Plural value={found.memories} one="# memory" other="# memories" /> would be imported.
          </Trans>
        )}
      </p>
      {found.first_at && found.last_at && (
        <p className="muted">
          <Moment at={found.first_at} form="moment" /> – <Moment at={found.last_at} form="moment" />
        </p>
      )}
      {found.warnings.map((warning) => (
        <p key={warning.text} className="muted">
          <ProgramText text={warning} />
        </p>
      ))}
    </>
  );
}

function SourcePart(props: { store: Store; source: SourceName; looking: ReadJob; onDone: () => void }) {
  const { store, source, looking, onDone } = props;
  const { t } = useLingui();
  const backend = useBackend();
  const read = usePreview(store, source, looking.name);
  const job = useJob(`earlier-${source}-in`);
  const stopped = useRef(false);
  const stop = () => {
    stopped.current = true;
    job.cancel();
  };
  const name = source === "git" ? t`Git` : t`Transcripts and copies`;
  const bringIn = async (job: string) => {
    stopped.current = false;
    try {
      const done =
        source === "git"
          ? await backend.call("import_git", {
              directory: store.root,
              path: null,
              store: store.id,
              dry_run: false,
              job,
            })
          : await backend.call("import_transcripts", { store: store.id, dry_run: false, job });
      const operation = done.operation_seq;
      if (operation === null) say(() => ({ tone: "notice", title: t`Nothing new` }));
      else {
        const subject = t`history of ${store.name}`;
        rememberUndo({ operation, subject });
        const run = () => startAct({ command: "undo", request: { operation_seq: operation }, subject });
        say(() => ({
          tone: "done",
          title: t`Imported ${plural(done.versions, { one: "# version", other: "# versions" })} of ${store.name}`,
          // The first warning names the files that came without what was redacted.
          detail: done.redacted > 0 ? sentenceNow(done.warnings[0]) : "",
          action: { label: t`Undo`, keys: "u", run },
        }));
      }
      onDone();
    } catch (cause) {
      if (stopped.current && cause instanceof ApiFailure && cause.error.subject === job) {
        say(() => ({ tone: "notice", title: t`Stopped; nothing was imported` }));
        return;
      }
      sayFailed(cause);
    }
  };
  const absent = read.error instanceof ApiFailure && read.error.error.code === "not_found";
  return (
    <section className={css.earlierSource} aria-label={name} data-testid={`earlier-${source}`}>
      <h3>{name}</h3>
      {read.isPending && <JobProgress job={looking} label={t`Scanning…`} />}
      {absent && (
        <p className="muted">
          <Trans>The directory is in no git repository.</Trans>
        </p>
      )}
      {read.error && !absent && <Failure error={read.error} />}
      {read.data && <Found found={read.data} source={source} />}
      {read.data && read.data.versions > 0 && (
        <Button
          onPress={() => void job.run(bringIn)}
          isDisabled={job.name !== null}
          data-testid={`earlier-import-${source}`}
        >
          {job.name === null ? <Trans>Bring in</Trans> : <Trans>Bringing in…</Trans>}
        </Button>
      )}
      {job.name !== null && <JobProgress job={{ ...job, cancel: stop }} label={t`Bringing in…`} />}
    </section>
  );
}

/** The dialog. */
export function EarlierHistory({ store, onClose }: { store: Store; onClose: () => void }) {
  const { t } = useLingui();
  const looking = { git: useReadJob("earlier-git"), transcripts: useReadJob("earlier-transcripts") };
  // A look that nobody waits for any more is stopped; what is being brought in goes on and says when it is done.
  const close = () => {
    SOURCES.forEach((source) => looking[source].cancel());
    onClose();
  };
  return (
    <Sheet title={t`Earlier history of ${store.name}`} onClose={close} size="medium" testId="earlier-history">
      <p>
        <Trans>
          Versions from before this directory was recorded. They come before what was seen, marked as rebuilt. No file
          changes, and nothing is added to your inbox.
        </Trans>
      </p>
      {SOURCES.map((source) => (
        <SourcePart key={source} store={store} source={source} looking={looking[source]} onDone={close} />
      ))}
    </Sheet>
  );
}
