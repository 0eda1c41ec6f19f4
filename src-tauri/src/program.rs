//! The program behind the window: opened once, recording while the window is open, and asked again when it could not be
//! opened, so that the window can show why and try once more.

use retrace_api::wire::{ApiError, Event};
use retrace_api::{App, AppOptions, Recording};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval of attempts to record while another process does. It records meanwhile, so nothing is lost by waiting, and
/// the attempt is one lock on one file.
const TAKE_OVER: Duration = Duration::from_secs(1);

/// Handler of the events of an app that was opened.
type Listen = Box<dyn Fn(Receiver<Event>) + Send + Sync>;

/// The program behind the window.
pub(crate) struct Program {
    data_dir: Option<PathBuf>,
    listen: Listen,
    opened: Mutex<Option<Opened>>,
}

struct Opened {
    app: Arc<App>,
    /// None while recording is paused.
    recorder: Option<Recorder>,
}

impl Program {
    /// A program that is not open yet. `data_dir` is where the log is, as for [`AppOptions::for_this_machine`]; `listen`
    /// is given the events once it opens.
    pub(crate) fn new(
        data_dir: Option<PathBuf>,
        listen: impl Fn(Receiver<Event>) + Send + Sync + 'static,
    ) -> Self {
        Self { data_dir, listen: Box::new(listen), opened: Mutex::new(None) }
    }

    /// Runs a command, opening the app first where that has not worked so far. Blocks.
    ///
    /// # Errors
    /// Answer of the command, or why the app cannot be opened.
    pub(crate) fn call(&self, name: &str, request: Value) -> Result<Value, ApiError> {
        self.app()?.call(name, request)
    }

    /// The app, opened and recording.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) fn app(&self) -> Result<Arc<App>, ApiError> {
        let mut opened = self.lock();
        if let Some(opened) = &*opened {
            return Ok(Arc::clone(&opened.app));
        }
        let app = Arc::new(App::open(AppOptions::for_this_machine(self.data_dir.clone())?)?);
        (self.listen)(app.subscribe());
        let recorder = Recorder::start(Arc::clone(&app));
        *opened = Some(Opened { app: Arc::clone(&app), recorder: Some(recorder) });
        Ok(app)
    }

    /// Stops recording once what is under way is committed, and lets go of the log.
    pub(crate) fn close(&self) {
        if let Some(Opened { recorder: Some(recorder), .. }) = self.lock().take() {
            recorder.stop();
        }
    }

    /// True if this process was told not to record.
    pub(crate) fn is_paused(&self) -> bool {
        self.lock().as_ref().is_some_and(|opened| opened.recorder.is_none())
    }

    /// Stops recording until told otherwise or the app is started again, or goes on with it. What changed meanwhile is
    /// found by the scan that recording begins with. Another process may record all the same.
    pub(crate) fn set_paused(&self, paused: bool) {
        let mut opened = self.lock();
        let Some(opened) = &mut *opened else { return };
        match (paused, opened.recorder.take()) {
            (true, Some(recorder)) => recorder.stop(),
            (false, None) => opened.recorder = Some(Recorder::start(Arc::clone(&opened.app))),
            (_, recorder) => opened.recorder = recorder,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        // Set in one step, so a panic elsewhere leaves it whole.
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records, or waits until the process that does is gone.
struct Recorder {
    /// Dropped to stop.
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    fn start(app: Arc<App>) -> Self {
        let (stop, stopped) = channel();
        // The first attempt is made here, so that whoever asks next is told the truth.
        let recording = app.record(&[]);
        let thread = std::thread::Builder::new()
            .name("retrace-recorder".to_owned())
            .spawn(move || record_until(&app, recording, &stopped));
        // Without a thread nothing records; `status` says so, and so does the window.
        Self { stop, thread: thread.ok() }
    }

    fn stop(self) {
        drop(self.stop);
        if let Some(thread) = self.thread {
            // Its own panic was reported by the panic hook.
            drop(thread.join());
        }
    }
}

/// Keeps `recording`, or tries again from time to time, until the other end of `stopped` is dropped. `status` tells the
/// window how it stands.
fn record_until(app: &App, mut recording: Result<Recording, ApiError>, stopped: &Receiver<()>) {
    while recording.is_err() && stopped.recv_timeout(TAKE_OVER) == Err(RecvTimeoutError::Timeout) {
        recording = app.record(&[]);
    }
    if recording.is_ok() {
        // Ends when the sender is dropped.
        let _ = stopped.recv();
    }
}
