//! The program behind the window: opened once, recording while the window is open, and asked again when it could not be
//! opened, so that the window can show why and try once more.

use retrace_api::notices::{Notices, QUIET_MS};
use retrace_api::wire::{
    ApiError, BrokenRulesReq, DesktopLook, DesktopLookReq, DesktopSettings, Event, InboxReq, Nothing,
};
use retrace_api::{App, AppOptions, Recording, commands};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval of attempts to record while another process does. It records meanwhile, so nothing is lost by waiting, and
/// the attempt is one lock on one file.
const TAKE_OVER: Duration = Duration::from_secs(1);

/// Items looked at for messages. More of them at once are counted, but not named.
const ITEMS: u64 = 200;

/// Handler of the events of an app that was opened.
type Listen = Box<dyn Fn(Receiver<Event>) + Send + Sync>;

/// The program behind the window.
pub(crate) struct Program {
    options: Result<AppOptions, ApiError>,
    listen: Listen,
    opened: Mutex<Opened>,
    begun: Instant,
    notices: Mutex<Option<Notices>>,
}

struct Opened {
    app: Option<Arc<App>>,
    /// None while recording is paused, or nothing is open.
    recorder: Option<Recorder>,
    paused: bool,
}

impl Program {
    /// A program that is not open yet. `listen` is given the events once it opens; `paused`: it is not to record.
    pub(crate) fn new(
        options: Result<AppOptions, ApiError>,
        paused: bool,
        listen: impl Fn(Receiver<Event>) + Send + Sync + 'static,
    ) -> Self {
        let opened = Mutex::new(Opened { app: None, recorder: None, paused });
        Self { options, listen: Box::new(listen), opened, begun: Instant::now(), notices: Mutex::new(None) }
    }

    /// The app, opened and recording.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) fn app(&self) -> Result<Arc<App>, ApiError> {
        let mut opened = lock(&self.opened);
        if let Some(app) = &opened.app {
            return Ok(Arc::clone(app));
        }
        let app = Arc::new(App::open(self.options.clone()?)?);
        (self.listen)(app.subscribe());
        opened.recorder = (!opened.paused).then(|| Recorder::start(Arc::clone(&app)));
        opened.app = Some(Arc::clone(&app));
        Ok(app)
    }

    /// Stops recording once what is under way is committed, and waits until everything is on the disk.
    ///
    /// # Errors
    /// A failure of the database. What is not on the disk stays noted in the log.
    pub(crate) fn close(&self) -> Result<(), ApiError> {
        let (app, recorder) = {
            let mut opened = lock(&self.opened);
            (opened.app.take(), opened.recorder.take())
        };
        if let Some(recorder) = recorder {
            recorder.stop();
        }
        app.map_or(Ok(()), |app| app.flush())
    }

    /// Stops recording until told otherwise, or goes on with it. What changed meanwhile is found by the scan that recording
    /// begins with. Another process may record all the same. Gives whether it is paused.
    pub(crate) fn set_paused(&self, paused: bool) -> bool {
        let mut opened = lock(&self.opened);
        opened.paused = paused;
        match (paused, opened.recorder.take(), opened.app.clone()) {
            (true, Some(recorder), _) => recorder.stop(),
            (false, None, Some(app)) => opened.recorder = Some(Recorder::start(app)),
            (_, recorder, _) => opened.recorder = recorder,
        }
        opened.paused
    }

    /// What the tray shows, and which messages are due.
    ///
    /// # Errors
    /// Why the log, and what is kept beside it, cannot be read.
    pub(crate) fn look(&self, request: &DesktopLookReq) -> Result<DesktopLook, ApiError> {
        let app = self.app()?;
        let settings = app.desktop_settings()?;
        let status = commands::status(&app, Nothing {})?;
        let inbox = commands::inbox(&app, InboxReq { limit: Some(ITEMS), ..InboxReq::default() })?;
        let broken = commands::broken_rules(&app, BrokenRulesReq::default())?;
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut notices = lock(&self.notices);
        let notices = notices.get_or_insert_with(|| Notices::new(request.quiet_ms.unwrap_or(QUIET_MS)));
        let mut due_notices = notices.update(&inbox, &settings, now);
        due_notices.extend(notices.broken(&broken, &settings));
        let next_ms = notices.due().map(|due| due.saturating_sub(now));
        Ok(DesktopLook {
            settings,
            unreviewed: status.unreviewed,
            last_write: status.last_write,
            notices: due_notices,
            next_ms,
        })
    }

    /// Keeps what was chosen for the desktop.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub(crate) fn set_settings(&self, settings: DesktopSettings) -> Result<DesktopSettings, ApiError> {
        self.app()?.set_desktop_settings(&settings)?;
        Ok(settings)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Set in one step, so a panic elsewhere leaves it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
