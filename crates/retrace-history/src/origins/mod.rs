//! Who wrote what, found by holding versions against transcripts, in the background. Whoever asks gets what is known by now.
//!
//! Findings of a pass are kept beside the log (`origins` there), without anything of a memory. Prompts and the writes
//! of transcripts are kept in this process alone, and forgotten with a redaction.

mod gather;
mod locate;
mod note;
mod pass;

pub(crate) use crate::written::{put_back, put_back_by, written};
pub(crate) use gather::as_of;
pub(crate) use locate::Locator;
pub(crate) use note::{note_of, sentences, session_of, transcript_of, unknown_note};
pub use note::{notes_of, origin_note};

use crate::History;
use crate::wire::{ApiError, Event};
use gather::Gathered;
use pass::{Done, Memory, Pass};
use retrace_engine::lock;
use retrace_engine::recorder::Upkeep;
use retrace_lab::shortened;
use retrace_sessions::Cancel;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Name of the job: `task` of its progress, and what `cancel` stops it by.
pub(crate) const JOB: &str = "origins";

/// Most times that listeners are told of the progress of one pass.
const STEPS_TOLD: u64 = 100;

/// Time after a pass that left young versions unexplained the next is made: a client writes its transcript within some
/// seconds.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Characters of a prompt in a list.
const PROMPT: usize = 200;

/// Prompts that are remembered; some megabytes.
const MAX_PROMPTS: usize = 50_000;

/// The join with the thread that makes its passes.
#[derive(Default)]
pub(crate) struct Origins {
    shared: Arc<Shared>,
    pub gathered: Gathered,
    pub prompts: Prompts,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Held by whoever makes a pass.
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct State {
    running: bool,
    /// Asked for while a pass was made.
    again: bool,
    /// When versions that may still be explained are to be looked at again.
    due: Option<Instant>,
    cancel: Cancel,
}

impl Origins {
    /// Makes a pass in the background; while one is made, another follows it.
    pub(crate) fn start(&self, inner: &Arc<History>) {
        {
            let mut state = lock(&self.shared.state);
            if state.running {
                state.again = true;
                return;
            }
            (state.running, state.again, state.due, state.cancel) = (true, false, None, Cancel::new());
        }
        let (shared, app) = (Arc::clone(&self.shared), Arc::downgrade(inner));
        let started =
            std::thread::Builder::new().name("retrace-join".to_owned()).spawn(move || run(&shared, &app));
        if started.is_err() {
            self.shared.end(None);
        }
    }

    /// Makes a pass when versions came that may be explained by now.
    pub(crate) fn start_when_due(&self, inner: &Arc<History>) {
        let is_due = lock(&self.shared.state).due.is_some_and(|due| due <= Instant::now());
        if is_due {
            self.start(inner);
        }
    }

    /// Makes a pass and waits for it, on this thread where none is made.
    ///
    /// # Errors
    /// Those of reading and writing the log.
    pub(crate) fn update(&self, inner: &Arc<History>) -> Result<(), ApiError> {
        self.wait();
        self.pass(inner, true)
    }

    /// As [`Origins::update`], for those versions alone that are new or around whose time a transcript is new or has grown.
    ///
    /// # Errors
    /// Those of reading and writing the log.
    pub(crate) fn look_again(&self, inner: &Arc<History>) -> Result<(), ApiError> {
        self.wait();
        self.pass(inner, false)
    }

    fn pass(&self, inner: &Arc<History>, thorough: bool) -> Result<(), ApiError> {
        let done = self.shared.pass(inner, &Cancel::new(), thorough);
        self.shared.tell(inner, &done);
        done.map(drop)
    }

    /// Makes a pass where a version is not compared with the transcripts yet.
    ///
    /// # Errors
    /// Those of reading and writing the log.
    pub(crate) fn catch_up(&self, inner: &Arc<History>) -> Result<(), ApiError> {
        let is_behind = inner.read(|reader| Ok(reader.last_version()? > reader.joined_through()?))?;
        if is_behind { self.update(inner) } else { Ok(()) }
    }

    /// Waits until no pass is made in the background.
    pub(crate) fn wait(&self) {
        let state = lock(&self.shared.state);
        let waited = self.shared.changed.wait_while(state, |state| state.running);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Stops a pass; `false` when none is made. What it found by then stands.
    pub(crate) fn cancel(&self) -> bool {
        let mut state = lock(&self.shared.state);
        (state.again, state.due) = (false, None);
        state.cancel.cancel();
        state.running
    }

    /// Forgets what was read of transcripts. No pass is made for as long as the answer is held.
    #[must_use]
    pub(crate) fn forget(&self) -> NoPass<'_> {
        self.cancel();
        let held = lock(&self.shared.memory);
        self.gathered.forget();
        self.prompts.forget();
        NoPass { _held: held }
    }
}

/// Keeps passes from being made.
pub(crate) struct NoPass<'o> {
    _held: MutexGuard<'o, Memory>,
}

impl Drop for Origins {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The progress of a pass that listeners were told last.
#[derive(Default)]
struct Reported {
    step: u64,
    done: u64,
    total: u64,
}

impl Shared {
    fn end(&self, due: Option<Instant>) {
        let mut state = lock(&self.state);
        (state.running, state.due) = (false, due);
        self.changed.notify_all();
    }

    fn pass(&self, inner: &Arc<History>, cancel: &Cancel, thorough: bool) -> Result<Done, ApiError> {
        let mut memory = lock(&self.memory);
        inner.lab.index().update(&inner.lab);
        let snapshot = inner.lab.index().snapshot();
        let send = |done: u64, total: u64| {
            inner.events.send(&Event::Progress { task: JOB.to_owned(), done, total: Some(total) });
        };
        let reported = Mutex::new(Reported::default());
        let tell = |done: u64, total: u64| {
            let step = done * STEPS_TOLD / total.max(1);
            let mut reported = lock(&reported);
            if step != reported.step {
                *reported = Reported { step, done, total };
                send(done, total);
            }
        };
        let done = Pass { inner, snapshot: &snapshot, cancel, thorough, tell: &tell }.run(&mut memory);
        // Whoever shows the work is told that it ended, however it did.
        let last = reported.into_inner().unwrap_or_else(PoisonError::into_inner);
        if last.done < last.total {
            send(last.total, last.total);
        }
        done
    }

    fn tell(&self, inner: &History, done: &Result<Done, ApiError>) {
        if let Ok(done) = done {
            if done.young {
                lock(&self.state).due = Some(Instant::now() + AGAIN_AFTER);
            }
            if done.changed > 0 {
                inner.events.send(&Event::Origins);
            }
        }
    }
}

/// Passes until no other is asked for. It holds the app only while one is made, so that an app that is let go of ends it.
fn run(shared: &Arc<Shared>, app: &Weak<History>) {
    let end = EndsAnyhow(Arc::clone(shared));
    loop {
        let Some(inner) = app.upgrade() else { return };
        let cancel = lock(&shared.state).cancel.clone();
        let done = shared.pass(&inner, &cancel, true);
        let due = done.as_ref().is_ok_and(|done| done.young).then(|| Instant::now() + AGAIN_AFTER);
        shared.tell(&inner, &done);
        let mut state = lock(&shared.state);
        if !std::mem::take(&mut state.again) || cancel.is_cancelled() {
            (state.running, state.due) = (false, due);
            shared.changed.notify_all();
            drop(state);
            std::mem::forget(end);
            return;
        }
    }
}

/// Says that passes ended even when one panicked: nobody may wait for ever.
struct EndsAnyhow(Arc<Shared>);

impl Drop for EndsAnyhow {
    fn drop(&mut self) {
        self.0.end(None);
    }
}

/// The first line of what was asked before calls, by transcript and line of the call.
#[derive(Default)]
pub(crate) struct Prompts {
    known: Mutex<HashMap<(PathBuf, u32), String>>,
}

impl Prompts {
    pub(crate) fn get(&self, transcript: &Path, line: u32) -> Option<String> {
        lock(&self.known).get(&(transcript.to_path_buf(), line)).cloned()
    }

    pub(crate) fn keep(&self, transcript: &Path, line: u32, prompt: String) {
        let mut known = lock(&self.known);
        if known.len() >= MAX_PROMPTS {
            known.clear();
        }
        known.insert((transcript.to_path_buf(), line), prompt);
    }

    fn forget(&self) {
        lock(&self.known).clear();
    }
}

/// A prompt for a list: on one line, cut.
pub(crate) fn first_line(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(PROMPT).collect();
    shortened(&words.join(" "), PROMPT)
}

/// Makes passes while the recorder runs.
pub struct JoinUpkeep {
    inner: Arc<History>,
    titles: Titles,
}

/// Titles of sessions, which come from the index of transcripts and not from the log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Titles {
    Unread,
    BeingRead,
    Known,
}

impl JoinUpkeep {
    /// For the recorder of this log.
    pub fn new(inner: Arc<History>) -> Self {
        Self { inner, titles: Titles::Unread }
    }
}

impl Upkeep for JoinUpkeep {
    fn tick(&mut self) {
        let index = self.inner.lab.index();
        match self.titles {
            // Also where no writer is left to search for.
            Titles::Unread => {
                index.recall(&self.inner.lab);
                index.start(&self.inner.lab);
                self.titles = Titles::BeingRead;
            }
            Titles::BeingRead if !index.is_running() => {
                self.inner.events.send(&Event::Origins);
                self.titles = Titles::Known;
            }
            Titles::BeingRead | Titles::Known => {}
        }
        self.inner.origins.start_when_due(&self.inner);
    }

    fn committed(&mut self) {
        if self.inner.wants_join() {
            self.inner.origins.start(&self.inner);
        }
    }
}

impl History {
    /// True if versions came that were not compared with transcripts yet.
    pub fn wants_join(&self) -> bool {
        self.read(|reader| Ok(reader.joined_through()? < reader.last_version()?)).unwrap_or(false)
    }
}
