//! Background work of the app: keeps the tray and the messages in step with the log, on a thread of its own. It
//! decides nothing about which messages come; that is [`retrace_api::notices`].

use crate::EVENT;
use crate::messages::{self, Message};
use crate::program::Program;
use crate::tray::{self, Shown, Tray};
use crate::window;
use crate::words::{Language, Words};
use chrono::{DateTime, Local, Timelike as _};
use retrace_api::App;
use retrace_api::notices::{Notices, QUIET_MS};
use retrace_api::wire::{ApiError, DesktopSettings, DesktopState, Event, InboxReq, Nothing};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Emitter as _, Runtime};

/// Changes that come within so long of each other are looked at together: agents write several files in one go.
const GATHER: Duration = Duration::from_millis(800);

/// Items looked at. More of them at once are counted, but not named.
const ITEMS: u64 = 200;

/// Names the milliseconds after which a session is quiet, so that tests need not wait for minutes.
const TEST_QUIET_VARIABLE: &str = "RETRACE_TEST_QUIET_MS";

/// Background work of the app.
pub(crate) struct Background<R: Runtime> {
    handle: AppHandle<R>,
    program: Arc<Program>,
    /// Wakes the thread.
    wake: Sender<()>,
    /// Made once, and never behind a lock: what it shows is set by the main thread, which may not wait for who waits for it.
    tray: OnceLock<Tray<R>>,
    /// True if the desktop showed a tray when it was last asked; asking takes a call to another process.
    tray_is_shown: AtomicBool,
    chosen: Mutex<Chosen>,
}

#[derive(Default)]
struct Chosen {
    settings: DesktopSettings,
    messages_problem: Option<String>,
}

impl<R: Runtime> Background<R> {
    /// Neither a tray nor a thread yet. What is sent to the other end of `wake` makes the thread look.
    pub(crate) fn new(handle: AppHandle<R>, program: Arc<Program>, wake: Sender<()>) -> Self {
        let chosen = Mutex::default();
        Self { handle, program, wake, tray: OnceLock::new(), tray_is_shown: AtomicBool::new(false), chosen }
    }

    /// Makes the tray, where there can be one. To be called on the main thread.
    /// Its pictures are kept in `pictures`, a directory of this process alone, where the desktop reads them from files.
    pub(crate) fn make_tray(&self, pictures: Option<&Path>) {
        if let Some(tray) = Tray::make(&self.handle, self.words(), pictures) {
            // Made here alone.
            let _ = self.tray.set(tray);
            // The thread may have looked already, when there was nothing to show it in.
            self.update_soon();
        }
    }

    /// Follows the log until the sender of `woken` is gone. Blocks.
    pub(crate) fn follow(self: &Arc<Self>, woken: &Receiver<()>) {
        let begun = Instant::now();
        let mut notices = Notices::new(quiet_ms());
        loop {
            let now = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            // A log that cannot be read is told of by the window; here the next event is waited for.
            drop(self.update(&mut notices, now));
            let due = notices.due().map(|due| Duration::from_millis(due.saturating_sub(now)));
            let asked = woken.recv_timeout(due.unwrap_or(Duration::MAX).min(until_tomorrow(Local::now())));
            if asked == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            gather(woken);
        }
    }

    /// True if closing the window leaves the app running.
    pub(crate) fn stays_when_closed(&self) -> bool {
        let is_wanted = lock(&self.chosen).settings.keep_in_tray;
        if is_wanted {
            // A panel may have come or gone since the last scan, and without one there is no way back to the window.
            self.ask_for_tray();
        }
        is_wanted && self.has_tray()
    }

    /// Stops recording, or goes on with it.
    /// Waits for what is being recorded.
    pub(crate) fn toggle_pause(&self) {
        self.program.set_paused(!self.program.is_paused());
        // The page asks how it stands.
        let _ = self.handle.emit(EVENT, Event::Stores);
        self.update_soon();
    }

    /// Chosen settings, and what this desktop can do.
    ///
    /// # Errors
    /// Why the log, and what is kept beside it, cannot be opened.
    pub(crate) fn state(&self) -> Result<DesktopState, ApiError> {
        let settings = self.program.app()?.desktop_settings()?;
        self.ask_for_tray();
        let (tray, paused) = (self.has_tray(), self.program.is_paused());
        let mut chosen = lock(&self.chosen);
        chosen.settings.clone_from(&settings);
        Ok(DesktopState { settings, tray, paused, messages_problem: chosen.messages_problem.clone() })
    }

    /// Keeps what was chosen.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub(crate) fn set(&self, settings: &DesktopSettings) -> Result<DesktopState, ApiError> {
        self.program.app()?.set_desktop_settings(settings)?;
        let state = self.state()?;
        self.update_soon();
        Ok(state)
    }

    fn update_soon(&self) {
        // The thread is gone only when the app ends.
        let _ = self.wake.send(());
    }

    fn ask_for_tray(&self) {
        self.tray_is_shown.store(tray::is_shown(), Ordering::Relaxed);
    }

    fn has_tray(&self) -> bool {
        self.tray.get().is_some() && self.tray_is_shown.load(Ordering::Relaxed)
    }

    fn words(&self) -> &'static Words {
        let language = lock(&self.chosen).settings.language.as_deref().map(Language::of);
        language.unwrap_or_else(Language::of_system).words()
    }

    /// Brings the tray and the messages up to date.
    fn update(self: &Arc<Self>, notices: &mut Notices, now: u64) -> Result<(), ApiError> {
        let app = self.program.app()?;
        let settings = self.state()?.settings;
        self.show(&app)?;
        let page = InboxReq { limit: Some(ITEMS), ..InboxReq::default() };
        let inbox = retrace_api::commands::inbox(&app, page)?;
        for notice in notices.update(&inbox, &settings, now) {
            self.tell(messages::worded(&notice, self.words()));
        }
        Ok(())
    }

    /// Shows a message on a thread of its own: the service may be slow, and is waited for until the message is gone.
    fn tell(self: &Arc<Self>, message: Message) {
        let (handle, background) = (self.handle.clone(), Arc::clone(self));
        let shown = move |problem| lock(&background.chosen).messages_problem = problem;
        let work = move || messages::show(&message, shown, || window::show_inbox(&handle));
        if let Err(error) = std::thread::Builder::new().name("retrace-message".to_owned()).spawn(work) {
            lock(&self.chosen).messages_problem = Some(error.to_string());
        }
    }

    fn show(&self, app: &App) -> Result<(), ApiError> {
        let status = retrace_api::commands::status(app, Nothing {})?;
        let words = self.words();
        let at = status.last_write.as_deref().and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        let shown = Shown {
            to_review: status.unreviewed,
            to_review_line: words.to_review(status.unreviewed),
            last_write_line: words.last_write(at.map(DateTime::<Local>::from), Local::now()),
            paused: self.program.is_paused(),
        };
        if let Some(tray) = self.tray.get() {
            tray.show(&shown, words);
        }
        Ok(())
    }
}

/// Quiet time of a session before its digest, in milliseconds.
fn quiet_ms() -> u64 {
    std::env::var(TEST_QUIET_VARIABLE).ok().and_then(|value| value.parse().ok()).unwrap_or(QUIET_MS)
}

/// Until the day changes, and with it how the tray says when memory was written last. A look too soon or too late, where a
/// clock is set forward or back, does no harm.
fn until_tomorrow(now: DateTime<Local>) -> Duration {
    const DAY: u32 = 24 * 60 * 60;
    Duration::from_secs(u64::from(DAY.saturating_sub(now.num_seconds_from_midnight()).max(1)))
}

/// Waits until nothing more comes for a moment, but not for ever.
fn gather(woken: &Receiver<()>) {
    let end = Instant::now() + GATHER;
    while woken.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Set in one step, so a panic elsewhere leaves it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
