//! The index of transcripts, brought up to date on a thread of its own. Whoever asks gets what is known by now.

use crate::Lab;
use crate::wire::{Event, TranscriptIndexState, TranscriptProblem};
use crate::wire::{sentence, show};
use retrace_engine::lock;
use retrace_model::Timestamp;
use retrace_sessions::{
    Cancel, FILE_NAME, Index, Latest, Progress, Roots, Snapshot, StoreError, roots_of_home,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

/// Name of the job: `task` of its progress, and what `cancel` stops it by.
pub(crate) const JOB: &str = "transcripts";

/// Largest file of the index that is read for a list that must not wait.
const MAX_RECALLED: u64 = 4 << 20;

/// Most times that listeners are told of the progress of one update.
const STEPS_TOLD: usize = 100;

/// The index with the thread that brings it up to date.
#[derive(Default)]
pub struct TranscriptIndex {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Held by the thread for as long as it works.
    index: Mutex<Option<Index>>,
}

#[derive(Default)]
struct State {
    running: bool,
    /// Updates that came to an end, stopped ones among them.
    ended: u64,
    cancel: Cancel,
    done: u64,
    total: u64,
    updated_at: Option<Timestamp>,
    latest: Option<Latest>,
    problems: Vec<TranscriptProblem>,
    begun: bool,
}

impl TranscriptIndex {
    /// The name of the job that brings it up to date.
    pub const JOB: &str = JOB;

    /// Present state.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let latest = lock(&self.shared.state).latest.clone();
        latest.map(|latest| latest.get()).unwrap_or_default()
    }

    /// True if an update was ever asked for.
    pub fn was_begun(&self) -> bool {
        lock(&self.shared.state).begun
    }

    /// True while an update runs.
    pub fn is_running(&self) -> bool {
        lock(&self.shared.state).running
    }

    /// Progress, and the files that could not be read.
    pub fn state(&self) -> (TranscriptIndexState, Vec<TranscriptProblem>) {
        let state = lock(&self.shared.state);
        let wire = TranscriptIndexState {
            running: state.running,
            done: state.done,
            total: state.total,
            updated_at: state.updated_at.map(|at| at.to_rfc3339()),
        };
        (wire, state.problems.clone())
    }

    /// Brings the index up to date in the background. When that is being done already, nothing further is begun.
    pub fn start(&self, inner: &Arc<Lab>) {
        let cancel = {
            let mut state = lock(&self.shared.state);
            state.begun = true;
            if state.running {
                return;
            }
            state.running = true;
            (state.done, state.total, state.cancel) = (0, 0, Cancel::new());
            state.cancel.clone()
        };
        let work = Work {
            shared: Arc::clone(&self.shared),
            app: Arc::downgrade(inner),
            roots: roots(inner),
            file: inner.options.data_dir.join(FILE_NAME),
            cancel,
        };
        let started =
            std::thread::Builder::new().name("retrace-transcripts".to_owned()).spawn(move || work.run());
        if started.is_err() {
            self.shared.end(|state| {
                state.problems = vec![TranscriptProblem {
                    path: String::new(),
                    reason: say::no_thread_could_started_look(),
                }];
            });
        }
    }

    /// Takes the index as it was kept, where none was read yet and its file is small. Nothing is compared with the transcripts.
    pub fn recall(&self, inner: &Lab) {
        let file = inner.options.data_dir.join(FILE_NAME);
        let is_small = std::fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= MAX_RECALLED);
        if self.was_begun() || !is_small {
            return;
        }
        let mut index = lock(&self.shared.index);
        let latest = index.get_or_insert_with(|| Index::load(&file)).latest();
        lock(&self.shared.state).latest.get_or_insert(latest);
    }

    /// Transcripts of sessions by a list of the directories alone.
    pub fn listed(&self, inner: &Lab) -> u64 {
        retrace_sessions::count_sessions(&roots(inner), &Cancel::new())
    }

    /// Waits until no update runs.
    pub fn wait(&self) {
        let state = lock(&self.shared.state);
        drop(
            self.shared
                .changed
                .wait_while(state, |state| state.running)
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    /// Brings the index up to date and waits for it.
    pub fn update(&self, inner: &Arc<Lab>) {
        self.start(inner);
        self.wait();
    }

    /// Stops an update; `false` when none runs. What it has read by then stands.
    pub fn cancel(&self) -> bool {
        let state = lock(&self.shared.state);
        state.cancel.cancel();
        state.running
    }

    /// Throws the index away, the file included. The next update reads everything anew.
    pub fn forget(&self, inner: &Lab) {
        self.cancel();
        self.wait();
        let mut index = lock(&self.shared.index);
        *index = None;
        let mut state = lock(&self.shared.state);
        (state.latest, state.updated_at, state.begun) = (None, None, false);
        state.problems.clear();
        // Where it cannot be removed, whoever searches the data directory finds it there.
        let _ = std::fs::remove_file(inner.options.data_dir.join(FILE_NAME));
        inner.lab.requests.forget(inner);
        inner.lab.presence.forget(inner);
    }
}

impl Drop for TranscriptIndex {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Shared {
    fn end(&self, change: impl FnOnce(&mut State)) {
        let mut state = lock(&self.state);
        state.running = false;
        state.ended += 1;
        change(&mut state);
        self.changed.notify_all();
    }
}

/// The places of this machine's agents.
fn roots(inner: &Lab) -> Roots {
    let surroundings = &inner.options.surroundings;
    roots_of_home(&surroundings.home, &surroundings.env)
}

/// One update on its thread. It holds no app, so that an app that is let go of ends it.
struct Work {
    shared: Arc<Shared>,
    app: Weak<Lab>,
    roots: Roots,
    file: PathBuf,
    cancel: Cancel,
}

impl Work {
    fn run(self) {
        let end = EndsAnyhow(Arc::clone(&self.shared));
        let mut index = lock(&self.shared.index);
        let index = index.get_or_insert_with(|| Index::load(&self.file));
        lock(&self.shared.state).latest = Some(index.latest());
        let reported = std::cell::Cell::new(0);
        let report = index.update(&self.roots, &|progress| self.tell(&progress, &reported), &self.cancel);
        let mut problems: Vec<TranscriptProblem> = report
            .failed
            .iter()
            .map(|(path, reason)| TranscriptProblem { path: show(path), reason: sentence(reason) })
            .collect();
        let app = self.app.upgrade();
        if report.changed
            && let Some(Err(error)) = app.as_deref().map(|app| save(app, index, &self.file))
        {
            problems.push(TranscriptProblem { path: show(&self.file), reason: sentence(&error) });
        }
        let now = app.as_ref().map(|app| app.now());
        std::mem::forget(end);
        self.shared.end(|state| {
            state.problems = problems;
            if !report.stopped {
                state.updated_at = now;
            }
        });
        if let Some(app) = app {
            app.events.send(&Event::Transcripts);
        }
    }

    fn tell(&self, progress: &Progress, reported: &std::cell::Cell<usize>) {
        {
            let mut state = lock(&self.shared.state);
            (state.done, state.total) = (progress.files as u64, progress.of_files as u64);
        }
        let step = progress.files * STEPS_TOLD / progress.of_files.max(1);
        if step == reported.get() && progress.files > 0 {
            return;
        }
        reported.set(step);
        if let Some(app) = self.app.upgrade() {
            app.events.send(&Event::Progress {
                task: JOB.to_owned(),
                done: progress.files as u64,
                total: Some(progress.of_files as u64),
            });
        }
    }
}

/// Keeps the index without the transcripts that tell of something redacted: the file must not hold it again. Where nobody can say
/// which do, nothing is kept.
fn save(app: &Lab, index: &Index, file: &Path) -> Result<(), StoreError> {
    match app.tags() {
        Ok(tags) if tags.is_empty() && tags.lost() == 0 => index.save(file),
        Ok(tags) if tags.lost() == 0 => index.save_without(file, &|entry| !tags.secrets_at(entry).is_empty()),
        _ => Ok(()),
    }
}

/// Says that the update ended even when it panicked: nobody may wait for ever.
struct EndsAnyhow(Arc<Shared>);

impl Drop for EndsAnyhow {
    fn drop(&mut self) {
        self.0.end(|state| {
            state.problems = vec![TranscriptProblem {
                path: String::new(),
                reason: say::looking_transcripts_failed_bug_retrace(),
            }];
        });
    }
}

retrace_message::messages! {
    /// Messages of this module.
    mod say in "index";
    no_thread_could_started_look() => "No thread could be started to look for transcripts.",
    looking_transcripts_failed_bug_retrace() => "Looking for transcripts failed; this is a bug in Retrace.",
}
